/** What one hostile script is, and what must be seen when it runs. */

/** How the control shows that the attack is a real one. */
export type Control =
  /** The same script, its target moved inside the skill, gets through the fence. */
  | "inside"
  /** The same script with its host granted exactly gets through the fence. */
  | "granted"
  /** Nothing in the product can grant it: it gets through bare `deno run -A`. */
  | "bare"
  /** It cannot work on this runtime at all; `why` says so. */
  | { readonly none: string };

/** What a script aims at. */
export type Target =
  /** A file outside the skill that holds a secret. */
  | "file"
  /** An ES module outside the skill. */
  | "module"
  /** A CommonJS module outside the skill, below a `node_modules` folder. */
  | "node_modules"
  /** A JSON file outside the skill. */
  | "json"
  /** A directory outside the skill. */
  | "directory"
  /** `http://127.0.0.1:port/` of a server that answers with the secret. */
  | "server"
  /** A unix socket that answers with the secret. */
  | "socket"
  /** Nothing outside the process. */
  | "none";

/**
 * One hostile script. It prints `GOT ...` when it got through and `HELD ...`
 * when it was stopped; a refusal to load counts as held when stderr names the
 * denied permission. `__TARGET__` is replaced by the literal target.
 */
export interface Attack {
  /** Row of the published measurement this kind corresponds to, e.g. `h03`. */
  readonly id: string;
  readonly title: string;
  /** File name inside the skill; the extension matters to the loader. */
  readonly file: string;
  readonly source: string;
  readonly target: Target;
  readonly control: Control;
  /** Further files of the skill. */
  readonly also?: Readonly<Record<string, string>>;
  /** Runs the script this many times; the last run is judged. */
  readonly runs?: number;
  /** The script gets through when it is the main module of the process. */
  readonly direct?: true;
}

/** Wraps an expression that yields the stolen text into the GOT/HELD report. */
export function attempt(expression: string): string {
  return `try { const got = ${expression}; console.log(got === undefined ? "HELD undefined" : "GOT " + got); }
catch (error) { console.log("HELD " + (error && (error.name + ": " + error.message))); }
`;
}
