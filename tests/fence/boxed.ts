/** Scripts in a real sandbox, started as a run starts them. Linux only. */

import { join } from "node:path";
import { unreachable } from "../../src/os/account.ts";
import { linkedWith } from "../../src/os/libraries.ts";
import { sandboxCommand } from "../../src/os/sandbox.ts";
import { seccompFilter } from "../../src/os/seccomp.ts";
import type { Account, View } from "../../src/os/types.ts";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import {
  processLimits,
  type RunLimits,
  runLimits,
} from "../../src/fence/plan/run_limits.ts";
import type { SpawnRequest } from "../../src/fence/run/spawn.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

/** Who scripts run as in these tests. */
export const ACCOUNT: Account | undefined = Deno.uid() === 0
  ? { uid: 65534, gid: 65534 }
  : undefined;

/** A place for sandboxed runs. */
export interface Box extends AsyncDisposable {
  readonly tree: Tree;
  readonly view: View;
  /** The host's directories behind SKILL_OUT and the data directory. */
  readonly out: string;
  readonly data: string;
  readonly status: string;
  readonly audit: string;
  readonly limits: RunLimits;
  /** A script of the skill as a request. Bounds may be changed. */
  request(script: string, parts?: BoxedParts): SpawnRequest;
}

/** What may differ from a usual run. */
export type BoxedParts = Partial<SpawnRequest> & {
  /** Flags of the runtime beyond those of every run. */
  readonly flags?: readonly string[];
  readonly scriptArgs?: readonly string[];
};

/** Lays out a skill of these scripts, and everything around it. */
export async function makeBox(
  scripts: Record<string, Entry>,
  limits: Partial<RunLimits> = {},
): Promise<Box> {
  const tree = await makeTree({
    ...Object.fromEntries(
      Object.entries(scripts).map(([name, entry]) => [`skill/${name}`, entry]),
    ),
    skill: { dir: true },
    "run/audit.jsonl": "",
    "run/status": "",
    data: { dir: true },
    "run/scratch/in": { dir: true },
    "run/scratch/out": { dir: true },
    "run/denodir": { dir: true },
    filter: new Uint8Array(
      seccompFilter({ arch: Deno.build.arch, ip: false, processes: true }),
    ),
  });
  const run = tree.path("run");
  const scratch = join(run, "scratch");
  const usual = runLimits({
    limits: {
      memory: 512,
      cpu: 60,
      file: 100,
      procs: 64,
      open: 256,
      disk: 64,
      files: 5000,
    },
    realm: "main",
    layer: undefined,
    hardLimits: NO_HARD_LIMITS,
  }).plan;
  const bounds = { ...usual, ...limits };
  const runtime = await reachableRuntime(tree);
  const view: View = {
    runtime,
    skillDir: tree.path("skill"),
    readable: [],
    writable: [tree.path("data")],
    run,
    scratch,
    denodir: join(run, "denodir"),
    network: "none",
    cwd: tree.path("skill"),
    scratchMiB: bounds.diskMiB,
    processes: bounds.processes,
  };
  const status = join(run, "status");
  const audit = join(run, "audit.jsonl");
  if (ACCOUNT !== undefined) {
    const { uid, gid } = ACCOUNT;
    for (
      const path of [
        ...[scratch, join(scratch, "in"), join(scratch, "out")],
        ...[view.denodir, status, audit, tree.path("data")],
      ]
    ) await Deno.chown(path, uid, gid);
  }
  const prlimit = await Deno.realPath("/usr/bin/prlimit");
  const command = sandboxCommand({
    by: "bwrap",
    path: await Deno.realPath("/usr/bin/bwrap"),
    version: "",
    disableUserns: true,
    libraries: (await linkedWith(runtime)).libraries,
    prlimit: {
      path: prlimit,
      libraries: (await linkedWith(prlimit)).libraries,
    },
    warnings: [],
  }, view);
  return {
    tree,
    view,
    out: join(scratch, "out"),
    data: tree.path("data"),
    status,
    audit,
    limits: bounds,
    request: (script, { flags = [], scriptArgs = [], ...parts } = {}) => ({
      path: command[0]!,
      args: [
        ...command.slice(1),
        ...["run", "--quiet", "--no-prompt", "--no-config", "--no-remote"],
        ...["--no-npm", "--no-lock", "--cached-only", "--no-code-cache"],
        `--allow-read=${view.skillDir},${scratch},${tree.path("data")}`,
        `--allow-write=${scratch},${tree.path("data")}`,
        `--v8-flags=--max-old-space-size=${bounds.memoryMiB},--wasm-max-mem-pages=${
          bounds.memoryMiB * 16
        }`,
        ...flags,
        join(view.skillDir, script),
        ...scriptArgs,
      ],
      cwd: "/",
      env: {
        HOME: scratch,
        TMPDIR: scratch,
        DENO_DIR: view.denodir,
        DENO_AUDIT_PERMISSIONS: audit,
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      },
      stdin: new Uint8Array(0),
      timeoutMs: 20_000,
      outputBytes: 1024 * 1024,
      limits: processLimits(bounds),
      ...(ACCOUNT === undefined ? {} : { account: ACCOUNT }),
      filter: tree.path("filter"),
      status,
      ...parts,
    }),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

/** The runtime where the scripts' account can read it. */
async function reachableRuntime(tree: Tree): Promise<string> {
  const own = await Deno.realPath(Deno.execPath());
  if (
    ACCOUNT === undefined || unreachable(own, ACCOUNT, "read") === undefined
  ) {
    return own;
  }
  const copy = tree.path("deno");
  try {
    await Deno.link(own, copy);
  } catch {
    await Deno.copyFile(own, copy);
  }
  return copy;
}
