/** What the launcher is told, as plain repeated arguments. Pure. */

import { posix } from "node:path";
import type { Account, Network } from "./types.ts";
import type { RIGHTS } from "./landlock_abi.ts";

/** The hidden first argument of our own program that makes it the launcher. */
export const CONFINE = "__confine";

/** A path and what is allowed there. */
export interface PathRule {
  readonly right: keyof typeof RIGHTS;
  /** Absolute and real. */
  readonly path: string;
}

/** A process to confine. */
export interface LaunchSpec {
  /** To become; undefined: stay. */
  readonly account: Account | undefined;
  /** Where the outcome is written; never reachable for the command. */
  readonly status: string;
  readonly cwd: string;
  readonly network: Network;
  /** False: no unix sockets, whatever the network; else as that needs them. */
  readonly unix?: false;
  /** Variables, `NAME=VALUE`, that are other than the launcher's own. */
  readonly set: readonly string[];
  readonly rules: readonly PathRule[];
  /** The system's own files: read where they are, links followed. */
  readonly system: readonly string[];
  /** Starts with the absolute path of a program. */
  readonly command: readonly string[];
}

/** Options that take a path; the first two stand once, the last are rules. */
const ONCE = ["--status", "--cwd"] as const;
const SYSTEM = "--system";
const NO_UNIX = "--no-unix";
const RULES = ["--exec", "--ro", "--wo", "--rw"] as const;
const RIGHT_OF = {
  "--exec": "exec",
  "--ro": "ro",
  "--wo": "wo",
  "--rw": "rw",
} as const;
const NETWORKS: readonly Network[] = ["none", "proxy", "open"];
/** uid_t without its last value, which means none (credentials(7)). */
const MOST_ID = 0xfffffffe;

/** The arguments that `parseLaunch` reads as this. */
export function launchArgs(spec: LaunchSpec): string[] {
  const { account } = spec;
  return [
    ...account === undefined
      ? []
      : ["--account", `${account.uid}:${account.gid}`],
    ...["--status", spec.status, "--cwd", spec.cwd],
    ...["--network", spec.network],
    ...spec.unix === false ? [NO_UNIX] : [],
    ...spec.set.flatMap((variable) => ["--set", variable]),
    ...spec.rules.flatMap(({ right, path }) => [`--${right}`, path]),
    ...spec.system.flatMap((path) => ["--system", path]),
    "--",
    ...spec.command,
  ];
}

/**
 * Reads the launcher's arguments; a text says what is wrong with them, in words
 * without any of them. Nothing is guessed: unknown options, repeated ones,
 * paths that are not absolute or not in their shortest form are wrong.
 */
export function parseLaunch(args: readonly string[]): LaunchSpec | string {
  const end = args.indexOf("--");
  const command = args.slice(end + 1);
  if (end < 0 || command[0] === undefined) return "there is no command";
  if (!isPlain(command[0])) return "the command is no plain absolute path";
  const paths = new Map<string, string[]>(
    [...ONCE, SYSTEM, ...RULES].map((option) => [option, []]),
  );
  const set: string[] = [];
  let account: Account | undefined;
  let network: Network | undefined;
  let unix: false | undefined;
  for (let at = 0; at < end; at++) {
    const option = args[at]!;
    const list = paths.get(option);
    if (option === "--network" && network === undefined) {
      const word = args[++at];
      network = NETWORKS.find((one) => one === word);
      if (network === undefined) return "--network is none, proxy or open";
    } else if (option === NO_UNIX && unix === undefined) {
      unix = false;
    } else if (option === "--account" && account === undefined) {
      account = accountIn(args[++at]!);
      if (account === undefined) return "--account is no UID:GID";
    } else if (option === "--set") {
      const variable = args[++at]!;
      if (!/^[A-Z_]+=./s.test(variable)) return "--set is no NAME=VALUE";
      set.push(variable);
    } else if (list !== undefined) {
      const path = ++at < end ? args[at]! : "";
      if (!isPlain(path)) return `${option} has no plain absolute path`;
      list.push(path);
    } else return "there is an unknown option, or one that stands twice";
  }
  if (network === undefined) return "--network must stand once";
  const listed = (option: string): string[] => paths.get(option) ?? [];
  for (const option of ONCE) {
    if (listed(option).length !== 1) return `${option} must stand once`;
  }
  return {
    account,
    status: listed("--status")[0]!,
    cwd: listed("--cwd")[0]!,
    network,
    ...(unix === undefined ? {} : { unix }),
    set,
    rules: RULES.flatMap((option) =>
      listed(option).map((path) => ({ right: RIGHT_OF[option], path }))
    ),
    system: listed(SYSTEM),
    command,
  };
}

/** Neither root nor nobody's number: an account to run a stranger's script as. */
function accountIn(text: string): Account | undefined {
  const [, uid, gid] = /^([1-9]\d{0,9}):([1-9]\d{0,9})$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) return undefined;
  const account = { uid: Number(uid), gid: Number(gid) };
  return Math.max(account.uid, account.gid) <= MOST_ID ? account : undefined;
}

/** Absolute and in its shortest form. */
function isPlain(path: string): boolean {
  return posix.isAbsolute(path) && posix.resolve(path) === path &&
    !path.includes("\0");
}
