/**
 * What `skill_match` has given before. A convenience: it only ever adds a note,
 * since the caller may have lost the text meanwhile.
 */

/** Texts remembered; the oldest goes first. */
const MAX_SEEN = 4096;

/** Digests of the texts that one session was given. */
export class SeenTexts {
  readonly #digests = new Set<string>();

  /** Whether this text was given before. */
  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  /** Notes that it is given now. */
  add(digest: string): void {
    this.#digests.delete(digest);
    this.#digests.add(digest);
    if (this.#digests.size > MAX_SEEN) {
      this.#digests.delete(this.#digests.values().next().value!);
    }
  }
}
