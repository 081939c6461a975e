/** One script in the sandbox of a real run, or in one that lacks a measure. */

import { join } from "node:path";
import { linkedWith } from "../../src/os/libraries.ts";
import { sandboxCommand } from "../../src/os/sandbox.ts";
import { seccompFilter } from "../../src/os/seccomp.ts";
import type { Status } from "../../src/os/status.ts";
import type { Account, BwrapLayer, View } from "../../src/os/types.ts";
import { readStatus, wrapCommand } from "../../src/os/wrapper.ts";
import { ACCOUNT, makeReachable } from "./reachable.ts";
import type { Entry, Tree } from "../support/tree.ts";

/** Stands before every script: `libc` by FFI, and `tell` for the outcome. */
const PRELUDE = `
const i = "i32", n = "i64";
const { symbols: libc } = Deno.dlopen("libc.so.6", {
  socket: { parameters: [i, i, i], result: i },
  keyctl: { name: "syscall", parameters: [n, n, n, n], result: n },
  pread: { parameters: [i, "buffer", "usize", n], result: n },
  getrlimit: { parameters: [i, "buffer"], result: i },
});
const KEYCTL = Deno.build.arch === "x86_64" ? 250n : 219n;
const code = (action) => { try { action(); return "done"; } catch (e) { return e.code ?? e.name; } };
const tell = (value) => Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(value)));
`;

/** How a script ended. */
export interface Ended {
  readonly code: number;
  /** What it told, parsed; undefined when it told nothing. */
  readonly told: unknown;
  readonly stderr: string;
  readonly status: Status;
}

/** What may differ from a run of ours. */
export interface Differences {
  /** Another view; the script lies in its skill. */
  readonly view?: Partial<View>;
  /** Changes bubblewrap's command line: a measure is left out. */
  readonly edit?: (command: string[]) => string[];
  readonly account?: Account | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** The child gets the whole environment of this process too. */
  readonly leaky?: boolean;
  /** A program that stands above the shell. */
  readonly above?: readonly string[];
  /** While it runs; `release` lets a script go on that reads its input. */
  readonly meanwhile?: (child: Deno.ChildProcess) => Promise<void>;
}

/** A place for scripts in sandboxes. */
export interface Scene extends AsyncDisposable {
  readonly tree: Tree;
  readonly view: View;
  readonly layer: BwrapLayer;
  /** The whole command line of a run of `script`. */
  command(script: string, differences?: Differences): Promise<string[]>;
  run(script: string, differences?: Differences): Promise<Ended>;
}

/** Lays out an empty skill and a data directory, and what lies beside them. */
export async function makeScene(
  entries: Record<string, Entry> = {},
): Promise<Scene> {
  const place = await makeReachable({
    skill: { dir: true },
    data: { dir: true },
    "run/scratch/in": { dir: true },
    "run/scratch/out": { dir: true },
    "run/denodir": { dir: true },
    "run/audit.jsonl": "",
    status: "",
    filter: seccompFilter({
      arch: Deno.build.arch,
      ip: true,
      processes: false,
    }),
    ...entries,
  });
  const { tree, runtime } = place;
  const run = tree.path("run");
  const view: View = {
    runtime,
    skillDir: tree.path("skill"),
    readable: [],
    writable: [tree.path("data")],
    run,
    scratch: join(run, "scratch"),
    denodir: join(run, "denodir"),
    network: "none",
    cwd: tree.path("skill"),
    scratchMiB: 16,
    processes: 64,
  };
  const prlimit = "/usr/bin/prlimit";
  const layer: BwrapLayer = {
    by: "bwrap",
    path: "/usr/bin/bwrap",
    version: "",
    disableUserns: true,
    libraries: (await linkedWith(runtime)).libraries,
    prlimit: {
      path: prlimit,
      libraries: (await linkedWith(prlimit)).libraries,
    },
    warnings: [],
  };
  const status = tree.path("status");
  const command: Scene["command"] = async (script, differences = {}) => {
    const { edit } = differences;
    const shown = { ...view, ...differences.view };
    const path = join(shown.skillDir, "script.mjs");
    await Deno.writeTextFile(path, PRELUDE + script);
    await handTo(accountOf(differences), [
      ...[view.scratch, join(view.scratch, "in"), join(view.scratch, "out")],
      ...[view.denodir, join(run, "audit.jsonl"), tree.path("data"), status],
    ]);
    const sandbox = sandboxCommand(layer, shown);
    return wrapCommand({
      filter: tree.path("filter"),
      status,
      limits: {},
      command: [
        ...edit?.(sandbox) ?? sandbox,
        ...["run", "-A", "--quiet", "--no-config", "--no-lock"],
        path,
      ],
    });
  };
  return {
    tree,
    view,
    layer,
    command,
    async run(script, differences = {}) {
      const { above = [], env = {}, meanwhile } = differences;
      const account = accountOf(differences);
      const [program = "", ...args] = [
        ...above,
        ...await command(script, differences),
      ];
      const child = new Deno.Command(program, {
        args,
        cwd: "/",
        clearEnv: differences.leaky !== true,
        env: {
          HOME: view.scratch,
          TMPDIR: view.scratch,
          DENO_DIR: view.denodir,
          DENO_NO_UPDATE_CHECK: "1",
          ...env,
        },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        ...account,
      }).spawn();
      const output = child.output();
      await meanwhile?.(child);
      await child.stdin.close().catch(() => {});
      const { code, stdout, stderr } = await output;
      const text = new TextDecoder().decode(stdout);
      return {
        code,
        told: text === "" ? undefined : JSON.parse(text),
        stderr: new TextDecoder().decode(stderr),
        status: readStatus(status),
      };
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

function accountOf(differences: Differences): Account | undefined {
  return "account" in differences ? differences.account : ACCOUNT;
}

async function handTo(
  account: Account | undefined,
  paths: readonly string[],
): Promise<void> {
  const { uid, gid } = account ?? { uid: Deno.uid(), gid: Deno.gid() };
  for (const path of paths) await Deno.chown(path, uid, gid);
}

/** Leaves an option with its values out of a command line. */
export function without(
  option: string,
  values: number,
): (command: string[]) => string[] {
  return (command) => command.toSpliced(command.indexOf(option), 1 + values);
}

/** Puts arguments before an option. */
export function before(
  option: string,
  ...added: readonly string[]
): (command: string[]) => string[] {
  return (command) => command.toSpliced(command.indexOf(option), 0, ...added);
}

/** Mounts a procfs of the sandbox's own in the place of our one link. */
export function withProc(command: string[]): string[] {
  const at = command.indexOf("/proc/self");
  return command.toSpliced(at - 1, 5, "--proc", "/proc");
}
