/** The private directory a skill keeps data in between runs. */

import { join } from "node:path";
import { sha256 } from "../base/digest.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { errorName } from "./error_name.ts";

/** A file name holds at most 255 bytes; longer names are cut to this. */
const MAX_READABLE = 180;

/**
 * The directory's name for a skill: the skill's name in lower case with `/` as
 * `+`, then 8 hex digits of the name's SHA-256 (all 64 where the name had to be
 * cut). One segment, so no two skills share one or nest.
 */
export function dataDirFor(skill: string): string {
  const readable = skill.toLowerCase().replaceAll("/", "+");
  const digits = sha256(skill).slice("sha256:".length);
  return readable.length <= MAX_READABLE
    ? `${readable}-${digits.slice(0, 8)}`
    : `${readable.slice(0, 150)}-${digits}`;
}

/**
 * Makes the data directory at this absolute path unless it is there: `0700`, no
 * link, ours. Called when a run starts and at no other time. Refuses with
 * `PREFLIGHT` what stands in its place, with `SPAWN_FAILED` what cannot be made.
 */
export async function ensureDataDir(dir: string): Promise<Result<string>> {
  try {
    // `recursive` would accept a link to a directory as the directory itself.
    await Deno.mkdir(join(dir, ".."), { recursive: true, mode: 0o700 });
    try {
      await Deno.mkdir(dir, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    const info = await Deno.lstat(dir);
    const problem = dataDirProblem(info);
    if (problem !== undefined) return refusedDataDir(problem);
    if (info.mode !== null && (info.mode & 0o077) !== 0) {
      await Deno.chmod(dir, 0o700);
    }
    return ok(dir);
  } catch (error) {
    return refuse(
      "SPAWN_FAILED",
      `The skill's data directory could not be made: ${errorName(error)}.`,
      "Set MCP_DATA_DIR or SKILLFENCE_DATA_DIR to a directory that this account may write.",
    );
  }
}

/** Why what stands at a data directory's place is not one; undefined when it is. */
export function dataDirProblem(info: Deno.FileInfo): string | undefined {
  if (info.isSymlink) return "a symbolic link";
  if (!info.isDirectory) return "no directory";
  const uid = Deno.build.os === "windows" ? null : Deno.uid();
  return info.uid === null || uid === null || info.uid === uid
    ? undefined
    : "a directory of another account";
}

/** The refusal for `dataDirProblem`. */
export function refusedDataDir(problem: string): Result<never> {
  return refuse(
    "PREFLIGHT",
    `what stands at the place of the skill's data directory is ${problem}`,
    "Remove it; the directory is made anew at the next run.",
  );
}
