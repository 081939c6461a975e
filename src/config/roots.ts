/** Which directories are searched for skills, and who said so. */

import { delimiter, resolve } from "node:path";
import { ok, type Refusal, type Result } from "../base/refusal.ts";
import { type JsonDirectoryReader, plainRoot, SKILL_DIR } from "./directory.ts";
import type { SkillsFlag } from "./flags.ts";
import type { RootsFrom, SkillRoot } from "./types.ts";
import { type RawEnv, setValue, tildeComplaint } from "./values.ts";

/** The roots as configured. */
export interface Roots {
  /** In order of precedence. */
  readonly roots: readonly SkillRoot[];
  readonly from: RootsFrom;
  readonly complaints: readonly Refusal[];
  /** Settings that had no effect, in words. */
  readonly notes: readonly string[];
}

/** What the roots are read from. */
export interface RootsInput {
  readonly flags: { readonly skills?: readonly SkillsFlag[] };
  /** Absolute. */
  readonly cwd: string;
  readonly bundledSkills: string;
}

/**
 * `MCP_SKILLS_PATH`, else `--skills` and `--skill-dir` in their common order,
 * else `SKILLS_DIR`, else the bundled skills: the first that names a directory
 * wins, and a flag that loses is told. A directory that cannot be meant as
 * written is complained about and left out.
 */
export function readRoots(
  input: RootsInput,
  env: RawEnv,
  jsonDirectory: JsonDirectoryReader,
): Roots {
  const flagged = (input.flags.skills ?? [])
    .filter((part) => typeof part !== "string" || part.trim() !== "");
  const flag = flagged.some((part) => typeof part !== "string")
    ? SKILL_DIR
    : "--skills";
  const candidates: readonly (readonly [RootsFrom, readonly SkillsFlag[]])[] = [
    ["MCP_SKILLS_PATH", splitPaths(env("MCP_SKILLS_PATH"))],
    [flag, flagged],
    ["SKILLS_DIR", splitPaths(env("SKILLS_DIR"))],
  ];
  const chosen = candidates.find(([, parts]) => parts.length > 0);
  if (chosen === undefined) {
    return {
      roots: [plainRoot(input.bundledSkills)],
      from: "bundled",
      complaints: [],
      notes: [],
    };
  }
  const [from, parts] = chosen;
  const read = parts.map((part) =>
    typeof part === "string"
      ? readPlain(from === SKILL_DIR ? "--skills" : from, part, input.cwd)
      : jsonDirectory(SKILL_DIR, part.json, input.cwd)
  );
  return {
    roots: read.flatMap((result) => result.ok ? [result.value] : []),
    from,
    complaints: read.filter((result) => !result.ok),
    notes: from === "MCP_SKILLS_PATH" && flagged.length > 0
      ? [`${flag} is not used: MCP_SKILLS_PATH is set and wins.`]
      : [],
  };
}

/** A plain directory; one with a leading `~` is refused. */
export function readPlain(
  source: string,
  text: string,
  cwd: string,
): Result<SkillRoot> {
  const path = text.trim();
  return tildeComplaint(source, path) ??
    ok(plainRoot(resolve(cwd, path)));
}

/** The paths of a list that is separated as PATH is. */
export function splitPaths(raw: string | undefined): string[] {
  return (setValue(raw) ?? "").split(delimiter)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
