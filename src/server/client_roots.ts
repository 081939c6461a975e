/**
 * The directories that the client works in, as it tells them: its `file:` roots.
 * Asked for on connections of 2025 only: on 2026-07-28 a server asks nothing by
 * itself, and roots are deprecated there.
 */

import { fileURLToPath } from "node:url";

/** Milliseconds that anything waits for a client's roots. */
export const ROOTS_MS = 2_000;
/** Roots that are looked at. */
const MAX_ROOTS = 16;
/** UTF-16 units of one address. */
const MAX_URI = 4_096;

/** What the roots ask of their surroundings. */
export interface RootsEffects {
  readonly isDirectory: (path: string) => Promise<boolean>;
  /** Runs once, after so many milliseconds. */
  readonly after: (ms: number, run: () => void) => void;
}

/** The real ones. */
const SYSTEM: RootsEffects = {
  isDirectory: async (path) => {
    try {
      return (await Deno.stat(path)).isDirectory;
    } catch {
      // Not there, or closed to us: nothing to read in it.
      return false;
    }
  },
  // What only bounds a wait keeps no process alive.
  after: (ms, run) => Deno.unrefTimer(setTimeout(run, ms)),
};

/** Gives a client's answer to `roots/list`; rejects when it has none. */
export type AskRoots = () => Promise<{
  readonly roots: readonly { readonly uri: string }[];
}>;

/** Learns the roots, before or after anybody wants to know them. */
export class ClientRoots {
  readonly #effects: RootsEffects;
  readonly #onChange: () => void;
  #known: readonly string[] = [];
  #first: PromiseWithResolvers<void> | undefined;
  #asked = 0;

  /** `onChange` hears of roots that are others than those given out before. */
  constructor(onChange: () => void, effects: RootsEffects = SYSTEM) {
    this.#onChange = onChange;
    this.#effects = effects;
  }

  /** Absolute paths, in the client's order; waits at most two seconds. */
  async current(): Promise<readonly string[]> {
    await this.#first?.promise;
    return this.#known;
  }

  /** Takes a request as it came: a client that has roots says so at its start. */
  hear(
    { method, params }: {
      readonly method?: unknown;
      readonly params?: unknown;
    },
  ): void {
    if (method !== "initialize" || !hasRoots(params)) return;
    if (this.#first !== undefined) return;
    const first = this.#first = Promise.withResolvers<void>();
    this.#effects.after(ROOTS_MS, () => first.resolve());
  }

  /**
   * Asks the client, now that it may be asked. No answer, and a refusal, mean
   * none. Of several questions only the last one's answer counts.
   */
  async ask(askRoots: AskRoots): Promise<void> {
    const turn = ++this.#asked;
    const found = await this.#directories(askRoots);
    if (turn !== this.#asked) return;
    const before = this.#known;
    this.#known = found;
    this.#first?.resolve();
    const same = before.length === found.length &&
      before.every((path, index) => path === found[index]);
    if (!same) this.#onChange();
  }

  async #directories(askRoots: AskRoots): Promise<readonly string[]> {
    try {
      const { roots } = await askRoots();
      const paths = new Set(
        roots.slice(0, MAX_ROOTS).flatMap(({ uri }) => pathOf(uri) ?? []),
      );
      const kept = await Promise.all(
        [...paths].map(async (path) =>
          await this.#effects.isDirectory(path) ? [path] : []
        ),
      );
      return kept.flat();
    } catch {
      return [];
    }
  }
}

/** The path of a `file:` address of this machine. */
function pathOf(uri: string): string | undefined {
  if (uri.length > MAX_URI || !/^file:/i.test(uri)) return undefined;
  try {
    const path = fileURLToPath(uri);
    return path.includes("\0") ? undefined : path;
  } catch {
    // Another machine's, or no address at all.
    return undefined;
  }
}

function hasRoots(params: unknown): boolean {
  const { capabilities } = (params ?? {}) as {
    readonly capabilities?: { readonly roots?: unknown };
  };
  return typeof capabilities?.roots === "object" &&
    capabilities.roots !== null;
}
