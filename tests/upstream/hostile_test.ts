/** Servers that mean harm, behind each layer. */

import assert from "node:assert/strict";
import { systemClock } from "../../src/fence/clock.ts";
import type { UpstreamAnswer } from "../../src/upstream/types.ts";
import { until } from "../support/until.ts";
import { holding } from "./living.ts";
import { HELD, makeUpstream, type Scene } from "./scene.ts";

/** Real time that can be moved on. */
class MovedClock {
  moved = 0;
  readonly clock = {
    ...systemClock,
    now: () => systemClock.now() + this.moved,
  };
}

/** Calls a tool without a plan of the test's own. */
async function answer(
  scene: Scene,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<UpstreamAnswer> {
  const skill = await scene.skill();
  const plan = await scene.door.plan(skill, "it", tool, args);
  assert.ok(plan.ok, plan.ok ? "" : `${plan.code} ${plan.message}`);
  const called = await scene.door.call(skill, plan.value, args);
  assert.ok(called.ok, called.ok ? "" : `${called.code} ${called.message}`);
  return called.value;
}

function words({ content }: UpstreamAnswer): string {
  return (content as { text?: string }[]).map(({ text }) => text).join("\n");
}

/** Nothing started in this scene lives any more. */
async function gone(scene: Scene): Promise<void> {
  await until(() => holding(scene.tree.root).length === 0);
}

for (const { mode, row, need } of HELD) {
  const scene = (
    server: string,
    more: Partial<Parameters<typeof makeUpstream>[0]> = {},
  ) => makeUpstream({ mode, row, server, ...more });
  const test = (name: string, fn: () => Promise<void>) =>
    Deno.test({ name: `hostile server (${mode}): ${name}`, ...need(), fn });

  test("one whose tools go too deep is given up, and nothing of it stays", async () => {
    await using it = await scene("deep.mjs");
    const digest = (await it.door.declared(await it.skill()))[0]!.digest;
    const tools = `sha256:${"0".repeat(64)}`;
    it.grant({ skill: "it", server: "it", digest, tools, ...row });
    const skill = await it.skill();
    const listed = await it.door.tools(skill, "it");
    assert.ok(!listed.ok);
    assert.match(listed.message, /nested more than 200 levels deep/);
    const [state] = await it.door.states(skill);
    assert.equal(state?.state, "unavailable");
    await gone(it);
  });

  test("one that never answers is given up, and nothing of it stays", async () => {
    await using it = await scene("silent.mjs", { deps: { initializeMs: 500 } });
    const digest = (await it.door.declared(await it.skill()))[0]!.digest;
    const tools = `sha256:${"0".repeat(64)}`;
    it.grant({ skill: "it", server: "it", digest, tools, ...row });
    const skill = await it.skill();
    const listed = await it.door.tools(skill, "it");
    assert.ok(!listed.ok);
    assert.match(listed.message, /did not answer within 0\.5 s/);
    const [state] = await it.door.states(skill);
    assert.equal(state?.state, "unavailable");
    assert.match(state.why ?? "", /started again in 1 s/);
    await gone(it);
  });

  for (const what of ["notes", "garbage", "line", "requests", "stderr"]) {
    test(`a flood of ${what} ends it, and the call`, async () => {
      await using it = await scene("flood.mjs", { args: [what] });
      await it.pin();
      const said = await answer(it, "flood");
      assert.equal(said.isError, true);
      assert.match(
        words(said),
        what === "stderr"
          ? /it ended/
          : /wrote without end|not the protocol|longer than 4 MiB|asks for things/,
      );
      await gone(it);
    });
  }

  test("an answer of 100 MiB ends it, and is an error", async () => {
    await using it = await scene("flood.mjs", { args: ["notes"] });
    await it.pin();
    const said = await answer(it, "big");
    assert.equal(said.isError, true);
    assert.match(words(said), /a message is longer than 4 MiB/);
    await gone(it);
  });

  test("one that ends in 50 calls is held back longer and longer, and comes again", async () => {
    const time = new MovedClock();
    await using it = await scene("exiting.mjs", { clock: time.clock });
    await it.pin();
    const skill = await it.skill();
    const plan = await it.door.plan(skill, "it", "leave", {});
    assert.ok(plan.ok);
    const times = mode === "bwrap" ? 50 : 9;
    const pauses: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const said = await it.door.call(skill, plan.value, {});
      assert.ok(said.ok, said.ok ? "" : said.message);
      assert.equal(said.value.isError, true);
      // What it said last is shown, and moves no cursor.
      assert.match(words(said.value), /going\\u\{1b\}\[2J now/);
      const again = await it.door.call(skill, plan.value, {});
      assert.ok(!again.ok && again.code === "BUSY");
      pauses.push(Number(/again in (\d+) s/.exec(again.message)?.[1]));
      time.moved += 61_000;
    }
    assert.deepEqual(pauses.slice(0, 8), [1, 2, 4, 8, 16, 32, 60, 60]);
    assert.equal(pauses.at(-1), 60);
    // An answered call makes good for it.
    assert.equal(await it.call("stay"), "here");
    await it.door.call(skill, plan.value, {});
    const [state] = await it.door.states(skill);
    assert.match(state?.why ?? "", /again in 1 s/);
    await gone(it);
  });

  test("other tools at another start suspend it, and are named", async () => {
    await using it = await scene("changing.mjs", { args: ["start"] });
    await it.pin();
    const skill = await it.skill();
    const listed = await it.door.tools(skill, "it");
    assert.ok(!listed.ok);
    assert.equal(listed.code, "GRANT_STALE");
    assert.match(
      listed.message,
      /tools added: evil; tools removed: later; tools changed: safe$/,
    );
    await gone(it);
    const [state] = await it.door.states(skill);
    assert.equal(state?.state, "suspended");
    const plan = await it.door.plan(skill, "it", "evil", {});
    assert.ok(!plan.ok && plan.code === "GRANT_STALE");
  });

  test("other tools while it runs suspend it before the next call", async () => {
    await using it = await scene("changing.mjs");
    await it.pin();
    assert.equal(await it.call("safe"), "safe");
    assert.equal(await it.call("later"), "changed");
    await assert.rejects(() => it.call("evil"), /GRANT_STALE|NOT_FOUND/);
    await assert.rejects(() => it.call("safe"), /GRANT_STALE/);
    await gone(it);
  });

  test("two tools of one name are neither pinned nor taken for the pinned one", async () => {
    await using twice = await scene("changing.mjs", {
      args: ["twins-at-once"],
    });
    await assert.rejects(() => twice.pin(), /two tools of one name/);
    await using it = await scene("changing.mjs", { args: ["twins"] });
    await it.pin();
    const listed = await it.door.tools(await it.skill(), "it");
    assert.ok(!listed.ok && listed.code === "GRANT_STALE");
    assert.match(listed.message, /two tools of one name/);
    await gone(it);
  });

  test("what it asks of its client is declined", async () => {
    await using it = await scene("asking.mjs");
    await it.pin();
    const said = await it.call("ask");
    assert.equal(said, "refused -32601,refused -32601,refused -32601");
  });

  test("one that ignores signals and leaves processes leaves nothing", async () => {
    const mark = `left-behind-${crypto.randomUUID()}`;
    await using it = await scene("stubborn.mjs", { args: [mark] });
    await it.pin();
    const said = await it.call("fork");
    if (mode === "landlock") assert.doesNotMatch(said, /yes/);
    else {
      assert.equal(said, "yes,yes,yes");
      await until(() => holding(`: ${mark}`).length >= 3);
    }
    await it.door.close();
    await until(() => holding(mark).length === 0);
  });

  test("closeSync leaves nothing either", async () => {
    const mark = `left-behind-${crypto.randomUUID()}`;
    await using it = await scene("stubborn.mjs", { args: [mark] });
    await it.pin();
    await it.call("fork");
    it.door.closeSync();
    await until(() => holding(mark).length === 0);
    assert.deepEqual([...Deno.readDirSync(it.tree.path("tmp"))], []);
  });

  test("reaches nothing that is not its own", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    await using it = await scene("usual.mjs", { files: { outside: "secret" } });
    await it.pin();
    const outside = it.tree.path("outside");
    const skillFile = it.tree.path("root/it/SKILL.md");
    assert.match(await it.call("read", { path: skillFile }), /^---/);
    // Unfenced it does what its account may: the skill may be its own.
    if (mode === "off") return;
    assert.match(await it.call("write", { path: skillFile }), /^E/);
    assert.match(await it.call("read", { path: outside }), /^E/);
    for (const path of ["/etc/hostname", "/root", it.tree.path("cache")]) {
      assert.match(await it.call("read", { path }), /^E/, path);
    }
    const fetched = await it.call("fetch", { url: `http://127.0.0.1:${port}` });
    assert.match(fetched, /^failed/);
  });

  test("with net it has the host's network, and none of its unix sockets", async () => {
    await using it = await scene("usual.mjs", { row: { ...row, net: true } });
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    void (async () => {
      for await (const conn of listener) {
        await conn.write(
          new TextEncoder().encode("HTTP/1.1 204 No Content\r\n\r\n"),
        );
        conn.close();
      }
    })().catch(() => {});
    const path = it.tree.path("skill.sock");
    using unix = Deno.listen({ transport: "unix", path });
    await Deno.chmod(path, 0o777);
    void unix.accept().catch(() => {});
    await it.pin();
    const url = `http://127.0.0.1:${port}`;
    assert.equal(await it.call("fetch", { url }), "status 204");
    const said = await it.call("unix", { path });
    assert.match(said, mode === "off" ? /^connected/ : /^failed E/);
  });
}
