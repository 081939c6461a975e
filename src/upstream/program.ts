/** The program that a declared server starts, and what of the disk it needs. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "../base/place.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { scriptsUid, unreachable } from "../os/account.ts";
import { isOfSystem, type NativePlaces } from "../os/native_places.ts";
import { distrust } from "../os/trusted_path.ts";
import type { Account } from "../os/types.ts";

/** A program that can be started. Absolute paths. */
export interface ServerProgram {
  /** What is executed: as found, since some programs look at their name. */
  readonly path: string;
  /** Beyond the system's own and the skill: shown read-only, and executable. */
  readonly shown: readonly string[];
  /** `PATH` of the process. */
  readonly searchPath: string;
}

/** What it is looked for with. */
export interface ProgramSearch {
  /** Real directory of the skill; undefined: there is none to look in. */
  readonly skillDir: string | undefined;
  /** `PATH` of the server. */
  readonly searchPath: string | undefined;
  /** `HOME` of the server. */
  readonly home: string | undefined;
  readonly account: Account | undefined;
  readonly places: NativePlaces;
  /** Real paths of our own executable or main module. */
  readonly ourselves: readonly string[];
}

const USUAL = ["/usr/local/bin", "/usr/bin", "/bin"];
const MAY_EXECUTE = 0o111;

/**
 * Finds the program of a command. A name is looked for along `PATH`, in places
 * that only root and this account can change; a relative path is one within the
 * skill. Refuses with `NOT_FOUND` what is not there or not to be trusted, and
 * with `PATH_REFUSED` what leads out of the skill or to ourselves.
 */
export async function findServerProgram(
  command: string,
  args: readonly string[],
  search: ProgramSearch,
): Promise<Result<ServerProgram>> {
  const found = command.includes("/")
    ? await byPath(command, search)
    : await byName(command, search);
  if (!found.ok) return found;
  const real = await Deno.realPath(found.value);
  if (isOurselves([real, ...args], search)) {
    return refuse(
      "PATH_REFUSED",
      "the command is this server itself",
      "Declare another server: this one serves the skill already.",
    );
  }
  const shown = new Set(
    [found.value, real].flatMap((path) => shownFor(path, search) ?? []),
  );
  const dir = dirname(found.value);
  const beside = isWithinSkill(found.value, search) || USUAL.includes(dir)
    ? []
    : [dir];
  return ok({
    path: found.value,
    shown: [...shown],
    searchPath: [...beside, ...USUAL].join(":"),
  });
}

async function byPath(
  command: string,
  search: ProgramSearch,
): Promise<Result<string>> {
  const { skillDir } = search;
  if (!isAbsolute(command) && skillDir === undefined) {
    return missing(command, "a flat skill has no files beside it");
  }
  const path = resolve(skillDir ?? "/", command);
  try {
    const real = await Deno.realPath(path);
    if (!isAbsolute(command) && !isWithin(real, skillDir!)) {
      return refuse(
        "PATH_REFUSED",
        `the command ${visible(command)} leads out of the skill`,
        "Name a file of the skill, or an absolute path.",
      );
    }
    const reason = await unusable(path, search);
    return reason === undefined ? ok(path) : missing(command, reason);
  } catch {
    return missing(command, "there is none");
  }
}

async function byName(
  command: string,
  search: ProgramSearch,
): Promise<Result<string>> {
  const dirs = (search.searchPath ?? "").split(":").filter((dir) =>
    isAbsolute(dir)
  );
  let reason: string | undefined;
  for (const dir of new Set([...dirs, ...USUAL])) {
    const path = join(dir, command);
    try {
      if (!(await Deno.stat(path)).isFile) continue;
      const found = await unusable(path, search);
      if (found === undefined) return ok(path);
      reason ??= `${visible(path)}: ${found}`;
    } catch {
      // Not there, or not for us.
    }
  }
  return missing(command, reason ?? "there is none on PATH");
}

/** Why the program at an existing path cannot be started. */
async function unusable(
  path: string,
  search: ProgramSearch,
): Promise<string | undefined> {
  const { account } = search;
  const real = await Deno.realPath(path);
  const { isFile, mode } = await Deno.stat(real);
  if (!isFile) return "it is not a regular file";
  if (((mode ?? MAY_EXECUTE) & MAY_EXECUTE) === 0) {
    return "it is not executable (chmod +x)";
  }
  if (account !== undefined && unreachable(real, account, "read")) {
    return `it cannot be read by ${scriptsUid(account)}`;
  }
  // What lies in the skill is the skill's, and its digest covers it.
  if (isWithinSkill(real, search)) return undefined;
  return (await distrust(path))?.reason;
}

function isWithinSkill(path: string, { skillDir }: ProgramSearch): boolean {
  return skillDir !== undefined && isWithin(path, skillDir);
}

function isOurselves(
  words: readonly string[],
  { ourselves, skillDir }: ProgramSearch,
): boolean {
  return words.some((word) => {
    try {
      const path = word.startsWith("file:") ? fileURLToPath(word) : word;
      const real = Deno.realPathSync(resolve(skillDir ?? "/", path));
      return ourselves.includes(real);
    } catch {
      return false;
    }
  });
}

/**
 * What is shown for a program that is none of the system's: the directory it is
 * installed in (above `bin`), which holds what it loads; never HOME itself or
 * the hidden directories right in it, which hold other things too.
 */
function shownFor(path: string, search: ProgramSearch): string | undefined {
  if (isOfSystem(path, search.places) || isWithinSkill(path, search)) {
    return undefined;
  }
  const dir = dirname(path);
  const home = search.home === undefined ? undefined : realOf(search.home);
  if (dir === "/" || (home !== undefined && isWithin(home, dir))) return path;
  if (basename(dir) !== "bin") return dir;
  const above = dirname(dir);
  const from = home !== undefined && isWithin(above, home) ? home : "/";
  const levels = above.slice(from.length).split("/").filter((part) => part);
  return levels.length >= 2 ? above : dir;
}

function realOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

function missing(command: string, why: string): Result<never> {
  return refuse(
    "NOT_FOUND",
    `its program ${visible(command)} cannot be started: ${why}`,
    "Install it where this server's PATH leads, or have the skill declare its absolute path.",
  );
}
