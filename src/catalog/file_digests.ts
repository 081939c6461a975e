/** Digests of files, kept until the file is another or has changed. */

/** Digests kept at most, unless told otherwise. */
const MAX_KEPT = 100_000;
/**
 * A file that changed this shortly before it was read could change again
 * without its times changing: its digest is not kept. Deno tells times of change
 * in whole seconds, some file systems in pairs of them.
 */
const SETTLE_MS = 2_100;

/** What of a look at a file tells one state of it from another. */
export interface FileLook {
  readonly dev: number;
  readonly ino: number | null;
  readonly size: number;
  readonly mtime: Date | null;
  readonly ctime: Date | null;
}

/** A state of a file, by name. */
export interface FileState {
  /** Same key, same bytes; undefined where the system cannot tell. */
  readonly key: string | undefined;
  /** When the file last changed in any way, in ms. */
  readonly changedMs: number;
}

/** The state that a look showed. Device and inode stand for the real path. */
export function stateOf(look: FileLook): FileState {
  const { dev, ino, size, mtime, ctime } = look;
  const known = ino !== null && ino !== 0 && mtime !== null && ctime !== null;
  return {
    key: known
      ? `${dev}:${ino}:${size}:${mtime.getTime()}:${ctime.getTime()}`
      : undefined,
    changedMs: ctime?.getTime() ?? Infinity,
  };
}

/** Digests by state, the least used given up first. */
export class FileDigests {
  readonly #kept = new Map<string, string>();
  readonly #now: () => number;
  readonly #most: number;

  constructor(
    options: { readonly now?: () => number; readonly most?: number } = {},
  ) {
    this.#now = options.now ?? Date.now;
    this.#most = options.most ?? MAX_KEPT;
  }

  /** When a reading begins, in ms; `keep` wants it back. */
  begin(): number {
    return this.#now();
  }

  /** The digest of a file in this state, if it is kept. */
  known({ key }: Pick<FileState, "key">): string | undefined {
    if (key === undefined) return undefined;
    const digest = this.#kept.get(key);
    if (digest === undefined) return undefined;
    // Last used, last to go.
    this.#kept.delete(key);
    this.#kept.set(key, digest);
    return digest;
  }

  /**
   * Keeps the digest of a file that was in this state when reading it began. A
   * file that changed shortly before is not kept.
   */
  keep({ key, changedMs }: FileState, digest: string, begun: number): void {
    if (key === undefined || changedMs >= begun - SETTLE_MS) return;
    this.#kept.set(key, digest);
    if (this.#kept.size > this.#most) {
      this.#kept.delete(this.#kept.keys().next().value!);
    }
  }
}
