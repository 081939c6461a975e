/** Which directories are searched for skills, and who said so. */

import { delimiter, resolve } from "node:path";
import type { Refusal } from "../base/refusal.ts";
import type { Directory, RootsFrom } from "./types.ts";
import { type RawEnv, setValue, tildeComplaint } from "./values.ts";

/** A directory without filters, watched. */
export function plainDirectory(path: string): Directory {
  return { path, include: [], ignore: [], watch: true };
}

/** The roots as configured. */
export interface Roots {
  /** Absolute, in order of precedence. */
  readonly roots: readonly string[];
  readonly from: RootsFrom;
  readonly complaints: readonly Refusal[];
  /** Settings that had no effect, in words. */
  readonly notes: readonly string[];
}

/** What the roots are read from. */
export interface RootsInput {
  readonly flags: { readonly skills?: readonly string[] };
  /** Absolute. */
  readonly cwd: string;
  readonly bundledSkills: string;
}

/**
 * `MCP_SKILLS_PATH`, else `--skills`, else `SKILLS_DIR`, else the bundled
 * skills: the first that names a directory wins, and a flag that loses is told.
 * A path that cannot be meant as written is complained about and left out.
 */
export function readRoots(input: RootsInput, env: RawEnv): Roots {
  const flagged = (input.flags.skills ?? []).map((part) => part.trim())
    .filter((part) => part !== "");
  const candidates: readonly (readonly [RootsFrom, readonly string[]])[] = [
    ["MCP_SKILLS_PATH", split(env("MCP_SKILLS_PATH"))],
    ["--skills", flagged],
    ["SKILLS_DIR", split(env("SKILLS_DIR"))],
  ];
  const chosen = candidates.find(([, parts]) => parts.length > 0);
  if (chosen === undefined) {
    return {
      roots: [input.bundledSkills],
      from: "bundled",
      complaints: [],
      notes: [],
    };
  }
  const [from, parts] = chosen;
  const complaints = parts.map((part) => tildeComplaint(from, part))
    .filter((complaint) => complaint !== undefined);
  return {
    roots: parts.filter((part) => !part.startsWith("~"))
      .map((part) => resolve(input.cwd, part)),
    from,
    complaints,
    notes: from === "MCP_SKILLS_PATH" && flagged.length > 0
      ? ["--skills is not used: MCP_SKILLS_PATH is set and wins."]
      : [],
  };
}

function split(raw: string | undefined): string[] {
  return (setValue(raw) ?? "").split(delimiter)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
