/**
 * Allowed or denied, worked out as the runtime does: deny wins, and what
 * nothing allows is denied.
 */

import { resolve, sep } from "node:path";
import type { Kind } from "./permission_record.ts";
import { covers, type Destination } from "./destinations.ts";
import type { AccessRules, EvidenceEntry } from "./types.ts";

/** How something came out. */
export type Verdict = EvidenceEntry["verdict"];

/** How the runtime writes the directory of temporary files. */
const TEMPORARY = "<TMP>";

/**
 * Reads the rules off a run's literal flags, with its directories filled in.
 * They end where the module stands: what follows is the caller's text.
 */
export function rulesFromFlags(
  flags: readonly string[],
  places: Pick<AccessRules, "skillDir" | "scratch">,
): AccessRules {
  const end = flags.findIndex((each, i) => i > 0 && !each.startsWith("-"));
  const own = flags.slice(0, end < 0 ? undefined : end);
  const items = (flag: string) =>
    own.filter((each) => each.startsWith(`${flag}=`))
      .flatMap((each) => each.slice(flag.length + 1).split(","));
  return {
    skillDir: places.skillDir,
    scratch: places.scratch,
    read: items("--allow-read"),
    denyRead: items("--deny-read"),
    write: items("--allow-write"),
    denyWrite: items("--deny-write"),
    env: items("--allow-env"),
    sys: items("--allow-sys"),
    net: items("--allow-net"),
    denyNet: items("--deny-net"),
  };
}

/** A path of the record as an absolute one. */
export function absolutePath(
  path: string,
  { scratch }: Pick<AccessRules, "scratch">,
  cwd: string,
): string {
  return path === TEMPORARY ? scratch : resolve(cwd, path);
}

/** Whether `path` is `dir` or lies below it. Both absolute and normal. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir ||
    path.startsWith(dir.endsWith(sep) ? dir : `${dir}${sep}`);
}

/** For an absolute path. */
export function pathVerdict(
  kind: "read" | "write",
  path: string,
  rules: AccessRules,
): Verdict {
  const [allow, deny] = kind === "read"
    ? [rules.read, rules.denyRead]
    : [rules.write, rules.denyWrite];
  const within = (dir: string) => isWithin(path, dir);
  return allow.some(within) && !deny.some(within) ? "allowed" : "denied";
}

/** For a host and port. */
export function netVerdict(
  destination: Destination,
  { net, denyNet }: Pick<AccessRules, "net" | "denyNet">,
): Verdict {
  const covered = (item: string) => covers(item, destination);
  return net.some(covered) && !denyNet.some(covered) ? "allowed" : "denied";
}

/**
 * For a name of the other kinds; undefined stands for all of a kind at once,
 * which of the variables gives those that may be read.
 */
export function nameVerdict(
  kind: Exclude<Kind, "read" | "write" | "net">,
  name: string | undefined,
  { env, sys }: Pick<AccessRules, "env" | "sys">,
): Verdict {
  if (kind === "env") {
    return name === undefined || env.includes(name) ? "allowed" : "denied";
  }
  if (kind === "sys" && name !== undefined && sys.includes(name)) {
    return "allowed";
  }
  // No script starts programs, loads native code or imports from the network.
  return "denied";
}
