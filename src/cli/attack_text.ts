/** The text of a hostile script: what it tries, and how it says how it went. */

/** What a script aims at, outside of what it is granted. */
export type Target =
  /** A text file that holds the secret. */
  | "file"
  /** An ES module that exports it as `secret`. */
  | "module"
  /** A JSON file that holds it as `secret`. */
  | "json"
  /** A directory. */
  | "directory"
  /** `http://127.0.0.1:port/` of a server that answers with the secret. */
  | "server"
  /** The path of a unix socket that answers with the secret. */
  | "socket"
  /** The name of an abstract unix socket (unix(7)), its NUL left out. */
  | "abstract"
  /** Nothing outside the process. */
  | "none";

/**
 * One hostile script. It prints a line `GOT ...` when it got through and
 * `HELD ...` when it was stopped, with what each of its ways met. In `source`
 * and `also`, `__TARGET__` stands for the target and `__SERVER__` for the
 * number of the server's process.
 */
export interface AttackText<T extends string = Target> {
  /** Stable, unique word. */
  readonly id: string;
  /** What it tries, in words. */
  readonly title: string;
  /** File name inside the skill; the extension matters to the loader. */
  readonly file: string;
  readonly source: string;
  readonly target: T;
  /** Further files of the skill. */
  readonly also?: Readonly<Record<string, string>>;
  /** Runs the script this many times; the last run is judged. */
  readonly runs?: number;
  /** What a stopped way may say, besides the words that all share. */
  readonly words?: RegExp;
}

/** What it tried may keep it alive: sockets, timers, retries. */
const THEN_END = ".then(() => Deno.exit(0))";

/**
 * A script that tries each of these expressions in turn, in its own words
 * afterwards. An expression that yields `undefined` got nothing. Without
 * top-level `await`, so that it is CommonJS as well.
 */
export function attempt(...ways: readonly string[]): string {
  return `(async () => {
  const got = [], left = [];
  for (const way of [
${ways.map((way) => `    async () => (${way}),\n`).join("")}  ]) {
    try {
      const one = await way();
      if (one === undefined) throw new Error("nothing came of it");
      got.push(one);
    } catch (error) {
      left.push([error?.name, error?.code, error?.message ?? error].filter(Boolean).join(": "));
    }
  }
  const line = (word, all) => all.length > 0 &&
    console.log(word + " " + all.map((one) => String(one).replace(/[\\r\\n|]+/g, " ")).join(" | "));
  line("GOT", got);
  line(got.length > 0 ? "LEFT" : "HELD", left);
})()${THEN_END};
`;
}

/** A script of `attempt` that does something more before it ends. */
export function followedBy(script: string, code: string): string {
  return script.replace(
    THEN_END,
    () => `.then(async () => {\n${code}})${THEN_END}`,
  );
}
