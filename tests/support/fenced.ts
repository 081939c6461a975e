/** The whole product but its server, for tests that look at what a run did. */

import { readConfig } from "../../src/config/read_config.ts";
import type { Result } from "../../src/base/refusal.ts";
import type { PreparedRun, RunResult } from "../../src/fence/types.ts";
import { createEngine, type FullEngine } from "../../src/server/engine.ts";

/** How the fence is set up. */
export interface FenceOptions {
  /** Absolute root of skills. */
  readonly root: string;
  readonly dataDir?: string;
  /** Rows of `MCP_SKILL_RUN`; none leaves the grant unset. */
  readonly grant?: readonly unknown[];
  /** Further variables of the server's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a run did, as text. */
export interface Ran {
  readonly result: RunResult;
  readonly stdout: string;
  readonly stderr: string;
}

/** An engine over one root, closed when it goes out of scope. */
export interface Fence extends Disposable {
  readonly engine: FullEngine;
  prepare(script: string, call?: Call): Promise<Result<PreparedRun>>;
  /** Plans and runs; a refusal of either is an error. */
  run(script: string, call?: Call): Promise<Ran>;
}

/** The parts of a call that a test may care about. */
export interface Call {
  readonly skill?: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Text of a captured stream that fits. */
export function captured(stream: RunResult["stdout"]): string {
  const decoder = new TextDecoder();
  return decoder.decode(stream.head) + decoder.decode(stream.tail);
}

/** Opens the fence over a root that holds the skill `hostile` unless said. */
export function openFence(options: FenceOptions): Fence {
  const { config, complaints } = readConfig({
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      SKILLS_DIR: options.root,
      ...(options.dataDir === undefined
        ? {}
        : { SKILLFENCE_DATA_DIR: options.dataDir }),
      ...(options.grant === undefined
        ? {}
        : { MCP_SKILL_RUN: JSON.stringify(options.grant) }),
      ...options.env,
    },
    flags: {},
    cwd: "/",
    bundledSkills: options.root,
  });
  if (complaints.length > 0) throw new Error(JSON.stringify(complaints));
  const engine = createEngine(config);
  const prepare: Fence["prepare"] = (script, call = {}) =>
    engine.planner.prepare({
      skill: call.skill ?? "hostile",
      script,
      args: call.args ?? [],
      stdin: call.stdin,
      files: Object.entries(call.files ?? {}).map(([name, text]) => ({
        name,
        bytes: new TextEncoder().encode(text),
      })),
    });
  return {
    engine,
    prepare,
    async run(script, call) {
      const prepared = await prepare(script, call);
      if (!prepared.ok) {
        throw new Error(`${prepared.code}: ${prepared.message}`);
      }
      const ran = await engine.runner.run(prepared.value, {});
      if (!ran.ok) throw new Error(`${ran.code}: ${ran.message}`);
      return {
        result: ran.value,
        stdout: captured(ran.value.stdout),
        stderr: captured(ran.value.stderr),
      };
    },
    [Symbol.dispose]() {
      engine.runner.closeSync();
    },
  };
}
