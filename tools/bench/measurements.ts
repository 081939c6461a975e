/** What is measured: each function gives rows of the table. */

import { join } from "node:path";
import { warn } from "../say.ts";
import type { Bench } from "./bench.ts";
import { measureCatalogue } from "./catalogue.ts";
import { measureEvidence } from "./evidence.ts";
import { measureHooks } from "./hooks.ts";
import { measureHttp } from "./http.ts";
import { measureLayers } from "./layers.ts";
import { residentMiB } from "./memory.ts";
import { measureProxy } from "./proxy.ts";
import { holds, ms, type Row, row } from "./row.ts";
import { makeSkills } from "./skill_trees.ts";
import { type ServerCommand, StdioClient } from "./stdio_client.ts";
import { inTurns, median, timed } from "./timing.ts";
import { measureTriggers } from "./triggers.ts";

/** What hosted children get, in bytes. */
const DATA_LIMIT = 268435456;

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

async function measureMany(bench: Bench): Promise<Row[]> {
  await makeSkills(join(bench.trees, "thousand"), 1_000, 20);
  await makeSkills(join(bench.trees, "five_thousand"), 5_000, 20);
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
  const under = `under prlimit --data=${DATA_LIMIT}`;
  return [
    holds(`the server works ${under}`, serves),
    holds(`a run works ${under}`, runs),
  ];
}

/** Every measurement by its name, in the order of the table. */
export const MEASUREMENTS: Readonly<
  Record<string, (bench: Bench) => Promise<Row[]>>
> = {
  start: measureStart,
  list: measureWarmList,
  layers: measureLayers,
  evidence: measureEvidence,
  proxy: measureProxy,
  many: measureMany,
  catalogue: measureCatalogue,
  triggers: measureTriggers,
  hooks: measureHooks,
  http: measureHttp,
  limited: measureLimited,
};
