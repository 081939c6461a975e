/** The account that scripts run as when the server is root, and what it can use. */

import { dirname } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Account } from "./types.ts";

/** The uid and gid that nobody owns files by (`/proc/sys/kernel/overflowuid`). */
export const DEFAULT_UID = 65_534;

/** Which account scripts run as. */
export interface AccountChoice {
  /** Undefined: the server's own. */
  readonly account: Account | undefined;
  /** In words: what is out of the ordinary about it. */
  readonly note: string | undefined;
}

/** What the choice is made from. */
export interface AccountOptions {
  /** `SKILLFENCE_UID`: 1 or more. */
  readonly configured: number | undefined;
  /** `Deno.uid()`; null where accounts have no numbers. */
  readonly selfUid: number | null;
  /** Why programs cannot be run as that account; undefined when they can. */
  readonly obstacle?: (account: Account) => Promise<string | undefined>;
}

/** What an account may want of a file or directory. */
export type Want = "read" | "write" | "execute";

/** What of a file says who may use it. */
export type Access = Pick<
  Deno.FileInfo,
  "mode" | "uid" | "gid" | "isDirectory"
>;

/** Bits of linux/capability.h that it takes to start, end and tidy up after another account. */
const NEEDED_CAPABILITIES = {
  CAP_CHOWN: 0,
  CAP_DAC_OVERRIDE: 1,
  CAP_FOWNER: 3,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
} as const;

const TRIAL_TIMEOUT_MS = 5_000;

const READ = 4;
const WRITE = 2;
const PASS = 1;
const STICKY = 0o1000;

const NEEDED: Readonly<Record<Want, { directory: number; file: number }>> = {
  read: { directory: READ | PASS, file: READ },
  write: { directory: READ | WRITE | PASS, file: READ | WRITE },
  execute: { directory: PASS, file: READ | PASS },
};

/**
 * Chooses the account. Root has one of its own for scripts; where root cannot
 * change accounts that is noted, and refused with `FENCE_UNAVAILABLE` when
 * `SKILLFENCE_UID` asked for it. Starts one program as a trial.
 */
export async function accountFor(
  { configured, selfUid, obstacle = obstacleTo }: AccountOptions,
): Promise<Result<AccountChoice>> {
  if (selfUid !== 0) {
    const idle = configured !== undefined && configured !== selfUid;
    return ok({
      account: undefined,
      note: idle
        ? "SKILLFENCE_UID has no effect: only a server that runs as root can run scripts as another account"
        : undefined,
    });
  }
  const uid = configured ?? DEFAULT_UID;
  const account = { uid, gid: uid };
  const reason = await obstacle(account);
  if (reason === undefined) return ok({ account, note: undefined });
  if (configured === undefined) {
    const note =
      `scripts run as root: this server may not change its account (${reason})`;
    return ok({ account: undefined, note });
  }
  return refuse(
    "FENCE_UNAVAILABLE",
    `scripts cannot run as uid ${uid}, which SKILLFENCE_UID asks for: ${reason}`,
    "Give the server those rights, start it as an ordinary user, or leave SKILLFENCE_UID out.",
  );
}

/** `uid 65534, as which scripts run`: how messages name an account. */
export function scriptsUid({ uid }: Account): string {
  return `uid ${uid}, as which scripts run`;
}

/** Why this process cannot run programs as that account; undefined when it can. */
async function obstacleTo(account: Account): Promise<string | undefined> {
  const missing = missingCapabilities();
  if (missing.length > 0) return `it lacks ${missing.join(", ")}`;
  try {
    // An empty input for the shell that every run starts through. In a user
    // namespace a number may be unknown whatever the capabilities.
    const { success } = await new Deno.Command("/bin/sh", {
      ...account,
      cwd: "/",
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
    }).output();
    return success ? undefined : "a program started so did not end well";
  } catch (error) {
    return `no program can be started so (${errorName(error)})`;
  }
}

/** None where the system does not tell: the trial decides then. */
function missingCapabilities(): string[] {
  let effective: bigint;
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)![1]}`);
  } catch {
    return [];
  }
  return Object.entries(NEEDED_CAPABILITIES)
    .filter(([, bit]) => (effective >> BigInt(bit) & 1n) === 0n)
    .map(([name]) => name);
}

/**
 * The first directory on the way to `path` (absolute and real) that the account
 * cannot go through, or `path` itself when it cannot be used as wanted;
 * undefined when nothing stands in the way. What is not there does not. To
 * `read` a directory means to list it and go through it, to `execute` it to go
 * through; a program that is executed is read as well. Mode bits decide, as in
 * path_resolution(7); of groups the account has its gid alone.
 */
export function unreachable(
  path: string,
  account: Account,
  want: Want,
): string | undefined {
  for (const at of wayTo(path)) {
    try {
      const info = Deno.lstatSync(at);
      if (!allows(info, account, at === path ? want : "execute")) return at;
    } catch (error) {
      return error instanceof Deno.errors.NotFound ? undefined : at;
    }
  }
  return undefined;
}

/**
 * The first file or directory on the way to `path` (absolute, real, existing)
 * by which the account could change or replace what lies there; undefined when
 * there is none.
 */
export function changeable(path: string, account: Account): string | undefined {
  return wayTo(path).find((at) => {
    const info = Deno.lstatSync(at);
    // An owner may give itself what it lacks.
    if (info.uid === account.uid) return true;
    const sticky = info.isDirectory && ((info.mode ?? 0) & STICKY) !== 0;
    return !sticky && (rights(info, account) & WRITE) !== 0;
  });
}

/** Whether mode bits let the account do it; true where there are none. */
export function allows(info: Access, account: Account, want: Want): boolean {
  if (info.mode === null) return true;
  const { directory, file } = NEEDED[want];
  const needed = info.isDirectory ? directory : file;
  return (rights(info, account) & needed) === needed;
}

/** The three bits of the one class that counts for the account. */
function rights({ mode, uid, gid }: Access, account: Account): number {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return (mode ?? 0) >> shift & 7;
}

/** Every directory above a path, from the top, and the path itself. */
function wayTo(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [...wayTo(above), path];
}
