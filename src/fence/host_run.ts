/** Running a program of the host: pure, bounded, and nothing of it stays. */

import { lchownSync } from "node:fs";
import { join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import {
  nativeCrossing,
  nativeLaunch,
  nativeSandbox,
  type NativeView,
  PASSWD_FILE,
  passwdLine,
} from "../os/native.ts";
import { seccompFilter } from "../os/seccomp.ts";
import type { Clock } from "./clock.ts";
import type { Scratch, ScratchKeeper } from "./disk/scratch.ts";
import type { PreparedHost } from "./host_plan.ts";
import { processLimits } from "./plan/run_limits.ts";
import { swappedSince } from "./preflight/checked_dir.ts";
import type { RunQueue } from "./queue.ts";
import { notSetUp, type Spawned, type Spawner } from "./run/spawn.ts";
import { StorageWatch } from "./run/storage_watch.ts";

/** What such a run works with. */
export interface HostRunDeps {
  readonly queue: RunQueue;
  readonly keeper: ScratchKeeper;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly onLayerFailed: () => void;
}

/** Bytes kept at the start of each stream, and as many at its end. */
const KEPT = 2 * 51_200;
const SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";
const ENV = "/usr/bin/env";

/**
 * Runs it to its end, when its turn has come. A refusal means that nothing was
 * started.
 */
export async function runHost(
  prepared: PreparedHost,
  deps: HostRunDeps,
  signal: AbortSignal,
): Promise<Result<Spawned>> {
  const turn = await deps.queue.enter(signal);
  if (!turn.ok) return turn;
  try {
    const made = await deps.keeper.makeScratch([], prepared.account);
    if (!made.ok) return made;
    try {
      return await started(prepared, made.value, deps, signal);
    } finally {
      await deps.keeper.remove(made.value.base);
    }
  } finally {
    turn.value();
  }
}

async function started(
  prepared: PreparedHost,
  scratch: Scratch,
  { spawner, clock, onLayerFailed }: HostRunDeps,
  signal: AbortSignal,
): Promise<Result<Spawned>> {
  const { layer, account, limits } = prepared;
  const view = viewOf(prepared, scratch);
  const crossing = nativeCrossing(view, prepared.places);
  if (crossing !== undefined) {
    return refuse("PREFLIGHT", crossing, "Keep TMPDIR apart from it.");
  }
  const filter = join(scratch.base, "filter.bpf");
  try {
    layOut(filter, scratch, prepared);
  } catch (error) {
    return refuse(
      "SPAWN_FAILED",
      `the run's files could not be laid out: ${errorName(error)}`,
      "Check the space in TMPDIR.",
    );
  }
  const swapped = swappedSince(prepared.checked);
  if (swapped !== undefined) return swapped;
  const { by } = layer;
  // The launcher's own variable is none of the program's.
  const command = by === "landlock"
    ? [ENV, "-u", "DENO_DIR", ...prepared.command]
    : prepared.command;
  const [path = "", ...args] = by === "bwrap"
    ? [...nativeSandbox(layer, prepared.places, view), ...command]
    : nativeLaunch(layer, prepared.places, { view, account, command });
  const watch = new StorageWatch({
    storage: by === "bwrap"
      ? {
        dirs: [],
        inside: [{ path: view.home, sizeMiB: view.homeMiB }],
        status: scratch.status,
        audit: scratch.audit,
      }
      : { dirs: [scratch.scratch], audit: scratch.audit },
    limits,
    clock,
  });
  const ended = await spawner.run({
    path,
    args,
    cwd: scratch.base,
    env: environment(prepared, scratch),
    stdin: new Uint8Array(0),
    timeoutMs: prepared.timeoutMs,
    outputBytes: KEPT,
    limits: processLimits(limits),
    status: scratch.status,
    ...(by === "bwrap" ? { filter } : {}),
    // The launcher takes it on by itself.
    ...(account === undefined || by === "landlock" ? {} : { account }),
    signal,
    over: watch.signal,
    onStart: (pid) => watch.start(pid),
  });
  await watch.end();
  if (!ended.ok) return ended;
  const failed = notSetUp(ended.value);
  if (failed === undefined) return ok(ended.value);
  onLayerFailed();
  return failed;
}

function viewOf(
  { readable, cwd, limits }: PreparedHost,
  { base, scratch }: Scratch,
): NativeView {
  return {
    readable,
    executable: [],
    writable: [],
    run: base,
    home: scratch,
    homeMiB: limits.diskMiB,
    cwd: cwd ?? scratch,
    network: "none",
    processes: limits.processes,
    procfs: false,
  };
}

function layOut(
  filter: string,
  { base, scratch }: Scratch,
  { account }: PreparedHost,
): void {
  const fresh = { createNew: true, mode: 0o444 };
  Deno.writeFileSync(
    filter,
    seccompFilter({
      arch: Deno.build.arch,
      ip: false,
      unix: false,
      processes: true,
    }),
    fresh,
  );
  const passwd = join(base, PASSWD_FILE);
  Deno.writeTextFileSync(passwd, passwdLine(account, scratch), fresh);
  if (account !== undefined) lchownSync(passwd, account.uid, account.gid);
}

/**
 * All of it. A repository's own settings can name programs; what git would
 * start by itself is switched off, and all else stays within the same fence. A
 * repository of another account is meant here (`safe.directory`).
 */
function environment(
  { cwd }: PreparedHost,
  { scratch }: Scratch,
): Record<string, string> {
  const settings: readonly (readonly [string, string])[] = [
    ["core.fsmonitor", "false"],
    ["core.pager", "cat"],
    ["core.hooksPath", "/dev/null"],
    ...cwd === undefined ? [] : [["safe.directory", cwd]] as const,
  ];
  return {
    PATH: SEARCH_PATH,
    HOME: scratch,
    TMPDIR: scratch,
    LANG: "C.UTF-8",
    TERM: "dumb",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ])),
  };
}
