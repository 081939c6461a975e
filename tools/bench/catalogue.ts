/** How the live catalogue grows with the skills it holds, and with their bytes. */

import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { residentMiB } from "./memory.ts";
import { ms, type Row, row } from "./row.ts";
import { growFiles, makeSkills } from "./skill_trees.ts";
import { StdioClient } from "./stdio_client.ts";
import { inTurns, median, timed } from "./timing.ts";

const FILES = 10;
const SMALL_TREE = "one_thousand_by_ten";
const LARGE_TREE = "ten_thousand_by_ten";
/** Bytes of a large file: 100 KB. */
const LARGE = 100 * 1024;

/** Start to the first page of `skills/list`, and a rescan after one edit. */
export async function measureCatalogue(bench: Bench): Promise<Row[]> {
  await makeSkills(join(bench.trees, LARGE_TREE), 10_000, FILES);
  await makeSkills(join(bench.trees, SMALL_TREE), 1_000, FILES);
  const first = (tree: string) => () => timeToFirstPage(bench, tree);
  const times = await inTurns(3, {
    thousand: first(SMALL_TREE),
    ten: first(LARGE_TREE),
  });
  return [
    row(
      `10,000 skills x ${FILES} files: start to the first page of skills/list (${
        ms(times.ten)
      }) / 1,000 skills (${ms(times.thousand)})`,
      times.ten / times.thousand,
      13,
    ),
    await measureRescan(bench),
    await measureMemory(bench),
  ];
}

async function timeToFirstPage(bench: Bench, tree: string): Promise<number> {
  const start = performance.now();
  await using client = await StdioClient.start(bench.server(tree));
  await client.ask("skills/list");
  return performance.now() - start;
}

/**
 * One SKILL.md is edited, and the time until the client hears of it is taken,
 * less the window in which events are gathered; against a scan at a start.
 */
async function measureRescan(bench: Bench): Promise<Row> {
  const scan = await scanTime(bench);
  await using client = await StdioClient.start(bench.server(LARGE_TREE));
  // Everything is scanned and watched when a reload says that nothing moved.
  await client.call("skill_list", { reload: true });
  await client.call("skill_list", { reload: true });
  const path = join(bench.trees, LARGE_TREE, "skill-05000", "SKILL.md");
  const text = await Deno.readTextFile(path);
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const heard = client.notified("notifications/resources/list_changed");
    const time = await timed(async () => {
      await Deno.writeTextFile(path, `${text}\nEdit ${n}.\n`);
      await heard;
    });
    times.push(time - QUIET_MS);
  }
  const rescan = median(times);
  return row(
    `10,000 skills: edit to its notice, less the quiet window (${
      ms(rescan)
    }) / a full scan (${ms(scan)})`,
    rescan / scan,
    0.15,
  );
}

/** What `src/watch/` waits for more events before a rescan. */
const QUIET_MS = 500;

/** Start to the first answer that needs the scan, less a start without one. */
async function scanTime(bench: Bench): Promise<number> {
  const times = await inTurns(3, {
    empty: () => timeToFirstPage(bench, "run"),
    full: () => timeToFirstPage(bench, LARGE_TREE),
  });
  return times.full - times.empty;
}

/** All pages of `skills/list`: every file is read for its digest. */
async function measureMemory(bench: Bench): Promise<Row> {
  const small = await memoryAfterListing(bench);
  await growFiles(join(bench.trees, SMALL_TREE), LARGE);
  const large = await memoryAfterListing(bench);
  return row(
    `memory after listing 1,000 skills x ${FILES} files of 100 KB (${
      large.toFixed(0)
    } MiB) / of 1 KB (${small.toFixed(0)} MiB)`,
    large / small,
    1.1,
  );
}

async function memoryAfterListing(bench: Bench): Promise<number> {
  await using client = await StdioClient.start(bench.server(SMALL_TREE));
  for (let cursor: unknown = undefined;;) {
    const page = await client.ask(
      "skills/list",
      cursor === undefined ? {} : { cursor },
    );
    cursor = page["nextCursor"];
    if (cursor === undefined) break;
  }
  return await residentMiB(client.pid);
}
