/** Showing on a runtime that the fence holds, by attacks that must fail. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostPattern } from "../skill/types.ts";
import { type Clock, systemClock } from "./clock.ts";
import { CountingListener } from "./runtime/counting_listener.ts";
import { hardLimits } from "./hard_limits.ts";
import { fillIn } from "./run/fill_in.ts";
import { buildFlags } from "./plan/flags.ts";
import { interpreterFor } from "./interpreters.ts";
import {
  CHECK_SCRIPT,
  GRAPH_SCRIPT,
  HIDDEN_NAME,
  REACHED,
  readReport,
} from "./runtime/probe_scripts.ts";
import { limitsFor, USUAL_CEILING } from "../config/limits.ts";
import { processLimits, runLimits } from "./plan/run_limits.ts";
import { type Scratch, ScratchKeeper } from "./disk/scratch.ts";
import { Spawner } from "./run/spawn.ts";

const TIMEOUT_MS = 20_000;
const OUTPUT_BYTES = 64 * 1024;

/**
 * Runs the attacks on the Deno at `path`, with the flags every script gets.
 * Returns the first thing that did not hold, in words without any path;
 * undefined when all held. Takes about half a second and reaches loopback only.
 */
export async function probeRuntime(
  path: string,
  tmpDir: string,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const keeper = new ScratchKeeper(tmpDir);
  try {
    const made = await keeper.makeDir();
    if (!made.ok) return made.message;
    const ground = new AttackGround(path, made.value, keeper, clock);
    await ground.lay();
    return await ground.attack();
  } finally {
    keeper.closeSync();
  }
}

/** A skill, something outside it, and listeners on loopback. */
class AttackGround {
  readonly #runtime: string;
  readonly #dir: string;
  readonly #keeper: ScratchKeeper;
  readonly #spawner: Spawner;

  constructor(
    runtime: string,
    dir: string,
    keeper: ScratchKeeper,
    clock: Clock,
  ) {
    this.#runtime = runtime;
    this.#dir = dir;
    this.#keeper = keeper;
    this.#spawner = new Spawner(clock);
  }

  async lay(): Promise<void> {
    const skill = join(this.#dir, "skill");
    await Deno.mkdir(skill);
    await Deno.mkdir(join(this.#dir, "outside"));
    await Deno.writeTextFile(join(skill, "graph.mjs"), GRAPH_SCRIPT);
    await Deno.writeTextFile(join(skill, "check.mjs"), CHECK_SCRIPT);
    await Deno.writeTextFile(join(skill, "inside.txt"), "inside");
    await Deno.writeTextFile(
      this.#outside(),
      `console.log(${JSON.stringify(REACHED)});\n`,
    );
  }

  async attack(): Promise<string | undefined> {
    using denied = new CountingListener();
    using open = new CountingListener();
    const [graph, fenced, control] = await Promise.all([
      this.#run("graph.mjs", [], undefined, []),
      this.#run("check.mjs", this.#args(denied), denied, []),
      this.#run("check.mjs", this.#args(open), open, ["127.0.0.1"]),
    ]);
    if (graph.includes(REACHED)) {
      return "a static import of a file outside is not denied";
    }
    const report = readReport(fenced);
    if (report === undefined || !report.inside || !report.shown) {
      return "a plain script does not work on it";
    }
    if (fenced.includes(REACHED) || report.required || report.read) {
      return "a file outside can be read at run time";
    }
    if (report.hidden) return "a variable that is not granted can be read";
    if (report.fetched || report.connected || denied.connections > 0) {
      return "a private address is reached by way of a granted name";
    }
    const controlled = readReport(control);
    if (!controlled?.fetched || open.connections === 0) {
      return "a granted address cannot be reached, so that denial proves nothing";
    }
    return undefined;
  }

  #outside(): string {
    return join(this.#dir, "outside", "secret.mjs");
  }

  #args(listener: CountingListener): string[] {
    return [pathToFileURL(this.#outside()).href, String(listener.port)];
  }

  /** Runs one script and returns what it wrote to stdout. */
  async #run(
    script: string,
    args: readonly string[],
    listener: CountingListener | undefined,
    openAddresses: readonly string[],
  ): Promise<string> {
    const interpreter = interpreterFor("node");
    const scratch = await this.#keeper.makeScratch([]);
    if (!interpreter.ok || !scratch.ok) return "";
    const limited = runLimits({
      limits: limitsFor({}, TIMEOUT_MS, USUAL_CEILING),
      realm: "worker",
      layer: undefined,
      hardLimits: await hardLimits(),
    });
    const skill = join(this.#dir, "skill");
    const flags = buildFlags({
      interpreter: interpreter.value,
      script: join(skill, script),
      manner: { by: "none", realm: "worker", network: "open" },
      skillDir: skill,
      dataDir: undefined,
      workspace: undefined,
      closed: [],
      hosts: listener === undefined ? [] : [localhost(listener.port)],
      openAddresses,
      closedPorts: [],
      readableEnv: ["TMPDIR"],
      v8Flags: limited.v8Flags,
      args,
    });
    const ended = await this.#spawner.run({
      path: this.#runtime,
      args: fillIn(flags, args.length, scratch.value),
      cwd: skill,
      env: environment(scratch.value),
      stdin: new Uint8Array(0),
      timeoutMs: TIMEOUT_MS,
      outputBytes: OUTPUT_BYTES,
      limits: processLimits(limited.plan),
    });
    return ended.ok ? new TextDecoder().decode(ended.value.stdout.head) : "";
  }
}

function localhost(port: number): HostPattern {
  return {
    text: `localhost:${port}`,
    kind: "name",
    host: "localhost",
    ports: [port],
  };
}

function environment(scratch: Scratch): Record<string, string> {
  return {
    HOME: scratch.scratch,
    TMPDIR: scratch.scratch,
    DENO_DIR: scratch.denodir,
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
    [HIDDEN_NAME]: "1",
  };
}
