/** What a run costs by layer of the fence. */

import { join } from "node:path";
import { bareChild, type PlanCommand } from "./bare_child.ts";
import { type Bench, nodeRun } from "./bench.ts";
import { ms, type Row, row, skipped } from "./row.ts";
import { StdioClient } from "./stdio_client.ts";
import { inTurns, timed } from "./timing.ts";

/** One way to be confined, and the most that its runs may take. */
interface Mode {
  readonly words: string;
  /** Value of `SKILLFENCE_OS_FENCE`. */
  readonly fence: string;
  /** Over `node empty.js`, and over the same child without us. */
  readonly overNode?: number;
  readonly overBare?: number;
}

const MODES: readonly Mode[] = [
  { words: "bubblewrap", fence: "bwrap", overNode: 1, overBare: 1.4 },
  { words: "bubblewrap, in a worker", fence: "bwrap+worker" },
  { words: "Landlock, in a worker", fence: "landlock" },
  { words: "layer 2 alone", fence: "off", overNode: 2.5, overBare: 1.15 },
];

const CALL = { name: "empty", script: "empty.js" };

/** A server in one mode, warm. */
interface Warm {
  readonly mode: Mode;
  readonly client: StdioClient;
  readonly plan: PlanCommand;
  readonly run: () => Promise<void>;
}

/** `skill_run` of an empty script in each mode that works here. */
export async function measureLayers(bench: Bench): Promise<Row[]> {
  await using servers = new AsyncDisposableStack();
  const warm: Warm[] = [];
  const rows: Row[] = [];
  for (const mode of MODES) {
    const started = await start(bench, mode, servers);
    if (typeof started !== "string") warm.push(started);
    else rows.push(skipped(`skill_run, ${mode.words}`, started));
  }
  const runtime = await unpackedRuntime(bench.cacheDir);
  const empty = join(bench.trees, "run/empty/empty.js");
  const times = await inTurns(15, {
    node: () => nodeRun(bench.path, [empty]),
    ...Object.fromEntries(warm.flatMap(({ mode: { fence }, plan, run }) => [
      [`run ${fence}`, () => timed(run)],
      [`bare ${fence}`, () => bareChild({ runtime, plan })],
    ])),
  });
  const time = (name: string) => (times as Record<string, number>)[name]!;
  for (const { mode: { words, fence, overNode, overBare } } of warm) {
    const [run, bare] = [time(`run ${fence}`), time(`bare ${fence}`)];
    const what = `skill_run, ${words} (${ms(run)})`;
    rows.push(
      row(
        `${what} / node empty.js (${ms(times.node)})`,
        run / times.node,
        overNode,
      ),
      row(`${what} / the same child bare (${ms(bare)})`, run / bare, overBare),
    );
  }
  return rows;
}

/** A server that has run the script once, or in words why it cannot. */
async function start(
  bench: Bench,
  mode: Mode,
  servers: AsyncDisposableStack,
): Promise<Warm | string> {
  const client = servers.use(
    await StdioClient.start(
      bench.server("run", { SKILLFENCE_OS_FENCE: mode.fence }),
    ),
  );
  const { structuredContent: answer } = await client.call(
    "skill_preview",
    CALL,
  );
  if (answer?.["code"] === "FENCE_UNAVAILABLE") {
    return String(answer["message"]);
  }
  const plan = answer?.["plan"] as PlanCommand | undefined;
  if (plan === undefined) throw new Error(JSON.stringify(answer));
  const run = async () => {
    const { structuredContent: ended } = await client.call("skill_run", {
      ...CALL,
      confirm: true,
    });
    if (ended?.["exitCode"] !== 0) throw new Error(JSON.stringify(ended));
  };
  await run();
  return { mode, client, plan, run };
}

/** Where the servers unpacked the runtime that they carry. */
export async function unpackedRuntime(cacheDir: string): Promise<string> {
  for await (const { name, isFile } of Deno.readDir(cacheDir)) {
    if (isFile && /^deno-[0-9a-f]+$/.test(name)) return join(cacheDir, name);
  }
  throw new Error("no server unpacked its runtime");
}
