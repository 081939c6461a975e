/** Which bubblewrap is installed, and what it can do. */

import { visible } from "../base/text.ts";
import { causeOf, NOT_INSTALLED } from "./bwrap_causes.ts";
import { findProgram } from "./find_program.ts";
import type { OsOff } from "./types.ts";

/** A bubblewrap that is there. */
export interface BwrapProgram {
  /** Absolute real path. */
  readonly path: string;
  readonly version: string;
  readonly disableUserns: boolean;
  readonly warnings: readonly string[];
}

const TIMEOUT_MS = 5_000;
const SETUID = 0o4000;
/** Options that no run goes without, the youngest being of 0.7.0. */
const NEEDED: readonly string[] = [
  "--as-pid-1",
  "--cap-drop",
  "--json-status-fd",
  "--new-session",
  "--perms",
  "--seccomp",
  "--size",
];
/** The first version that follows no links on the way to a mount. */
const REPAIRED: readonly number[] = [0, 12, 0];

/**
 * Finds it and asks it for its version and options. `places` stand for the
 * fixed ones in tests.
 */
export async function bwrapProgram(
  searchPath: string | undefined,
  places?: readonly string[],
): Promise<BwrapProgram | OsOff> {
  const { path, distrusted } = await findProgram("bwrap", searchPath, places);
  if (path === undefined) {
    return distrusted === undefined ? NOT_INSTALLED : {
      cause: "not-trusted",
      message: `bubblewrap can be replaced by others (${visible(distrusted)})`,
      advice:
        "Install the distribution's package: the program and the directories above it must be root's.",
    };
  }
  const [version, help] = await Promise.all([
    ask(path, "--version"),
    ask(path, "--help"),
  ]);
  const number = /^bubblewrap (\d+\.\d+\.\d+)/.exec(version.stdout)?.[1];
  // It looks at its own rights first, whatever it is asked.
  const complaint = version.stderr || help.stderr;
  if (complaint !== "") {
    return causeOf(complaint, { root: Deno.uid() === 0, libraries: [] });
  }
  if (number === undefined) {
    return {
      cause: "no-version",
      message: `${visible(path)} does not tell its version`,
      advice: "Install the distribution's package of bubblewrap.",
    };
  }
  const missing = NEEDED.find((option) => !offers(help.stdout, option));
  if (missing !== undefined) return tooOld(number, missing);
  return {
    path,
    version: number,
    disableUserns: offers(help.stdout, "--disable-userns"),
    warnings: await warningsOf(path, number),
  };
}

function tooOld(version: string, option: string): OsOff {
  return {
    cause: "too-old",
    message: `bubblewrap ${version} has no ${option}`,
    advice: "Install bubblewrap 0.8.0 or later; 0.12.0 is advised.",
  };
}

async function warningsOf(path: string, version: string): Promise<string[]> {
  const { mode } = await Deno.stat(path);
  const parts = version.split(".").map(Number);
  const at = parts.findIndex((part, index) => part !== REPAIRED[index]);
  const early = at >= 0 && parts[at]! < REPAIRED[at]!;
  return [
    ...early
      ? [
        `bubblewrap ${version} follows links while it sets up (GHSA-pxhw-h44j-8pfx), unless the distribution repaired it; nothing is mounted where a skill could have put one, and 0.12.0 is advised`,
      ]
      : [],
    ...((mode ?? 0) & SETUID) !== 0
      ? ["bubblewrap is installed setuid root, which it does not need here"]
      : [],
  ];
}

interface Answer {
  readonly stdout: string;
  /** Empty unless it failed. */
  readonly stderr: string;
}

async function ask(path: string, option: string): Promise<Answer> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(path, {
      args: [option],
      stdin: "null",
      clearEnv: true,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).output();
    const decoder = new TextDecoder();
    return {
      stdout: decoder.decode(stdout),
      stderr: success ? "" : decoder.decode(stderr),
    };
  } catch (error) {
    return { stdout: "", stderr: `bwrap: ${String(error)}` };
  }
}

function offers(help: string, option: string): boolean {
  return help.split(/\s+/).includes(option);
}
