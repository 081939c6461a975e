/** Live with a catalogue and prompts that the test plays. */

import assert from "node:assert/strict";
import type { RescanOptions } from "../../src/catalog/catalog.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { Live } from "../../src/server/live.ts";
import { WalkedDirectories } from "../../src/watch/walked.ts";
import type { Watcher } from "../../src/watch/watcher.ts";
import type { Announcement } from "../../src/server/announce.ts";
import { openServer, runs, skillText } from "../support/server_calls.ts";
import { until } from "../support/until.ts";

const EMPTY: Snapshot = {
  roots: [],
  skills: new Map(),
  aliases: new Map(),
  problems: [],
  shared: new Map(),
};
const NO_PROMPTS = { prompts: new Map(), problems: [] };

/** A prompt file of this name and text. */
function prompts(name: string, body: string) {
  const stamp = { size: 1, modifiedMs: 1, changedMs: 1, ino: 1 };
  return {
    problems: [],
    prompts: new Map([[name, {
      name,
      title: undefined,
      description: undefined,
      body,
      realPath: `/${name}.md`,
      stamp,
      createdMs: null,
    }]]),
  };
}

function played() {
  const order: string[] = [];
  const rescans: (readonly string[] | undefined)[] = [];
  const errors: unknown[] = [];
  const told: Announcement[] = [];
  const state = {
    prompts: NO_PROMPTS as typeof NO_PROMPTS | ReturnType<typeof prompts>,
    /** Directories that the next `cover` says are new. */
    added: [] as string[][],
    fail: false,
    /** Waits until the first answers are out. */
    later: undefined as (() => void) | undefined,
    running: 0,
    most: 0,
  };
  let wake: (hints: readonly string[] | undefined) => void = () => {};
  const watcher = {
    start: () => order.push("armed"),
    relocate: () => {},
    cover: () => Promise.resolve(state.added.shift() ?? []),
    states: () => [],
    closeSync: () => order.push("closed"),
  };
  const live = new Live({
    catalog: {
      snapshot: () => {
        order.push("scan");
        return Promise.resolve(EMPTY);
      },
      rescan: async ({ hints }: RescanOptions = {}) => {
        state.running += 1;
        state.most = Math.max(state.most, state.running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        state.running -= 1;
        rescans.push(hints);
        if (state.fail) throw new Error("the scan failed");
        return EMPTY;
      },
    },
    prompts: {
      snapshot: () => Promise.resolve(state.prompts),
      rescan: () => Promise.resolve(state.prompts),
    },
    walked: new WalkedDirectories(),
    watcher: (onWake) => {
      wake = onWake;
      return watcher as unknown as Watcher;
    },
    later: (run) => {
      state.later = run;
      return () => state.later = undefined;
    },
    onError: (error) => errors.push(error),
  });
  live.onChange((_, announcement) => told.push(announcement));
  return {
    live,
    state,
    order,
    rescans,
    errors,
    told,
    wake: (hints?: readonly string[]) => wake(hints),
  };
}

Deno.test("Live arms the watchers before the first scan, which announces nothing", async () => {
  const it = played();
  it.state.prompts = prompts("p", "text");
  it.live.start();
  await it.live.ready();
  assert.deepEqual(it.order.slice(0, 2), ["armed", "scan"]);
  assert.deepEqual(it.told, []);
});

Deno.test("Live looks again at directories that were watched only after they were read", async () => {
  const it = played();
  it.state.added = [["/a", "/b"], ["/a/new"]];
  it.live.start();
  await it.live.ready();
  assert.deepEqual(it.rescans, [["/a", "/b"], ["/a/new"]]);
});

Deno.test("Live watches directories when the first answers are out, or when somebody looks before that", async () => {
  const it = played();
  it.state.added = [["/a"]];
  it.live.start();
  await until(() => it.state.later !== undefined);
  assert.deepEqual(it.state.added, [["/a"]]);
  it.state.later!();
  await until(() => it.rescans.length === 1);
  assert.deepEqual(it.rescans, [["/a"]]);

  const asked = played();
  asked.state.added = [["/a"]];
  asked.live.start();
  await asked.live.reload();
  await until(() => asked.rescans.length === 2);
  assert.deepEqual(asked.rescans, [undefined, ["/a"]]);

  const closed = played();
  closed.live.start();
  await until(() => closed.state.later !== undefined);
  closed.live.closeSync();
  assert.equal(closed.state.later, undefined);
});

Deno.test("Live makes one look of wakes that come together, and never two at once", async () => {
  const it = played();
  it.live.start();
  await it.live.ready();
  it.wake(["/a"]);
  it.wake(["/b"]);
  const reloads = [it.live.reload(), it.live.reload()];
  await Promise.all(reloads);
  await it.live.ready();
  assert.deepEqual(it.rescans, [["/a", "/b"], undefined, undefined]);
  assert.equal(it.state.most, 1);
  it.wake(["/a"]);
  it.wake(undefined);
  await it.live.ready();
  assert.equal(it.rescans.at(-1), undefined);
});

Deno.test("Live: a rescan that fails keeps what is served, announces nothing, and the next one goes on from there", async () => {
  const it = played();
  it.live.start();
  await it.live.ready();
  it.state.fail = true;
  it.state.prompts = prompts("p", "text");
  it.wake(undefined);
  await it.live.ready();
  assert.equal(it.errors.length, 1);
  assert.deepEqual(it.told, []);
  await assert.rejects(it.live.reload(), /the scan failed/);
  it.state.fail = false;
  assert.deepEqual((await it.live.reload()).prompts, ["p"]);
  assert.deepEqual(it.told, [{
    resourcesListChanged: true,
    promptsListChanged: true,
    updated: ["skillfence://prompts/p"],
  }]);
  assert.deepEqual((await it.live.reload()).prompts, []);
  assert.equal(it.told.length, 1);
});

Deno.test("Live that is closed wakes for nothing and tells nobody", async () => {
  const it = played();
  it.live.start();
  await it.live.ready();
  it.live.closeSync();
  it.wake(undefined);
  await it.live.ready();
  assert.deepEqual(it.rescans, []);
  assert.equal(it.order.at(-1), "closed");
});

Deno.test("Live: whoever holds a snapshot keeps it while a rescan makes another", async () => {
  const text = "---\nname: a\ndescription: d\n---\n";
  await using server = await openServer({
    files: { "a/SKILL.md": `${text}Old.\n` },
  });
  const { engine } = server;
  const held = await engine.catalog.snapshot();
  const skill = held.skills.get("a")!;
  await server.tree.write({ "root/a/SKILL.md": `${text}New.\n` });
  await engine.live.reload();
  await until(async () => (await engine.catalog.snapshot()) !== held);
  assert.match(skill.body, /Old/);
  assert.equal(held.skills.get("a"), skill);
  assert.match((await engine.catalog.snapshot()).skills.get("a")!.body, /New/);
});

Deno.test("skill_run: a run in progress keeps what it started with while a rescan finds its skill changed", async () => {
  const hold = `
import { existsSync } from "node:fs";
import process from "node:process";
console.log("holding");
while (!existsSync(process.cwd() + "/go")) {
  await new Promise((tick) => setTimeout(tick, 20));
}
console.log("old");
`;
  await using server = await openServer({
    files: {
      "hold/SKILL.md": skillText({ block: runs("hold.mjs") }),
      "hold/hold.mjs": hold,
    },
    env: { SKILLFENCE_CONFIRM: "argument" },
  });
  const running = Promise.withResolvers<void>();
  const run = server.call("skill_run", {
    name: "hold",
    script: "hold.mjs",
    confirm: true,
  }, {
    onProgress: (_, message) => {
      if (message.startsWith("running")) running.resolve();
    },
  });
  await Promise.race([running.promise, run]);
  await server.tree.write({ "root/hold/SKILL.md": "no skill any more" });
  const { changed } = await server.engine.live.reload();
  assert.deepEqual(changed.map(({ name }) => name), ["hold"]);
  await server.tree.write({ "root/hold/go": "" });
  const { structured } = await run;
  assert.equal(structured.status, "done");
  assert.match(structured.stdout, /old/);
});
