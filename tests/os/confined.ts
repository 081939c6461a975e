/** Scripts run under the Landlock launcher, as each account that can be had. */

import { join } from "node:path";
import { unreachable } from "../../src/os/account.ts";
import { landlockCommand, ownLauncher } from "../../src/os/landlock.ts";
import { linkedWith } from "../../src/os/libraries.ts";
import { readStatus } from "../../src/os/wrapper.ts";
import type { Account, LandlockLayer, View } from "../../src/os/types.ts";
import { makeTree, type Tree } from "../support/tree.ts";

/**
 * How a script comes to its account: the launcher of a root server takes it
 * on, or everything runs as an ordinary user, or as whoever runs the tests.
 */
export type Who = "account" | "user" | "self";

/** Those that can be had here. */
export const EVERYONE: readonly Who[] = Deno.uid() === 0
  ? ["account", "user"]
  : ["self"];

const SOMEONE: Account = { uid: 6001, gid: 6001 };
const REPOSITORY = join(import.meta.dirname!, "..", "..");
/** What the launcher's modules are among. */
const SOURCES = ["src/os", "src/base"];

/** How a command ended. */
export interface Outcome {
  readonly code: number;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly started: boolean;
  /** The status file as it is. */
  readonly status: string;
}

/** What of a run may differ. */
export interface Differences {
  readonly view?: Partial<View>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** A laid-out run, whose commands are started as `who`. */
export interface Scene extends AsyncDisposable {
  readonly tree: Tree;
  readonly view: View;
  readonly layer: LandlockLayer;
  /** What the launcher takes on; undefined for ordinary users. */
  readonly account: Account | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Makes a path the account's own. */
  own(path: string): Promise<void>;
  /** Starts any command as the account that everything runs as. */
  start(command: readonly string[], more?: Differences): Deno.ChildProcess;
  /** Runs a command to its end. */
  end(command: readonly string[], more?: Differences): Promise<Outcome>;
  /** Runs a script with all permissions, under Landlock and without it. */
  confined(script: string, more?: Differences): Promise<Outcome>;
  bare(script: string, more?: Differences): Promise<Outcome>;
  /** The command of `confined`. */
  command(script: string, more?: Differences): Promise<string[]>;
}

/** What each attempt of a script came to: `ok`, or an error's code or name. */
export type Said = Readonly<Record<string, string>>;

/** A script that makes attempts, from their names to code, and tells of them. */
export function attempts(codes: Readonly<Record<string, string>>): string {
  const lines = Object.entries(codes).map(([name, code]) =>
    `await attempt(${JSON.stringify(name)}, async () => { ${code} });`
  );
  return `
    const said = {};
    async function attempt(name, action) {
      try {
        await action();
        said[name] = "ok";
      } catch (error) {
        said[name] = error.code ?? error.name;
      }
    }
    ${lines.join("\n")}
    console.log(JSON.stringify(said));`;
}

/** What such a script told. */
export function said({ stdout, stderr }: Outcome): Said {
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Lays everything out, as the fence does for a run. */
export async function makeScene(who: Who): Promise<Scene> {
  const tree = await makeTree({
    skill: { dir: true },
    data: { dir: true },
    cache: { dir: true },
    "run/scratch/in": { dir: true },
    "run/scratch/out": { dir: true },
    "run/denodir": { dir: true },
    "run/proxy": { dir: true },
    "run/audit.jsonl": "",
    "run/status": "",
    outside: "from outside",
  });
  await Deno.chmod(tree.root, 0o755);
  const owner = who === "self" ? undefined : SOMEONE;
  const runtime = await reachable(tree, owner);
  const view: View = {
    runtime,
    skillDir: tree.path("skill"),
    readable: [],
    writable: [tree.path("data")],
    run: tree.path("run"),
    scratch: tree.path("run", "scratch"),
    denodir: tree.path("run", "denodir"),
    network: "none",
    cwd: tree.path("skill"),
    scratchMiB: 8,
    processes: 64,
  };
  const layer: LandlockLayer = {
    by: "landlock",
    abi: 7,
    launcher: await launcherIn(tree, runtime),
    libraries: (await linkedWith(runtime)).libraries,
  };
  const own = async (path: string): Promise<void> => {
    if (owner !== undefined) await Deno.chown(path, owner.uid, owner.gid);
  };
  const owned = ["data", "run/scratch", "run/scratch/in", "run/scratch/out"];
  for (
    const path of [
      ...owned,
      ...["run/denodir", "run/proxy", "run/audit.jsonl", "run/status"],
      ...who === "user" ? ["cache"] : [],
    ]
  ) await own(tree.path(path));
  const scene: Scene = {
    tree,
    view,
    layer,
    account: who === "account" ? owner : undefined,
    own,
    env: {
      HOME: view.scratch,
      TMPDIR: view.scratch,
      DENO_DIR: view.denodir,
      DENO_AUDIT_PERMISSIONS: tree.path("run", "audit.jsonl"),
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    },
    start([path, ...args], more = {}) {
      return new Deno.Command(path!, {
        args,
        cwd: "/",
        clearEnv: true,
        env: { ...scene.env, ...more.env },
        stdin: more.stdin === undefined ? "null" : "piped",
        stdout: "piped",
        stderr: "piped",
        ...(who === "user" ? SOMEONE : {}),
      }).spawn();
    },
    async end(command, more = {}) {
      const child = scene.start(command, more);
      if (more.stdin !== undefined) {
        await new Response(more.stdin).body!.pipeTo(child.stdin);
      }
      const { code, signal, stdout, stderr } = await child.output();
      const decoder = new TextDecoder();
      const status = tree.path("run", "status");
      return {
        code,
        signal,
        stdout: decoder.decode(stdout),
        stderr: decoder.decode(stderr),
        started: readStatus(status).started,
        status: await Deno.readTextFile(status),
      };
    },
    async command(script, more = {}) {
      await tree.write({ "skill/script.mjs": script });
      return [
        ...landlockCommand(layer, { ...view, ...more.view }, scene.account),
        ...["run", "-A", "--no-config", "--no-prompt", "--quiet"],
        tree.path("skill", "script.mjs"),
        ...more.args ?? [],
      ];
    },
    async confined(script, more) {
      return await scene.end(await scene.command(script, more), more);
    },
    async bare(script, more = {}) {
      const command = await scene.command(script, more);
      const outcome = await scene.end(
        command.slice(command.indexOf("--") + 1),
        more,
      );
      return outcome;
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
  return scene;
}

/** The runtime itself, or the same file where the account can get at it. */
async function reachable(
  tree: Tree,
  owner: Account | undefined,
): Promise<string> {
  const runtime = await Deno.realPath(Deno.execPath());
  if (owner === undefined) return runtime;
  if (unreachable(runtime, owner, "execute") === undefined) return runtime;
  await Deno.link(runtime, tree.path("deno")).catch(() =>
    Deno.copyFile(runtime, tree.path("deno"))
  );
  return tree.path("deno");
}

/** The launcher's source, where any account can read it. */
async function launcherIn(tree: Tree, runtime: string): Promise<string[]> {
  const program = tree.path("program");
  for (const folder of SOURCES) {
    await Deno.mkdir(join(program, folder), { recursive: true });
    for await (const { name } of Deno.readDir(join(REPOSITORY, folder))) {
      const file = join(folder, name);
      await Deno.copyFile(join(REPOSITORY, file), join(program, file));
    }
  }
  for (const file of ["main.ts", "deno.json"]) {
    await Deno.copyFile(join(REPOSITORY, file), join(program, file));
  }
  const [main, deno] = [join(REPOSITORY, "main.ts"), Deno.execPath()];
  return ownLauncher(tree.path("cache")).map((item) =>
    item === main ? join(program, "main.ts") : item === deno ? runtime : item
  );
}
