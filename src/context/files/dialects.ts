/** Which files are context files. The one list of them. Pure. */

import { lastSegment } from "../../base/place.ts";

/** A further dialect, by its word in `SKILLFENCE_CONTEXT`. */
export type Dialect = "cursor-rules" | "copilot" | "windsurf" | "cline";

/** A place in the workspace's root where a dialect keeps its files. */
interface DialectPlace {
  readonly dialect: Dialect;
  /** Of a file, below the workspace; undefined: it has none. */
  readonly file?: string;
  /** Of a directory, whose files with this ending all count. */
  readonly directory?: string;
  readonly ending?: string;
}

/**
 * Names in lower case, as any spelling counts, and what kind of file each is.
 * Of one kind a directory has one file: the first in code unit order.
 */
const NAMES: ReadonlyMap<string, string> = new Map([
  [".cursorrules", "cursorrules"],
  ["agent.md", "agents"],
  ["agents.md", "agents"],
  ["claude.md", "claude"],
  ["gemini.md", "gemini"],
]);

/** Read only when asked for, and in the workspace's root alone. */
const PLACES: readonly DialectPlace[] = [
  { dialect: "cursor-rules", directory: ".cursor/rules", ending: ".mdc" },
  { dialect: "copilot", file: ".github/copilot-instructions.md" },
  { dialect: "windsurf", file: ".windsurfrules" },
  { dialect: "cline", file: ".clinerules" },
  { dialect: "cline", directory: ".clinerules", ending: ".md" },
];

/** All words that `SKILLFENCE_CONTEXT` takes. */
export const DIALECTS: readonly Dialect[] = [
  ...new Set(PLACES.map(({ dialect }) => dialect)),
];

/** The kind of a file of this name in any directory; undefined: none. */
export function kindOf(name: string): string | undefined {
  return NAMES.get(name.toLowerCase());
}

/** The places of these dialects; words that are none are passed over. */
export function placesOf(dialects: readonly string[]): DialectPlace[] {
  return PLACES.filter(({ dialect }) => dialects.includes(dialect));
}

/** Whether `path`, below a workspace, is what `pattern` names (`*` in its last segment). */
export function isAt(path: string, pattern: string): boolean {
  const last = lastSegment(pattern);
  if (!last.startsWith("*")) return path === pattern;
  const directory = pattern.slice(0, -last.length);
  const rest = path.slice(directory.length);
  return path.startsWith(directory) && !rest.includes("/") &&
    rest.endsWith(last.slice(1));
}
