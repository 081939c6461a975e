/**
 * Globs by something that every path they match must hold, so that a path is
 * tried against few of them.
 */

/** Characters that end what is literal in a segment. */
const WILD = /[*?[\\]/;
/** Suffixes are looked up from each of the last dots of a segment. */
const MOST_DOTS = 3;
/** Letters of a prefix that is looked up. */
const PREFIX = 3;

/** Things found by the globs that are theirs. */
export class GlobIndex<Item> {
  readonly #byKey = new Map<string, Set<Item>>();
  readonly #always = new Set<Item>();
  readonly #fold: (text: string) => string;

  /**
   * `globs` are positive patterns without complaint, each with its item.
   * `ignoreCase`: as the matcher that decides does.
   */
  constructor(
    globs: readonly (readonly [glob: string, item: Item])[],
    ignoreCase: boolean,
  ) {
    this.#fold = ignoreCase ? (text) => text.toLowerCase() : (text) => text;
    const uses = new Map<string, number>();
    const keyed = globs.map(([glob, item]) => {
      const keys = keysOf(this.#fold(glob), ignoreCase);
      for (const key of keys) uses.set(key, (uses.get(key) ?? 0) + 1);
      return { item, keys };
    });
    for (const { item, keys } of keyed) {
      // The rarest tells most.
      const [key] = keys.toSorted((a, b) => uses.get(a)! - uses.get(b)!);
      if (key === undefined) this.#always.add(item);
      else {
        const items = this.#byKey.get(key);
        if (items === undefined) this.#byKey.set(key, new Set([item]));
        else items.add(item);
      }
    }
  }

  /** Every item one of whose globs may match `path` or what it lies in. */
  candidates(path: string): Set<Item> {
    const found = new Set(this.#always);
    const take = (key: string) => {
      for (const item of this.#byKey.get(key) ?? []) found.add(item);
    };
    for (const segment of this.#fold(path).split("/")) {
      if (segment === "") continue;
      take(`=${segment}`);
      take(`^${segment.slice(0, PREFIX)}`);
      let dot = segment.length;
      for (let dots = 0; dots < MOST_DOTS && dot > 0; dots++) {
        dot = segment.lastIndexOf(".", dot - 1);
        if (dot < 0) break;
        take(`$${segment.slice(dot)}`);
      }
    }
    return found;
  }
}

/** What a path that the glob matches holds: any of these would do. */
function keysOf(glob: string, ignoreCase: boolean): string[] {
  // Case outside ASCII is folded in more than one way.
  if (ignoreCase && !/^\p{ASCII}*$/u.test(glob)) return [];
  // A blank at the end is cut off or not, by what is before it.
  if (glob.endsWith(" ")) return [];
  // A bracket may hold a slash: what comes after one is not looked at.
  const bracket = glob.indexOf("[");
  const head = bracket < 0 ? glob : `${glob.slice(0, bracket)}*`;
  return head.split("/").flatMap((segment) => {
    if (segment === "" || segment === "**") return [];
    const wild = segment.search(WILD);
    if (wild < 0) return [`=${segment}`];
    const keys: string[] = [];
    if (wild >= PREFIX) keys.push(`^${segment.slice(0, PREFIX)}`);
    const suffix = suffixOf(segment);
    if (suffix !== undefined) keys.push(`$${suffix}`);
    return keys;
  });
}

/** The literal end of a segment from one of its last dots on. */
function suffixOf(segment: string): string | undefined {
  if (segment.includes("\\")) return undefined;
  const wild = Math.max(segment.lastIndexOf("*"), segment.lastIndexOf("?"));
  const end = segment.slice(wild + 1);
  const dots = [...end.matchAll(/\./g)].map(({ index }) => index);
  const dot = dots.at(-MOST_DOTS) ?? dots[0];
  return dot === undefined ? undefined : end.slice(dot);
}
