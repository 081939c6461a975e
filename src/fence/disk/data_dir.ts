/** The private directory a skill keeps data in between runs. */

import { counted } from "../../base/text.ts";
import { dirname } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { errorName } from "../../base/error_name.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import { scriptsUid } from "../../os/account.ts";
import type { Account } from "../../os/types.ts";
import { hold } from "./held_open.ts";
import { HAND_OVER_LIMITS, handOver } from "./hand_over.ts";
import { shutOut, type Wanted } from "../preflight/shut_out.ts";

/** A file name holds at most 255 bytes; longer names are cut to this. */
const MAX_READABLE = 180;
const PRIVATE = 0o700;

const ANOTHERS = "a directory of another account";

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
 * Makes the data directory at this absolute real path unless it is there:
 * `0700`, no link, ours, or the account's when scripts run as one. Called when a
 * run starts and at no other time. Refuses with `PREFLIGHT` what stands in its
 * place and what that account cannot get to, with `SPAWN_FAILED` what cannot be
 * made.
 */
export async function ensureDataDir(
  dir: string,
  account?: Account,
): Promise<Result<string>> {
  const parent = dirname(dir);
  try {
    // `recursive` would accept a link to a directory as the directory itself.
    if (account === undefined) {
      await Deno.mkdir(parent, { recursive: true, mode: 0o700 });
    } else await makePassable(parent);
    try {
      await Deno.mkdir(dir, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    const info = await Deno.lstat(dir);
    const problem = dataDirProblem(info, account);
    if (problem !== undefined) return refusedDataDir(problem, account);
    if (account !== undefined) return await given(dir, account);
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

/** The directory, once it is the account's and can be got to. */
async function given(dir: string, account: Account): Promise<Result<string>> {
  const shut = shutOut(dirname(dir), account, DATA_PARENT);
  if (shut !== undefined) return shut;
  switch (await handOver(dir, account)) {
    case "done":
      return ok(dir);
    case "not-ours":
      return refusedDataDir(ANOTHERS, account);
    case "too-much":
      return refuse(
        "PREFLIGHT",
        `the skill's data directory cannot be given to ${
          scriptsUid(account)
        }: it holds more than ${
          counted(HAND_OVER_LIMITS.entries)
        } entries, or more than ${HAND_OVER_LIMITS.levels} levels of them, or /proc does not show open files`,
        `Run \`chown -hR ${account.uid}:${account.gid}\` on it.`,
      );
  }
}

/** Closes it to others again: a script may change the mode of what is its own. */
export function closeDataDir(dir: string): void {
  if (Deno.build.os === "windows") return;
  try {
    using held = hold(dir, "directory");
    if (held !== undefined && (held.info.mode & 0o7777) !== PRIVATE) {
      Deno.chmodSync(held.path, PRIVATE);
    }
  } catch {
    // Gone, or no directory any more: the next run looks and refuses.
  }
}

/** How refusals name what holds the data directories. */
export const DATA_PARENT: Wanted = {
  what: "the directory for the skills' data",
  want: "execute",
};

/** Makes a directory and what is missing above it, for others to pass through. */
async function makePassable(dir: string): Promise<void> {
  try {
    if ((await Deno.stat(dir)).isDirectory) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await makePassable(dirname(dir));
  }
  await Deno.mkdir(dir);
  // Apart from the making, on which the process's mask counts.
  await Deno.chmod(dir, 0o711);
}

/** Why what stands at a data directory's place is not one; undefined when it is. */
export function dataDirProblem(
  info: Deno.FileInfo,
  account?: Account,
): string | undefined {
  if (info.isSymlink) return "a symbolic link";
  if (!info.isDirectory) return "no directory";
  const uid = Deno.build.os === "windows" ? null : Deno.uid();
  return info.uid === null || uid === null || info.uid === uid ||
      info.uid === account?.uid
    ? undefined
    : ANOTHERS;
}

/** The refusal for `dataDirProblem`. */
export function refusedDataDir(
  problem: string,
  account?: Account,
): Result<never> {
  return refuse(
    "PREFLIGHT",
    `what stands at the place of the skill's data directory is ${problem}`,
    problem === ANOTHERS && account !== undefined
      ? `Give it to uid ${account.uid}, as which scripts run (chown -hR), or remove it: it is made anew at the next run.`
      : "Remove it; the directory is made anew at the next run.",
  );
}
