/** A skill of our own that exists for one test of the fence. */

import { dirname, join } from "node:path";
import type { Config } from "../config/types.ts";
import { plainRoot } from "../config/directory.ts";
import type { RunResult } from "../fence/types.ts";
import type { Engine } from "../server/engine_types.ts";
import { refusalWords } from "./refused.ts";

/** What is laid out, and for whom. */
export interface ThrowawaySkill {
  readonly config: Config;
  /** Makes an engine for a configuration that serves only this skill. */
  readonly open: (config: Config) => Engine;
  readonly name: string;
  /** Scripts that may run. */
  readonly scripts: readonly string[];
  /** Text by path below the skill, `SKILL.md` among them. */
  readonly files: (
    base: string,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Ends a run early. */
  readonly signal?: AbortSignal;
}

/** The skill while it exists. */
export interface LaidOut {
  /** Absolute real directory for what lies outside; the skill is below it. */
  readonly base: string;
  readonly skillDir: string;
  /** How it ended, or in words why nothing ran. */
  run(script: string, args?: readonly string[]): Promise<RunResult | string>;
}

/**
 * Lays the skill out, hands it over and leaves nothing behind, also when `use`
 * throws. Rejects when it cannot be laid out.
 */
export async function withSkill<T>(
  skill: ThrowawaySkill,
  use: (at: LaidOut) => Promise<T>,
): Promise<T> {
  const { name, config } = skill;
  const base = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "skillfence-doctor-" }),
  );
  let engine: Engine | undefined;
  try {
    // Scripts of a root server run as another account, which has to get here.
    if (Deno.build.os !== "windows") await Deno.chmod(base, 0o755);
    const root = join(base, "root");
    const skillDir = join(root, name);
    for (const [path, text] of Object.entries(await skill.files(base))) {
      const at = join(skillDir, path);
      await Deno.mkdir(dirname(at), { recursive: true });
      await Deno.writeTextFile(at, text);
    }
    const opened = engine = skill.open({
      ...config,
      roots: [plainRoot(root)],
      // Bundled roots would be looked for inside the executable.
      rootsFrom: "--skills",
      grantText: JSON.stringify(
        skill.scripts.map((script) => ({ skill: name, script })),
      ),
      dataDir: undefined,
      auditLog: undefined,
    });
    return await use({
      base,
      skillDir,
      run: (script, args = []) => run(opened, skill, { script, args }),
    });
  } finally {
    engine?.runner.closeSync();
    await Deno.remove(base, { recursive: true });
  }
}

async function run(
  engine: Engine,
  { name, signal }: ThrowawaySkill,
  call: { readonly script: string; readonly args: readonly string[] },
): Promise<RunResult | string> {
  const prepared = await engine.planner.prepare({
    ...call,
    skill: name,
    stdin: undefined,
    files: [],
  });
  if (!prepared.ok) return refusalWords(prepared);
  const ended = await engine.runner.run(prepared.value, { signal });
  return ended.ok ? ended.value : refusalWords(ended);
}
