/** The ways in which the fence can stand, as kinds.md names them. */

import type { PreparedRun } from "../../../src/fence/types.ts";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { type Need, needs } from "../../support/kernel.ts";
import { openFence } from "../../support/fenced.ts";
import type { Attack } from "./attack.ts";

/** A column of kinds.md. */
export type Mode =
  /** The permission flags and the worker: no layer of the operating system. */
  | "flags"
  /** bubblewrap with the script as the main module, and the flags. */
  | "bwrap"
  /** bubblewrap, the flags and the worker. */
  | "bwrap+worker"
  /** Landlock, the flags and the worker. */
  | "landlock"
  /** bubblewrap around `deno run -A`. */
  | "bwrap alone"
  /** Landlock around `deno run -A`. */
  | "landlock alone";

interface ModeFacts {
  /** `SKILLFENCE_OS_FENCE`. */
  readonly fence: string;
  readonly needs: readonly Need[];
  /** The flags are taken away. */
  readonly alone: boolean;
}

const FACTS: Readonly<Record<Mode, ModeFacts>> = {
  "flags": { fence: "off", needs: [], alone: false },
  "bwrap": { fence: "bwrap", needs: ["bwrap"], alone: false },
  "bwrap+worker": { fence: "bwrap+worker", needs: ["bwrap"], alone: false },
  "landlock": { fence: "landlock", needs: ["landlock"], alone: false },
  "bwrap alone": { fence: "bwrap", needs: ["bwrap"], alone: true },
  "landlock alone": { fence: "landlock", needs: ["landlock"], alone: true },
};

/** Every mode, in the order of the columns. */
export const MODES: readonly Mode[] = Object.keys(FACTS) as Mode[];

/** Whether the flags are taken away in this mode. */
export function isAlone(mode: Mode): boolean {
  return FACTS[mode].alone;
}

/** The server's environment that puts the fence up so. */
export function modeEnv(mode: Mode): Record<string, string> {
  return { SKILLFENCE_OS_FENCE: FACTS[mode].fence };
}

/** Flags of a script that no flag fences. */
export const BARE: readonly string[] = [
  "run",
  "-A",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--unstable-detect-cjs",
];

/**
 * The same run as the main module under `-A`: what is left is the layer of the
 * operating system, if there is one.
 */
export function withoutFlags(prepared: PreparedRun): PreparedRun {
  const { argv } = prepared.plan;
  return withFlags(prepared, [...BARE, scriptUrl(prepared), ...argv]);
}

/** The same run with the script where the program that starts a worker stands. */
export function withoutWorker(prepared: PreparedRun): PreparedRun {
  const { flags, argv } = prepared.plan;
  const before = flags.slice(0, flags.length - argv.length - 1);
  return withFlags(prepared, [...before, scriptUrl(prepared), ...argv]);
}

/** The skill is the working directory of its scripts. */
function scriptUrl({ plan }: PreparedRun): string {
  return pathToFileURL(join(plan.cwd, plan.script)).href;
}

function withFlags(prepared: PreparedRun, flags: string[]): PreparedRun {
  return { ...prepared, plan: { ...prepared.plan, flags } };
}

/** What this machine can try. */
export interface Here {
  readonly modes: readonly Mode[];
  /** Landlock's; undefined where it is not in force. */
  readonly abi: number | undefined;
  readonly root: boolean;
}

/** Landlock knows abstract sockets and signals since this ABI (Linux 6.12). */
const SCOPED_ABI = 6;

/**
 * Every mode, but for what `SKILLFENCE_TEST_WITHOUT` names and what only Linux
 * has. A mode that is missing otherwise makes the attacks fail in it.
 */
export function modesHere(): Mode[] {
  return MODES.filter((mode) =>
    FACTS[mode].needs.length === 0 || !needs(...FACTS[mode].needs).ignore
  );
}

/** Looks at this machine. */
export async function lookAround(): Promise<Here> {
  using fence = openFence({ root: "/", env: modeEnv("landlock") });
  const { layer } = await fence.engine.osState();
  return {
    modes: modesHere(),
    abi: layer?.by === "landlock" ? layer.abi : undefined,
    root: Deno.build.os === "linux" && Deno.uid() === 0,
  };
}

/** The modes in which an attack can be tried here. */
export function modesOf(attack: Attack, here: Here): Mode[] {
  if (attack.linux && Deno.build.os !== "linux") return [];
  if (attack.asRoot && !here.root) return [];
  return here.modes.filter((mode) =>
    attack.notIn?.includes(mode) !== true &&
    !(attack.scoped && mode === "landlock alone" &&
      here.abi !== undefined && here.abi < SCOPED_ABI)
  );
}

/**
 * Kinds that meet each layer in another way: the tests try the first attack of
 * each of these in every mode with flags.
 */
const TELLING: ReadonlySet<string> = new Set([
  ...["module-static", "module-require-esm", "file-read", "file-write"],
  ...["link-by-script", "swap-link", "proc-environ", "spawn", "signals"],
  ...["env-reserved", "secret-placeholder", "worker", "native-ffi"],
  ...["net-undeclared", "net-rebinding", "net-redirect", "net-shared"],
  ...["unix-socket", "abstract-socket", "listen", "run-proxy"],
  ...["run-proxy-smuggling", "kept-between-runs", "run-directory"],
]);

/**
 * The modes in which `deno test` tries an attack, so that it takes no minutes;
 * `first` is the first one of its kind. `deno task fence` tries them all.
 */
export function sampleOf(attack: Attack, here: Here, first: boolean): Mode[] {
  const wanted: readonly Mode[] = attack.kind.startsWith("native-")
    ? MODES
    : first && TELLING.has(attack.kind)
    ? MODES.filter((mode) => !isAlone(mode))
    // One of each realm.
    : ["flags", "bwrap"];
  return modesOf(attack, here).filter((mode) => wanted.includes(mode));
}
