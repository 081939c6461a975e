/** Skills whose texts are rendered, over the real fence. */

import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import { createRenderer, type Renderer } from "../../src/context/render.ts";
import type { Skill } from "../../src/catalog/types.ts";
import type { Rendered } from "../../src/context/types.ts";
import { PureRuns } from "../../src/fence/pure_runs.ts";
import type { Planner } from "../../src/fence/plan.ts";
import { readRenderGrant } from "../../src/grant/parse_render.ts";
import type { Mode } from "../fence/b_layer_modes.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";
import { openFence } from "../support/fenced.ts";

/** How a scene is set up. */
export interface SceneOptions {
  readonly mode: Mode["mode"];
  /** Below the skill `demo`. */
  readonly files?: Readonly<Record<string, Entry>>;
  /** Below the workspace. */
  readonly workspace?: Readonly<Record<string, Entry>>;
  /** Rows of `MCP_SKILL_RENDER`, or commands of `demo`. */
  readonly rows?: readonly (readonly string[] | Record<string, unknown>)[];
  /** Rows of `MCP_SKILL_RUN`; unset when undefined. */
  readonly grant?: readonly unknown[];
  readonly env?: Readonly<Record<string, string>>;
  readonly documentMs?: number;
}

/** One skill, `demo`, and a workspace. */
export interface RenderScene extends AsyncDisposable {
  readonly tree: Tree;
  readonly renderer: Renderer;
  readonly workspace: string;
  readonly data: string;
  skill(): Promise<Skill>;
  render(text: string, signal?: AbortSignal): Promise<Rendered>;
  /** Commands of `demo` that are granted from now on. */
  grant(rows: NonNullable<SceneOptions["rows"]>): void;
}

const SKILL = "---\nname: demo\ndescription: A test.\n---\nBody.\n";

export async function makeRenderScene(
  options: SceneOptions,
): Promise<RenderScene> {
  const tree = await makeTree({
    "root/demo/SKILL.md": SKILL,
    work: { dir: true },
    data: { dir: true },
    cache: { dir: true },
    outside: "from outside",
  });
  for (const [path, entry] of Object.entries(options.files ?? {})) {
    await tree.write({ [`root/demo/${path}`]: entry });
  }
  for (const [path, entry] of Object.entries(options.workspace ?? {})) {
    await tree.write({ [`work/${path}`]: entry });
  }
  const workspace = tree.path("work");
  const fence = openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
    ...options.grant === undefined ? {} : { grant: options.grant },
    env: { SKILLFENCE_OS_FENCE: options.mode, ...options.env },
  });
  const { engine } = fence;
  const runs = new PureRuns({
    config: engine.config,
    planner: engine.planner as Planner,
    runtime: () => engine.runtime(),
    account: () => engine.account(),
    os: () => engine.osState(),
    hardLimits: () => Promise.resolve(NO_HARD_LIMITS),
    runner: {
      behindProxy: false,
      tmpDir: Deno.env.get("TMPDIR") ?? "/tmp",
      upstream: {},
      certificates: () => Promise.resolve([]),
      onLayerFailed: () => {},
    },
  });
  const { documentMs } = options;
  const rendererOver = (rows: NonNullable<SceneOptions["rows"]>) =>
    createRenderer({
      grant: readRenderGrant(
        JSON.stringify(
          rows.map((row) =>
            Array.isArray(row) ? { skill: "demo", command: row } : row
          ),
        ),
      ),
      workspaces: () => Promise.resolve([workspace]),
      runs,
      record: engine.record,
      ...documentMs === undefined ? {} : { documentMs },
    });
  let renderer = rendererOver(options.rows ?? []);
  const skill = async () => {
    const found = await engine.catalog.find("demo");
    if (!found.ok) throw new Error(found.message);
    return found.value;
  };
  return {
    tree,
    get renderer() {
      return renderer;
    },
    workspace,
    data: tree.path("data"),
    skill,
    grant: (rows) => {
      renderer = rendererOver(rows);
    },
    async render(text, signal = new AbortController().signal) {
      return await renderer.render({ skill: await skill(), text, signal });
    },
    async [Symbol.asyncDispose]() {
      runs.closeSync();
      fence[Symbol.dispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

/** Runs git as who tests, with nothing of their settings. */
export async function git(dir: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: ["-C", dir, ...args],
    clearEnv: true,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: dir,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
