/** A live test of the fence: what must be denied is denied, here and now. */

import { join } from "node:path";
import type { Config } from "../config/types.ts";
import type { RunResult } from "../fence/types.ts";
import type { Engine } from "../server/engine_types.ts";
import { FLAG_WORDS, KERNEL_WORDS } from "./attack_verdict.ts";
import { type ThrowawaySkill, withSkill } from "./throwaway_skill.ts";

/** One thing that was tried. */
export interface SelfTestRow {
  readonly what: string;
  /** Id of the hostile script that tried it; the probe of every test has none. */
  readonly attack?: string;
  /** `allowed` for a control. */
  readonly expected: "allowed" | "denied";
  readonly passed: boolean;
  /** In words: what happened. */
  readonly detail: string;
}

const SKILL = "self-test";
const SCRIPT = "scripts/probe.mjs";
const DOCUMENT = `---
description: Tries what must be denied.
mcp-host:
  version: 1
  run:
    - { script: ${SCRIPT}, interpreter: node, timeout: 30 }
---
`;

/** Prints one JSON line: for each attempt, what it got or the error. */
const PROBE = `
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
const [canary, port, own, folder] = process.argv.slice(2);
const trap = process.env.SKILL_OUT + "/trap.mjs";
const attempts = {
  realm: () => isMainThread ? "main" : "worker",
  own: () => readFileSync(own, "utf8"),
  read: () => readFileSync(canary, "utf8"),
  write: () => writeFileSync(folder + "/planted", "x"),
  // The way round the flags that only a worker closes: see docs/fence.md.
  import: () => {
    writeFileSync(trap, "export { default } from " +
      JSON.stringify(String(pathToFileURL(canary))) + " with { type: 'text' };");
    return createRequire(import.meta.url)(trap).default;
  },
  spawn: () => new Deno.Command(process.execPath, { args: ["--version"] }).outputSync().code,
  connect: async () => { (await Deno.connect({ hostname: "127.0.0.1", port: Number(port) })).close(); },
};
const said = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try { said[name] = "got: " + await attempt(); }
  catch (error) { said[name] = error?.name + ": " + error?.message; }
}
console.log(JSON.stringify(said));
`;

/** Attempts by their key in the probe's answer. */
const DENIED = [
  ["read", "read a file outside"],
  ["write", "write a file outside"],
  ["import", "import a file outside"],
  ["spawn", "start a program"],
  ["connect", "connect to loopback"],
] as const;

/**
 * Runs a throw-away skill through the whole product: catalogue, grant, Plan,
 * run. `open` makes an engine for a configuration that serves only that skill.
 * Nothing of it is left behind, also when `signal` ends it early. A machine on
 * which it cannot even be laid out (no temporary directory, a full disk) is a
 * failed row.
 */
export async function selfTest(
  config: Config,
  open: (config: Config) => Engine,
  signal?: AbortSignal,
): Promise<SelfTestRow[]> {
  try {
    return await tryAll({ config, open, signal });
  } catch (error) {
    return [notLaidOut(error)];
  }
}

/** The row of a test that could not begin. */
export function notLaidOut(error: unknown): SelfTestRow {
  const why = error instanceof Error ? error.message : String(error);
  return notRun(
    `it could not be laid out: ${why}. Check TMPDIR, the space there, and that loopback can be listened on.`,
  );
}

function notRun(detail: string): SelfTestRow {
  return { what: "run a script", expected: "allowed", passed: false, detail };
}

async function tryAll(
  given: Pick<ThrowawaySkill, "config" | "open" | "signal">,
): Promise<SelfTestRow[]> {
  const secret = crypto.randomUUID();
  return await withSkill({
    ...given,
    name: SKILL,
    scripts: [SCRIPT],
    files: () => Promise.resolve({ "SKILL.md": DOCUMENT, [SCRIPT]: PROBE }),
  }, async ({ base, skillDir, run }) => {
    const canary = join(base, "canary.txt");
    await Deno.writeTextFile(canary, secret);
    const folder = join(base, "open");
    await Deno.mkdir(folder);
    // Mode bits are not what is tested.
    if (Deno.build.os !== "windows") await Deno.chmod(folder, 0o777);
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const reached = watch(listener);
    const { port } = listener.addr as Deno.NetAddr;
    const own = join(skillDir, "SKILL.md");
    const ended = await run(SCRIPT, [canary, String(port), own, folder]);
    const said = typeof ended === "string" ? ended : answerOf(ended);
    return typeof said === "string" ? [notRun(said)] : [
      controlRow(said),
      ...DENIED.map(([key, what]) =>
        deniedRow(what, said[key], {
          secret,
          reached: key === "connect" && reached(),
          // Without a worker nothing but the skill is there to be imported.
          absent: key === "import" && said.realm === "got: main",
        })
      ),
    ];
  });
}

/** Counts connections, so that a reached host is seen from the other end. */
function watch(listener: Deno.TcpListener): () => boolean {
  let reached = false;
  (async () => {
    for await (const connection of listener) {
      reached = true;
      connection.close();
    }
  })().catch(() => {});
  return () => reached;
}

/** What the probe answered, or in words why there is no answer. */
function answerOf(
  { stdout, stderr, exitCode }: RunResult,
): Readonly<Record<string, string>> | string {
  try {
    return JSON.parse(new TextDecoder().decode(stdout.head));
  } catch {
    const words = new TextDecoder().decode(stderr.head).trim();
    return `the script ended with ${exitCode}: ${words}`;
  }
}

function controlRow(said: Readonly<Record<string, string>>): SelfTestRow {
  const passed = said.own === `got: ${DOCUMENT}`;
  return {
    what: "read a file of its own skill",
    expected: "allowed",
    passed,
    detail: passed ? "allowed" : said.own ?? "no answer",
  };
}

function deniedRow(
  what: string,
  said: string | undefined,
  effect: {
    readonly secret: string;
    readonly reached: boolean;
    readonly absent: boolean;
  },
): SelfTestRow {
  const denied = said !== undefined &&
    (FLAG_WORDS.test(said) || effect.absent && KERNEL_WORDS.test(said));
  const passed = denied && !effect.reached && !said.includes(effect.secret);
  return {
    what,
    expected: "denied",
    passed,
    detail: passed ? "denied" : `NOT DENIED: ${said ?? "no answer"}`,
  };
}
