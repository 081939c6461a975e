/** What is measured: each function gives rows of the table. */

import { join } from "node:path";
import { warn } from "../say.ts";
import { bareChild, type PlanCommand } from "./bare_child.ts";
import { type ServerCommand, StdioClient } from "./stdio_client.ts";
import { inTurns, median, timed } from "./timing.ts";

/** What hosted children get, in bytes. */
const DATA_LIMIT = 268435456;

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly bar: string;
  readonly over: boolean;
}

/** What every measurement needs. */
export interface Bench {
  /** The server on the skills of one directory below `trees`. */
  readonly server: (tree: string) => ServerCommand;
  readonly trees: string;
  readonly cacheDir: string;
  /** A process that does nothing, for comparison. */
  readonly node: () => Promise<number>;
  readonly path: string;
}

/** `value` against the most it may be. */
function row(what: string, value: number, bar: number, unit = ""): Row {
  return {
    what,
    value: `${value.toFixed(2)}${unit}`,
    bar: `<= ${bar}${unit}`,
    over: value > bar,
  };
}

async function measureStart(bench: Bench): Promise<Row[]> {
  const times = await inTurns(15, {
    node: bench.node,
    start: () => timeToInitialize(bench.server("small")),
  });
  return [
    row(
      `start to initialize (${ms(times.start)}) / node -e 0 (${
        ms(times.node)
      })`,
      times.start / times.node,
      2.5,
    ),
  ];
}

async function timeToInitialize(server: ServerCommand): Promise<number> {
  const start = performance.now();
  await using _client = await StdioClient.start(server);
  return performance.now() - start;
}

async function measureWarmList(bench: Bench): Promise<Row[]> {
  await using client = await StdioClient.start(bench.server("small"));
  const times = await inTurns(30, {
    node: bench.node,
    list: () => timed(() => client.call("skill_list")),
  });
  const rss = await residentMiB(client.pid);
  return [
    row(
      `skill_list of 32 skills, warm (${ms(times.list)}) / node -e 0, in %`,
      100 * times.list / times.node,
      5,
      "%",
    ),
    row("memory of the server after start, MiB", rss, 90),
  ];
}

async function measureRun(bench: Bench): Promise<Row[]> {
  await using client = await StdioClient.start(bench.server("run"));
  const call = { name: "empty", script: "empty.js" };
  const preview = await client.call("skill_preview", call);
  const plan = preview.structuredContent?.["plan"] as PlanCommand | undefined;
  if (plan === undefined) throw new Error(JSON.stringify(preview));
  const run = async () => {
    const { structuredContent: ended } = await client.call("skill_run", {
      ...call,
      confirm: true,
    });
    if (ended?.["exitCode"] !== 0) throw new Error(JSON.stringify(ended));
  };
  await run();
  const runtime = await unpackedRuntime(bench.cacheDir);
  const empty = join(bench.trees, "run/empty/empty.js");
  const times = await inTurns(15, {
    node: () => nodeRun(bench.path, [empty]),
    bare: () => bareChild(runtime, plan),
    run: () => timed(run),
  });
  return [
    row(
      `skill_run of an empty script (${ms(times.run)}) / node empty.js (${
        ms(times.node)
      })`,
      times.run / times.node,
      2.5,
    ),
    row(
      `skill_run of an empty script / the same child bare (${ms(times.bare)})`,
      times.run / times.bare,
      1.15,
    ),
  ];
}

async function measureMany(bench: Bench): Promise<Row[]> {
  const first = (tree: string) => () => timeToFullList(bench.server(tree));
  const times = await inTurns(5, {
    node: bench.node,
    thousand: first("thousand"),
    five: first("five_thousand"),
  });
  await using client = await StdioClient.start(bench.server("thousand"));
  await client.call("skill_list", { query: "thing" });
  const queries: number[] = [];
  for (let i = 0; i < 15; i++) {
    const query = `thing number ${i * 60}`;
    queries.push(await timed(() => client.call("skill_list", { query })));
  }
  return [
    row(
      `1,000 skills x 20 files: start to the full skill_list (${
        ms(times.thousand)
      }) / node -e 0`,
      times.thousand / times.node,
      14,
    ),
    row(
      `1,000 skills: a warm query (${ms(median(queries))}) / node -e 0`,
      median(queries) / times.node,
      0.5,
    ),
    row(
      `5,000 skills (${ms(times.five)}) / 1,000 skills`,
      times.five / times.thousand,
      6,
    ),
  ];
}

async function timeToFullList(server: ServerCommand): Promise<number> {
  const start = performance.now();
  await using client = await StdioClient.start(server);
  let cursor: unknown = undefined;
  do {
    const answer = await client.call("skill_list", cursor ? { cursor } : {});
    if (answer.isError) throw new Error(JSON.stringify(answer));
    cursor = answer.structuredContent?.["nextCursor"];
  } while (cursor !== undefined);
  return performance.now() - start;
}

async function measureLimited(bench: Bench): Promise<Row[]> {
  const { command, args, env } = bench.server("run");
  const limited: ServerCommand = {
    command: "prlimit",
    args: [`--data=${DATA_LIMIT}`, command, ...args],
    env,
  };
  const attempt = async (work: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await work();
    } catch (error) {
      warn(`under the limit: ${error}`);
      return false;
    }
  };
  const serves = await attempt(async () => {
    await using client = await StdioClient.start(limited);
    return !(await client.call("skill_list")).isError;
  });
  const runs = await attempt(async () => {
    await using client = await StdioClient.start(limited);
    const { structuredContent } = await client.call("skill_run", {
      name: "empty",
      script: "empty.js",
      confirm: true,
    });
    return structuredContent?.["exitCode"] === 0;
  });
  const yes = (what: string, holds: boolean): Row => ({
    what: `${what} under prlimit --data=${DATA_LIMIT}`,
    value: holds ? "yes" : "no",
    bar: "yes",
    over: !holds,
  });
  return [yes("the server works", serves), yes("a run works", runs)];
}

/** Milliseconds of one node process from start to end. */
export async function nodeRun(path: string, args: string[]): Promise<number> {
  return await timed(() =>
    new Deno.Command("node", {
      args,
      cwd: "/",
      clearEnv: true,
      env: { PATH: path },
    })
      .output()
  );
}

/** Where the server unpacked the runtime that it carries. */
async function unpackedRuntime(cacheDir: string): Promise<string> {
  for await (const { name, isFile } of Deno.readDir(cacheDir)) {
    if (isFile && /^deno-[0-9a-f]+$/.test(name)) return join(cacheDir, name);
  }
  throw new Error("the server unpacked no runtime");
}

async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(status.match(/VmRSS:\s+(\d+) kB/)?.[1]) / 1024;
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`;
}

/** Every measurement, in the order of the table. */
export const MEASUREMENTS: readonly ((bench: Bench) => Promise<Row[]>)[] = [
  measureStart,
  measureWarmList,
  measureRun,
  measureMany,
  measureLimited,
];
