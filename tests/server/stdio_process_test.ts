import assert from "node:assert/strict";
import { INSTRUCTIONS } from "../../src/server/instructions.ts";
import { connect, processTest } from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { runs, skillText } from "../support/server_calls.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const FOREVER = `
import { writeFileSync } from "node:fs";
import process from "node:process";
writeFileSync(process.env.SKILL_OUT + "/started", "");
setInterval(() => {}, 1000);
await new Promise(() => {});
`;

/** Skills, and a temporary directory of the server's own. */
function world(): Promise<Tree> {
  return makeTree({
    "skills/s/SKILL.md": skillText({ block: runs("forever.mjs", "quick.mjs") }),
    "skills/s/forever.mjs": FOREVER,
    "skills/s/quick.mjs": "console.log('quick');\n",
    "tmp": { dir: true },
    "home": { dir: true },
  });
}

function start(tree: Tree, env: Record<string, string> = {}): RawServer {
  return new RawServer({
    args: ["--skills", tree.path("skills")],
    env: {
      TMPDIR: tree.path("tmp"),
      // The module cache of the source form stays where it is.
      ...(Deno.env.has("SKILLFENCE_TEST_BINARY")
        ? { HOME: tree.path("home") }
        : {}),
      ...env,
    },
  });
}

const run = (script: string, more: Record<string, unknown> = {}) => ({
  name: "skill_run",
  arguments: { name: "s", script, confirm: true },
  ...more,
});

/** Every path below a directory. */
async function below(dir: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(dir)) {
    const path = `${dir}/${entry.name}`;
    found.push(path);
    if (entry.isDirectory) found.push(...await below(path).catch(() => []));
  }
  return found;
}

const started = async (tree: Tree): Promise<boolean> =>
  (await below(tree.path("tmp"))).some((path) => path.endsWith("out/started"));

/** Processes whose command line names something of the tree. */
async function processesOf(tree: Tree, except: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === except) continue;
    const command = await Deno.readTextFile(`/proc/${name}/cmdline`)
      .catch(() => "");
    if (command.includes(tree.root)) found.push(Number(name));
  }
  return found;
}

async function assertClean(tree: Tree, server: number): Promise<void> {
  assert.deepEqual(await below(tree.path("tmp")), [], "scratch is gone");
  if (Deno.build.os === "linux") {
    await until(async () => (await processesOf(tree, server)).length === 0);
  }
}

Deno.test({
  name:
    "stdio: initialize and tools/list are answered before a scan that was asked for",
  ...processTest,
  fn: async () => {
    const files = Object.fromEntries(
      Array.from(
        { length: 400 },
        (_, i) => [`skills/s${i}/SKILL.md`, skillText()],
      ),
    );
    await using tree = await makeTree({ ...files, tmp: { dir: true } });
    await using server = start(tree);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    const first = await server.send("initialize", params);
    await server.notify("notifications/initialized");
    const call = await server.send("tools/call", {
      name: "skill_list",
      arguments: { limit: 1 },
    });
    const list = await server.send("tools/list");
    const answer = await server.message(({ id }) => id === call);
    assert.match(answer.result.content[0].text, /399 more skills/);
    const order = server.lines.map((line) => JSON.parse(line).id);
    assert.deepEqual(order, [first, list, call]);
  },
});

Deno.test({
  name: "stdio: nothing but JSON-RPC reaches stdout, whatever comes in",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using server = start(tree, { SKILLFENCE_LOG: "debug" });
    await server.write("garbage\n{}\n[]\n\u0000\n");
    await server.initialize();
    await server.write('{"jsonrpc":"2.0","id":"x","method":"no/such"}\n');
    const unknown = await server.message(({ id }) => id === "x");
    assert.equal(unknown.error.code, -32601);
    const tool = await server.request("tools/call", { name: "skill_lst" });
    assert.equal(tool.error.code, -32602);
    assert.match(tool.error.message, /nearest is skill_list/);
    const ran = await server.request("tools/call", run("quick.mjs"));
    assert.equal(ran.result.structuredContent.stdout, "quick\n");
    await server.hangUp();
    assert.equal((await server.ended()).code, 0);
    for (const line of server.lines) {
      assert.equal(JSON.parse(line).jsonrpc, "2.0");
    }
    assert.match(server.stderr, /skipped a line that is not JSON/);
  },
});

for (
  const [how, end] of [
    ["the end of stdin", (server: RawServer) => server.hangUp()],
    ["SIGTERM", (server: RawServer) => server.kill("SIGTERM")],
    ["SIGINT", (server: RawServer) => server.kill("SIGINT")],
  ] as const
) {
  Deno.test({
    name: `stdio: ${how} kills the run, removes scratch and exits 0 within 2 s`,
    ignore: Deno.build.os === "windows",
    ...processTest,
    fn: async () => {
      await using tree = await world();
      await using server = start(tree);
      await server.initialize();
      await server.send("tools/call", run("forever.mjs"));
      await until(() => started(tree));
      const before = performance.now();
      await end(server);
      const { code } = await server.ended();
      const took = performance.now() - before;
      assert.equal(code, 0);
      assert.ok(took < 2000, `${took} ms`);
      await assertClean(tree, server.pid);
    },
  });
}

Deno.test({
  name:
    "stdio: cancelling kills the run, sends no answer, and the next one starts",
  ignore: Deno.build.os === "windows",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using server = start(tree);
    await server.initialize();
    const id = await server.send("tools/call", run("forever.mjs"));
    await until(() => started(tree));
    await server.notify("notifications/cancelled", { requestId: id });
    const next = await server.request("tools/call", run("quick.mjs"));
    assert.equal(next.result.structuredContent.stdout, "quick\n");
    assert.ok(!server.lines.some((line) => JSON.parse(line).id === id));
    if (Deno.build.os === "linux") {
      const left = await processesOf(tree, server.pid);
      assert.deepEqual(left, []);
    }
  },
});

Deno.test({
  name: "stdio: what was asked before the end of stdin is still answered",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using server = start(tree);
    await server.initialize();
    const id = await server.send("tools/call", {
      name: "skill_load",
      arguments: { name: "s" },
    });
    await server.hangUp();
    assert.equal((await server.ended()).code, 0);
    const answer = server.lines.map((line) => JSON.parse(line))
      .find((message) => message.id === id);
    assert.equal(answer.result.content[0].text, "Do it.\n");
  },
});

Deno.test({
  name:
    "stdio: a waiting call reports progress under its token, and never after the answer",
  ...processTest,
  fn: async () => {
    await using tree = await makeTree({
      "skills/s/SKILL.md": skillText({ block: runs("slow.mjs") }),
      "skills/s/slow.mjs":
        "await new Promise((resolve) => setTimeout(resolve, 4500));\n",
      "tmp": { dir: true },
    });
    await using server = start(tree);
    await server.initialize();
    const answer = await server.request(
      "tools/call",
      run("slow.mjs", { _meta: { progressToken: "tok" } }),
    );
    assert.equal(answer.result.structuredContent.status, "done");
    await server.request("ping");
    const messages = server.lines.map((line) => JSON.parse(line));
    const notes = messages.filter(({ method }) =>
      method === "notifications/progress"
    );
    assert.ok(notes.length >= 1, "at least one in four seconds");
    assert.ok(notes.every(({ params }) => params.progressToken === "tok"));
    const numbers = notes.map(({ params }) => params.progress);
    assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
    const last = messages.findLastIndex(({ method }) => method !== undefined);
    assert.ok(last < messages.findIndex(({ id }) => id === answer.id));
  },
});

Deno.test({
  name:
    "stdio: a hosted server with mistakes in its configuration still answers",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using client = await connect("v2", {
      env: {
        MCP_SKILLS_PATH: tree.path("skills"),
        SKILLFENCE_MAX_RUNS: "lots",
        SKILLFENCE_NOPE: "1",
      },
    });
    assert.equal((await client.listTools()).length, 8);
    const { structured } = await client.call("skill_list");
    const notes = structured.notes.join("\n");
    assert.match(notes, /SKILLFENCE_MAX_RUNS is "lots"/);
    assert.match(notes, /SKILLFENCE_NOPE is not a variable of skillfence/);
    const refusal = await client.call("skill_run", run("quick.mjs").arguments);
    assert.equal(refusal.structured.code, "CONFIG");
  },
});

Deno.test({
  name:
    "stdio: server/discover is answered at once with the same instructions, and initialize may follow",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using server = start(tree);
    const discovered = await server.request("server/discover", {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
    assert.ok(discovered.result, JSON.stringify(discovered));
    assert.equal(discovered.result.instructions, INSTRUCTIONS);
    // A client that falls back stays on the same pipe.
    const initialized = await server.initialize();
    assert.equal(initialized.result.instructions, INSTRUCTIONS);
    const list = await server.request("tools/list");
    assert.equal(list.result.tools.length, 8);
  },
});

Deno.test({
  name:
    "stdio: a first message that lists skills is told that their root is watched",
  ...processTest,
  fn: async () => {
    await using tree = await world();
    await using server = start(tree);
    const listed = await server.request("tools/call", {
      name: "skill_list",
      arguments: {},
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
    const { watch, notes } = listed.result.structuredContent;
    assert.deepEqual(watch, [{ root: 1, state: "watching" }]);
    assert.ok(
      !notes.some((note: string) => note.startsWith("Not watching")),
      notes.join("\n"),
    );
  },
});
