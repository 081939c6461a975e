/** Skills with declared servers, and the door to them, in a place of its own. */

import { join } from "node:path";
import type { Skill } from "../../src/catalog/types.ts";
import { hardLimits } from "../../src/fence/hard_limits.ts";
import type { Clock } from "../../src/fence/clock.ts";
import { readMcpGrant } from "../../src/grant/parse_mcp.ts";
import type { DoorDeps } from "../../src/upstream/door_deps.ts";
import { UpstreamDoor } from "../../src/upstream/upstreams.ts";
import { needs } from "../support/kernel.ts";
import { type Fence, openFence } from "../support/fenced.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

/** A way to hold a server's process, and what of a machine it takes. */
export interface Held {
  readonly mode: "bwrap" | "landlock" | "off";
  readonly row: Readonly<Record<string, unknown>>;
  need(): { ignore: boolean };
}

/** Strongest first; `off` starts only with `unfenced`. */
export const HELD: readonly Held[] = [
  {
    mode: "bwrap",
    row: {},
    need: () => needs("bwrap", "userns", "seccomp"),
  },
  { mode: "landlock", row: {}, need: () => needs("landlock", "seccomp") },
  { mode: "off", row: { unfenced: true }, need: () => needs() },
];

const SERVERS = join(import.meta.dirname!, "servers");

/** What a scene is made of. */
export interface SceneOptions {
  readonly mode?: Held["mode"];
  /** A file of `servers/`, which becomes the skill's server `it`. */
  readonly server?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Further entries of the tree. */
  readonly files?: Readonly<Record<string, Entry>>;
  /** The text of `.mcp.json`, instead of the usual. */
  readonly json?: unknown;
  /** Rights of the row; what is pinned comes from the server itself. */
  readonly row?: Readonly<Record<string, unknown>>;
  /** Variables of this server. */
  readonly own?: Readonly<Record<string, string>>;
  /** A directory of the tree that this server's PATH begins with. */
  readonly path?: string;
  readonly deps?: Partial<DoorDeps>;
  readonly clock?: Clock;
}

/** A door and what is behind it. Dispose of it. */
export interface Scene extends AsyncDisposable {
  readonly tree: Tree;
  readonly options: SceneOptions;
  /** The rest of the product over the same skills. */
  readonly fence: Fence;
  /** Without a row, or with the one of `grant()`. */
  door: UpstreamDoor;
  skill(name?: string): Promise<Skill>;
  /** Opens the door anew, with these rows. */
  grant(...rows: readonly unknown[]): UpstreamDoor;
  /** Pins the server, and opens the door anew with its row. */
  pin(change?: Readonly<Record<string, unknown>>): Promise<UpstreamDoor>;
  /** The text of the first block of an answer; a refusal is an error. */
  call(tool: string, args?: Record<string, unknown>): Promise<string>;
}

/** The program that runs a test's server: node where the system has it. */
export function runtimeCommand(file: string): {
  command: string;
  args: string[];
} {
  try {
    Deno.statSync("/usr/bin/node");
    return { command: "node", args: [file] };
  } catch {
    return {
      command: Deno.realPathSync(Deno.execPath()),
      args: ["run", "-A", "--no-config", "--no-lock", file],
    };
  }
}

/** Lays out a skill `it` with a declared server `it`. */
export async function makeUpstream(options: SceneOptions): Promise<Scene> {
  const { mode = "bwrap", server = "usual.mjs", args = [] } = options;
  const files: Record<string, Entry> = {};
  for (const entry of Deno.readDirSync(SERVERS)) {
    files[`root/it/${entry.name}`] = Deno.readTextFileSync(
      join(SERVERS, entry.name),
    );
  }
  const started = runtimeCommand(`\${SKILL_ROOT}/${server}`);
  const json = options.json ?? {
    mcpServers: {
      it: {
        command: started.command,
        args: [...started.args, ...args],
        env: options.env ?? {},
      },
    },
  };
  const tree = await makeTree({
    "root/it/SKILL.md": "---\ndescription: declares a server\n---\nText.\n",
    "root/it/.mcp.json": JSON.stringify(json),
    ...files,
    data: { dir: true },
    tmp: { dir: true },
    ...options.files,
  });
  // What is made in there is the scripts' account's too.
  await Deno.chmod(tree.path("data"), 0o711);
  await Deno.chmod(tree.path("tmp"), 0o711);
  const fence = openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
    env: {
      SKILLFENCE_OS_FENCE: mode,
      SKILLFENCE_CACHE_DIR: tree.path("cache"),
      ...options.path === undefined ? {} : {
        PATH: `${tree.path(options.path)}:${Deno.env.get("PATH") ?? ""}`,
      },
      ...options.own,
    },
  });
  const { engine } = fence;
  const open = (rows: readonly unknown[]): UpstreamDoor =>
    new UpstreamDoor({
      config: engine.config,
      grant: readMcpGrant(JSON.stringify(rows)),
      snapshot: () => engine.catalog.snapshot(),
      account: () => engine.account(),
      os: () => engine.osState(),
      onLayerFailed: () => {},
      hardLimits,
      cacheDir: async () => {
        const place = await engine.cache.get();
        return place.ok ? { ok: true, value: place.value.path } : place;
      },
      tmpDir: tree.path("tmp"),
      upstream: {},
      certificates: () => Promise.resolve([]),
      ourselves: [],
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...options.deps,
    });
  const scene: Scene = {
    tree,
    options,
    fence,
    door: open([]),
    skill: async (name = "it") => {
      const found = await engine.catalog.find(name);
      if (!found.ok) throw new Error(found.message);
      return found.value;
    },
    grant: (...rows) => scene.door = open(rows),
    pin: async (change = {}) => {
      const { row = {} } = options;
      const skill = await scene.skill();
      const rights = {
        env: [],
        net: false,
        unfenced: false,
        url: undefined,
        ...row,
      };
      const pinning = await scene.door.pinning(skill, "it", rights);
      if (!pinning.ok) throw new Error(`${pinning.code}: ${pinning.message}`);
      const pinned = await pinning.value.start(AbortSignal.timeout(30_000));
      if (!pinned.ok) throw new Error(`${pinned.code}: ${pinned.message}`);
      return scene.grant({ ...pinned.value.row, ...change });
    },
    call: async (tool, args = {}) => {
      const skill = await scene.skill();
      const plan = await scene.door.plan(skill, "it", tool, args);
      if (!plan.ok) throw new Error(`${plan.code}: ${plan.message}`);
      const answer = await scene.door.call(skill, plan.value, args);
      if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
      const [first] = answer.value.content as { text?: string }[];
      return first?.text ?? "";
    },
    async [Symbol.asyncDispose]() {
      await scene.door.close();
      fence[Symbol.dispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
  return scene;
}
