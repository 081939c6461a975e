import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { processTest, serveCommand } from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { runs, skillText } from "../support/server_calls.ts";
import { running } from "../fence/processes.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

/** What a request of the 2026-07-28 line carries. */
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

Deno.test({
  name:
    "stdio: server/discover is answered before a scan that was asked for, with the instructions",
  ...processTest,
  async fn() {
    await using tree = await makeTree(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, i) => [`s${i}/SKILL.md`, skillText()]),
      ),
    );
    await using server = new RawServer({ args: ["--skills", tree.root] });
    const call = await server.send("tools/call", {
      ...MODERN,
      name: "skill_list",
      arguments: { limit: 1 },
    });
    const discover = await server.send("server/discover", MODERN);
    const list = await server.send("tools/list", MODERN);
    const answer = await server.message(({ id }) => id === call);
    assert.match(answer.result.content[0].text, /399 more skills/);
    const messages = server.lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      messages.map(({ id }) => id).sort((a, b) => a - b),
      [call, discover, list],
    );
    assert.equal(messages.at(-1).id, call, "the scan holds nothing else up");
    const { result } = messages.find(({ id }) => id === discover);
    assert.match(result.instructions, /confirm: true stands for the user/);
  },
});

/** The server with a file on descriptor 7, as a careless launcher leaves one. */
function withSeven(args: readonly string[], file: string) {
  const { command, args: words } = serveCommand(args);
  return {
    command: "/bin/sh",
    args: ["-c", 'exec 7<"$0"; exec "$@"', file, command, ...words],
  };
}

Deno.test({
  name:
    "serve: a descriptor 7 that the server inherited does not reach a script",
  ignore: Deno.build.os !== "linux",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "skills/s/SKILL.md": skillText({ block: runs("wait.mjs") }),
      // Told by the marker that it may end.
      "skills/s/wait.mjs": `
import { existsSync } from "node:fs";
while (!existsSync("go")) await new Promise((tick) => setTimeout(tick, 20));
`,
      "secret.txt": "the server's own",
    });
    const secret = tree.path("secret.txt");
    await using server = new RawServer({
      command: withSeven(["--skills", tree.path("skills")], secret),
    });
    await server.initialize();
    const id = await server.send("tools/call", {
      name: "skill_run",
      arguments: { name: "s", script: "wait.mjs", confirm: true },
    });
    const child = await childOf(server.pid);
    assert.ok(openFiles(server.pid).includes(secret), "the server holds it");
    assert.deepEqual(
      openFiles(child).filter((path) => path === secret),
      [],
    );
    await tree.write({ "skills/s/go": "" });
    const ran = await server.message((message) => message.id === id);
    assert.equal(ran.result.structuredContent.exitCode, 0);
  },
});

Deno.test({
  name: "serve: a script does not outlive a server that was killed",
  ignore: Deno.build.os !== "linux",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "skills/s/SKILL.md": skillText({ block: runs("spin.mjs") }),
      "skills/s/spin.mjs":
        `Deno.writeTextFileSync(Deno.env.get("MCP_DATA_DIR") + "/up", ""); while (true);`,
      "data": { dir: true },
    });
    await using server = new RawServer({
      args: ["--skills", tree.path("skills")],
      env: { SKILLFENCE_DATA_DIR: tree.path("data") },
    });
    await server.initialize();
    await server.send("tools/call", {
      name: "skill_run",
      arguments: { name: "s", script: "spin.mjs", confirm: true },
    });
    const script = tree.path("skills", "s", "spin.mjs");
    await until(
      () =>
        [...Deno.readDirSync(tree.path("data"))].some(({ name }) =>
          existsSync(tree.path("data", name, "up"))
        ),
      10_000,
    );
    assert.ok(running(script).length > 0);
    Deno.kill(server.pid, "SIGKILL");
    await until(() => running(script).length === 0);
  },
});

/** The first child of `pid` that the shell has turned into the runtime. */
async function childOf(pid: number): Promise<number> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
        const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
        const words = Deno.readTextFileSync(`/proc/${name}/cmdline`);
        const isRuntime = words.includes("\0--no-remote\0") &&
          !words.startsWith("/bin/sh");
        if (Number(parent) === pid && isRuntime) return Number(name);
      } catch {
        // Ended since, or of another account.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the script never ran");
}

function openFiles(pid: number): string[] {
  const dir = `/proc/${pid}/fd`;
  return [...Deno.readDirSync(dir)].flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`${dir}/${name}`)];
    } catch {
      return [];
    }
  });
}

Deno.test({
  name: "stdio: the scan starts once the first answer is out, without any call",
  ...processTest,
  async fn() {
    const src = (path: string) =>
      JSON.stringify(import.meta.resolve(`../../src/${path}`));
    const project = fileURLToPath(new URL("../../deno.json", import.meta.url));
    await using tree = await makeTree({
      "skills": { dir: true },
      "serve.ts": `
import { readConfig } from ${src("config/read_config.ts")};
import { createEngine } from ${src("server/engine.ts")};
import { serveStdio } from ${src("server/stdio.ts")};
const { config } = readConfig({
  env: Deno.env.toObject(), cwd: "/", bundledSkills: "/", flags: { skills: [Deno.args[0]] },
});
Deno.exit(await serveStdio({
  config,
  version: "0",
  loadEngine: (config) => {
    console.error("engine made");
    const engine = createEngine(config);
    const snapshot = engine.catalog.snapshot.bind(engine.catalog);
    engine.catalog.snapshot = (heard) => {
      console.error("scan asked for");
      return snapshot(heard);
    };
    return Promise.resolve(engine);
  },
}));`,
    });
    // deno-fmt-ignore
    await using server = new RawServer({
      command: {
        command: Deno.execPath(),
        args: ["run", "-A", "--no-prompt", "--config", project,
          tree.path("serve.ts"), tree.path("skills")],
      },
    });
    assert.equal(server.stderr, "", "nothing before the first answer");
    await server.initialize();
    const deadline = performance.now() + 30_000;
    while (!server.stderr.includes("scan asked for")) {
      assert.ok(performance.now() < deadline, server.stderr);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
});
