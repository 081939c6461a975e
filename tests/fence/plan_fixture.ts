/** Skills on disk with a planner over them, and bare children of their Plans. */

import { join } from "node:path";
import { ok, refuse } from "../../src/base/refusal.ts";
import type { Skill } from "../../src/catalog/types.ts";
import { readSkillDocument } from "../../src/skill/document.ts";
import { USUAL_CEILING } from "../../src/config/limits.ts";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import { fillIn } from "../../src/fence/run/fill_in.ts";
import { Planner, type PlannerDeps } from "../../src/fence/plan.ts";
import type { PreparedRun, RunCall } from "../../src/fence/types.ts";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

/** The runtime of these tests: the one that runs them. */
export const RUNTIME = {
  path: Deno.execPath(),
  version: Deno.version.deno,
  from: "running",
} as const;

/** How a planner is set up. */
export interface FixtureOptions {
  readonly files?: Record<string, Entry>;
  /** The `mcp-host` block, indented by two. */
  readonly block?: string;
  readonly grant?: unknown;
  readonly hosted?: boolean;
  readonly env?: Record<string, string>;
  readonly dataDir?: (tree: Tree) => string;
  readonly auditLog?: (tree: Tree) => string;
  readonly deps?: Partial<PlannerDeps>;
}

/** One skill, `root/demo`, in a tree. */
export interface Fixture extends AsyncDisposable {
  readonly tree: Tree;
  readonly dir: string;
  readonly planner: Planner;
  /** A planner over the same skill, otherwise set up. */
  again(options: FixtureOptions): Planner;
}

/** SKILL.md that declares what the block says. */
export function skillMd(block: string): string {
  return `---\nname: demo\ndescription: A test.\nmcp-host:\n  version: 1\n${block}\n---\nBody.\n`;
}

/** A block that declares one script. */
export function declares(script: string, more = ""): string {
  return `  run:\n    - script: ${script}\n      interpreter: deno\n${more}`;
}

export async function makeFixture(options: FixtureOptions): Promise<Fixture> {
  const block = options.block ?? declares("run.mjs");
  const tree = await makeTree({ "root/demo/SKILL.md": skillMd(block) });
  const dir = tree.path("root", "demo");
  for (const [path, entry] of Object.entries(options.files ?? {})) {
    await tree.write({
      [path.startsWith("../") ? path.slice(3) : `root/demo/${path}`]: entry,
    });
  }
  return {
    tree,
    dir,
    planner: plannerOver(tree, options),
    again: (others) => plannerOver(tree, { ...options, ...others }),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

function plannerOver(tree: Tree, options: FixtureOptions): Planner {
  const hosted = options.hosted ?? false;
  const text = options.grant === undefined
    ? undefined
    : JSON.stringify(options.grant);
  const env = options.env ?? {};
  return new Planner({
    config: {
      env: (name) => env[name] === "" ? undefined : env[name],
      dataDir: options.dataDir?.(tree),
      ceiling: USUAL_CEILING,
      redact: false,
      auditLog: options.auditLog?.(tree),
    },
    catalog: {
      find: (name) =>
        Promise.resolve(
          name === "demo" || name === "alias"
            ? ok(skillAt(tree.path("root", "demo")))
            : refuse("UNKNOWN_SKILL", `no skill "${name}"`, ""),
        ),
      snapshot: () =>
        Promise.resolve({
          roots: [{
            path: tree.path("root"),
            realPath: tree.path("root"),
            workspace: undefined,
          }],
        }),
    },
    grant: readGrant(text, hosted),
    runtime: () => Promise.resolve(ok(RUNTIME)),
    account: () => Promise.resolve(ok(undefined)),
    os: () => Promise.resolve({ wanted: "off", layer: undefined, off: [] }),
    hardLimits: () => Promise.resolve(NO_HARD_LIMITS),
    tmpDir: "/tmp",
    cacheDir: () => Promise.resolve(ok(tree.path("cache"))),
    resolve: () => Promise.resolve([]),
    ...options.deps,
  });
}

const NO_STAMP = { size: 0, modifiedMs: null, changedMs: null, ino: null };

/** The skill in a directory as the catalog would serve it; files are not listed. */
export function skillAt(dir: string): Skill {
  const skillFile = join(dir, "SKILL.md");
  const document = readSkillDocument(Deno.readFileSync(skillFile));
  const files = [...Deno.readDirSync(dir)].filter((entry) => entry.isFile)
    .map(({ name }) => ({ path: name, ...NO_STAMP }));
  return {
    name: "demo",
    rootIndex: 0,
    dir,
    skillFile,
    skillStamp: NO_STAMP,
    createdMs: null,
    description: document.description,
    whenToUse: undefined,
    frontmatter: document.frontmatter,
    declaration: document.declaration,
    instructionsOnly: document.frontmatter === undefined,
    body: document.body,
    truncated: false,
    files,
    bytes: 0,
    references: [],
    leftOut: undefined,
    activation: { kind: "catalogue" },
    hidden: undefined,
    flat: false,
    workspace: undefined,
  };
}

/** A call of the fixture's script. */
export function callOf(more: Partial<RunCall> = {}): RunCall {
  return {
    skill: "demo",
    script: "run.mjs",
    args: [],
    stdin: undefined,
    files: [],
    ...more,
  };
}

/** Prepares a call that must be accepted. */
export async function prepare(
  planner: Planner,
  more: Partial<RunCall> = {},
): Promise<PreparedRun> {
  const result = await planner.prepare(callOf(more));
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

/** What a child left. */
export interface ChildResult {
  readonly code: number;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a Plan's command line in a fresh scratch directory, nothing around it. */
export async function runBare(
  prepared: PreparedRun,
  options: { stdin?: string; prefix?: readonly string[] } = {},
): Promise<ChildResult> {
  await using scratch = await makeTree({
    "scratch/in": { dir: true },
    "scratch/out": { dir: true },
    "denodir": { dir: true },
  });
  const at = {
    base: scratch.root,
    scratch: scratch.path("scratch"),
    denodir: scratch.path("denodir"),
  };
  const { plan, values, runtimePath } = prepared;
  const command = [
    ...(options.prefix ?? []),
    runtimePath,
    ...fillIn(plan.flags, plan.argv.length, at),
  ];
  const child = new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd: plan.cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      ...values,
      HOME: at.scratch,
      TMPDIR: at.scratch,
      SKILL_OUT: scratch.path("scratch", "out"),
      DENO_DIR: at.denodir,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const fed = writer.write(new TextEncoder().encode(options.stdin ?? ""))
    .then(() => writer.close()).catch(() => {});
  const { code, signal, stdout, stderr } = await child.output();
  await fed;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, signal, out: text(stdout), err: text(stderr) };
}
