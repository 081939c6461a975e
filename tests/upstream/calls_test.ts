/** Calls, states and pins of one declared server; held as this machine can. */

import assert from "node:assert/strict";
import { systemClock } from "../../src/fence/clock.ts";
import { UPSTREAM_MARK } from "../../src/config/variables.ts";
import { needs } from "../support/kernel.ts";
import { until } from "../support/until.ts";
import {
  makeUpstream,
  runtimeCommand,
  type Scene,
  type SceneOptions,
} from "./scene.ts";

const options = needs("bwrap", "userns", "seccomp");

function test(
  name: string,
  scene: SceneOptions,
  fn: (scene: Scene) => Promise<void>,
): void {
  Deno.test({
    name: `UpstreamDoor: ${name}`,
    ...options,
    async fn() {
      await using made = await makeUpstream(scene);
      await fn(made);
    },
  });
}

/** Directories of servers that live. */
function places(scene: Scene): number {
  return [...Deno.readDirSync(scene.tree.path("tmp"))].length;
}

test(
  "one process for calls at once, another one when it was let go",
  {},
  async (scene) => {
    await scene.pin();
    const said = await Promise.all(
      Array.from({ length: 8 }, (_, at) => scene.call("echo", { at })),
    );
    assert.deepEqual(said, said.map((_, at) => `{"at":${at}}`));
    assert.equal(places(scene), 1);
  },
);

test(
  "lists tools as a stranger's words, with what the owner trusts",
  {},
  async (scene) => {
    await scene.pin({ trusted: ["echo"] });
    const skill = await scene.skill();
    const listed = await scene.door.tools(skill, "it");
    assert.ok(listed.ok);
    const { tools, digest, notes } = listed.value;
    assert.deepEqual(
      tools.filter(({ trusted }) => trusted).map(({ name }) => name),
      ["echo"],
    );
    assert.match(digest, /^sha256:/);
    assert.deepEqual(notes, []);
    const plan = await scene.door.plan(skill, "it", "echo", {});
    assert.ok(plan.ok && plan.value.trusted);
  },
);

test(
  "progress goes through, and keeps a long call alive",
  {},
  async (scene) => {
    await scene.pin();
    const skill = await scene.skill();
    const plan = await scene.door.plan(skill, "it", "progress", {});
    assert.ok(plan.ok);
    const heard: string[] = [];
    const answer = await scene.door.call(skill, plan.value, {}, {
      timeoutMs: 450,
      onProgress: (message, progress, total) =>
        heard.push(`${progress}/${total} ${message}`),
    });
    assert.ok(answer.ok);
    assert.equal(answer.value.isError, false, JSON.stringify(answer.value));
    assert.equal(heard[0], "1/4 step 1\\u{202e}");
  },
);

test(
  "a timeout is an answer, a cancellation a refusal; both reach the server",
  {},
  async (scene) => {
    await scene.pin();
    const skill = await scene.skill();
    const plan = await scene.door.plan(skill, "it", "slow", {});
    assert.ok(plan.ok);
    // It is this call's own time, and not a longer one, that counts.
    const order: string[] = [];
    const [late] = await Promise.all([
      scene.door.call(skill, plan.value, {}, { timeoutMs: 200 })
        .finally(() => order.push("given up")),
      (async () => {
        for (let turn = 0; turn < 5; turn++) await scene.call("progress");
        order.push("three seconds of others");
      })(),
    ]);
    assert.equal(order[0], "given up");
    assert.ok(late.ok && late.value.isError);
    assert.match(
      JSON.stringify(late.value.content),
      /did not answer within 0\.2 s/,
    );
    const stop = new AbortController();
    const called = scene.door.call(skill, plan.value, {}, {
      signal: stop.signal,
    });
    await until(() => places(scene) === 1);
    // The request is under way once the server has answered another one.
    await scene.call("echo");
    stop.abort();
    const ended = await called;
    assert.ok(!ended.ok && ended.code === "CANCELLED");
    await until(async () => await scene.call("cancelled") === "2");
  },
);

test(
  "errors of a tool and of the protocol are answers, made visible",
  {},
  async (scene) => {
    await scene.pin();
    const skill = await scene.skill();
    const plan = await scene.door.plan(skill, "it", "wrong", {});
    assert.ok(plan.ok);
    const answer = await scene.door.call(skill, plan.value, {});
    assert.ok(answer.ok && answer.value.isError);
    assert.deepEqual(answer.value.content, [{
      type: "text",
      text: "did not work\\u{7}",
    }]);
    const unknown = await scene.door.plan(skill, "it", "wrng", {});
    assert.ok(!unknown.ok && unknown.code === "NOT_FOUND");
    assert.match(unknown.hint, /wrong/);
  },
);

test("a plan binds arguments, rights and what is pinned", {
  row: { env: ["API_KEY"] },
  own: { API_KEY: "secret-value" },
}, async (scene) => {
  await scene.pin();
  const skill = await scene.skill();
  const plan = async (args: Record<string, unknown>, tool = "echo") => {
    const made = await scene.door.plan(skill, "it", tool, args);
    assert.ok(made.ok);
    return made.value;
  };
  const one = await plan({ a: 1 });
  assert.equal((await plan({ a: 1 })).digest, one.digest);
  assert.notEqual((await plan({ a: 2 })).digest, one.digest);
  assert.notEqual((await plan({ a: 1 }, "wrong")).digest, one.digest);
  assert.deepEqual(one.env, ["API_KEY"]);
  assert.doesNotMatch(JSON.stringify(one), /secret-value/);
  assert.ok(one.permissions.includes("is handed API_KEY"));
  assert.ok(one.permissions.includes("reaches no network"));
  const other = await scene.door.call(skill, one, { a: 2 });
  assert.ok(!other.ok && other.code === "PLAN_CHANGED");
});

test("granted variables reach it, others do not, wherever they are asked for", {
  args: ["${API_KEY}", "${SECRET:-none}", "${SKILL_ROOT}"],
  env: { DECLARED: "x-${API_KEY}", HIDDEN: "${SECRET:-}" },
  row: { env: ["API_KEY", "NOT_SET"] },
  own: { API_KEY: "k", SECRET: "s3cret" },
}, async (scene) => {
  await scene.pin();
  const { env, args } = JSON.parse(await scene.call("where"));
  assert.deepEqual(args, ["k", "none", scene.tree.path("root/it")]);
  assert.equal(env.DECLARED, "x-k");
  assert.equal(env.API_KEY, "k");
  assert.equal(env.HIDDEN, "");
  assert.ok(!("SECRET" in env) && !("NOT_SET" in env));
  const plan = await scene.door.plan(await scene.skill(), "it", "echo", {});
  assert.ok(plan.ok);
  assert.match(plan.value.notes.join("\n"), /not set here: NOT_SET/);
  assert.match(plan.value.notes.join("\n"), /command line.*: API_KEY/);
  assert.match(plan.value.reaches, /\$\{API_KEY\}/);
});

test("a name without a value makes it unavailable, and is named", {
  args: ["${API_KEY}"],
}, async (scene) => {
  const [declared] = await scene.door.declared(await scene.skill());
  const tools = `sha256:${"0".repeat(64)}`;
  scene.grant({ skill: "it", server: "it", digest: declared?.digest, tools });
  const [state] = await scene.door.states(await scene.skill());
  assert.equal(state?.state, "unavailable");
  assert.match(state.why ?? "", /no value for API_KEY/);
});

test("listed and never started without a row", {}, async (scene) => {
  const skill = await scene.skill();
  const [state] = await scene.door.states(skill);
  assert.equal(state?.state, "not-granted");
  assert.match(state.fence ?? "", /^bubblewrap/);
  const tools = await scene.door.tools(skill, "it");
  assert.ok(!tools.ok && tools.code === "NOT_GRANTED");
  const plan = await scene.door.plan(skill, "it", "echo", {});
  assert.ok(!plan.ok && plan.code === "NOT_GRANTED");
  const none = await scene.door.tools(skill, "other");
  assert.ok(!none.ok && none.code === "NOT_FOUND");
  assert.equal(places(scene), 0);
});

test(
  "another file suspends it, names the change and ends what runs",
  {},
  async (scene) => {
    await scene.pin();
    assert.equal(await scene.call("echo"), "{}");
    await scene.tree.write({ "root/it/added.mjs": "" });
    const skill = await scene.skill();
    const [state] = await scene.door.states(skill);
    assert.equal(state?.state, "suspended");
    assert.match(state.why ?? "", /files added: added\.mjs$/);
    await until(() => places(scene) === 0);
    await assert.rejects(() => scene.call("echo"), /GRANT_STALE/);
    await Deno.remove(scene.tree.path("root/it/added.mjs"));
    assert.equal(await scene.call("echo"), "{}");
  },
);

test(
  "another declaration suspends it, and is told by its parts",
  {},
  async (scene) => {
    await scene.pin();
    await scene.tree.write({
      "root/it/.mcp.json": JSON.stringify({
        it: { command: "python3", args: ["x"], env: { NEW: "1" } },
      }),
    });
    const [state] = await scene.door.states(await scene.skill());
    assert.equal(state?.state, "suspended");
    assert.match(
      state.why ?? "",
      /another command; another list of arguments; variables added: NEW; files changed: \.mcp\.json$/,
    );
  },
);

test("a row for a workspace is none for a root's skill", {}, async (scene) => {
  await scene.pin({ workspace: "/home/someone" });
  const [state] = await scene.door.states(await scene.skill());
  assert.equal(state?.state, "not-granted");
});

test("a server that a server started starts none", {
  own: { [UPSTREAM_MARK]: "1" },
}, async (scene) => {
  const skill = await scene.skill();
  const rights = { env: [], net: false, unfenced: false, url: undefined };
  const pinning = await scene.door.pinning(skill, "it", rights);
  assert.ok(!pinning.ok && pinning.code === "RUN_DISABLED");
});

test(
  "let go after ten idle minutes, and no minute before",
  (() => {
    const due: { ms: number; run: () => void }[] = [];
    const clock = {
      ...systemClock,
      idle: (ms: number, run: () => void) => {
        const alarm = { ms, run };
        due.push(alarm);
        return () => void due.splice(due.indexOf(alarm), 1);
      },
    };
    return { clock, deps: { due } as object };
  })(),
  async (scene) => {
    const { due } = scene.options.deps as unknown as {
      due: { ms: number; run: () => void }[];
    };
    await scene.pin();
    await scene.call("echo");
    assert.equal(places(scene), 1);
    assert.deepEqual(due.map(({ ms }) => ms), [600_000]);
    due[0]!.run();
    await until(() => places(scene) === 0);
    // The same bytes in another directory are the same server.
    const [dir, aside] = [scene.tree.path("root/it"), scene.tree.path("aside")];
    await Deno.rename(dir, aside);
    await new Deno.Command("cp", { args: ["-r", aside, dir] }).output();
    assert.equal(await scene.call("echo"), "{}");
  },
);

test("one that ends leaves the others alone", {
  json: {
    it: runtimeCommand("${SKILL_ROOT}/usual.mjs"),
    other: runtimeCommand("${SKILL_ROOT}/exiting.mjs"),
  },
  // Or a busy machine looks when the pause of what ended is over.
  clock: { ...systemClock, now: () => 0 },
}, async (scene) => {
  const skill = await scene.skill();
  const rights = { env: [], net: false, unfenced: false, url: undefined };
  const rows = [];
  for (const name of ["it", "other"]) {
    const pinning = await scene.door.pinning(skill, name, rights);
    assert.ok(pinning.ok);
    const pinned = await pinning.value.start(AbortSignal.timeout(30_000));
    assert.ok(pinned.ok);
    rows.push(pinned.value.row);
  }
  scene.grant(...rows);
  await scene.call("echo");
  const [place] = [...Deno.readDirSync(scene.tree.path("tmp"))];
  const slow = scene.call("progress");
  const plan = await scene.door.plan(skill, "other", "leave", {});
  assert.ok(plan.ok);
  const left = await scene.door.call(skill, plan.value, {});
  assert.ok(left.ok && left.value.isError);
  assert.equal(await slow, "done");
  await until(() => places(scene) === 1);
  // The very process that ran before.
  const [still] = [...Deno.readDirSync(scene.tree.path("tmp"))];
  assert.equal(still?.name, place?.name);
  const states = await scene.door.states(skill);
  assert.deepEqual(states.map(({ state }) => state), ["ready", "unavailable"]);
});
