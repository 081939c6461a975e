import assert from "node:assert/strict";
import { runtimeCommand } from "../upstream/scene.ts";
import { needs } from "../support/kernel.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { HAS_TERMINAL, onTerminal, skillfence } from "./command.ts";

const SERVERS = new URL("../upstream/servers/", import.meta.url);
const options = { ...needs("bwrap", "userns", "seccomp") };
if (!HAS_TERMINAL) options.ignore = true; // No `script` of util-linux here.

async function scene(): Promise<Tree> {
  const read = (name: string) => Deno.readTextFile(new URL(name, SERVERS));
  return await makeTree({
    "root/it/SKILL.md": "---\ndescription: declares\n---\nText.\n",
    "root/it/.mcp.json": JSON.stringify({
      it: {
        ...runtimeCommand("${SKILL_ROOT}/usual.mjs"),
        env: { DECLARED: "value-not-shown" },
      },
    }),
    "root/it/plain.mjs": await read("plain.mjs"),
    "root/it/usual.mjs": await read("usual.mjs"),
  });
}

function env(tree: Tree): Record<string, string> {
  return {
    SKILLS_DIR: tree.path("root"),
    SKILLFENCE_CACHE_DIR: tree.path("cache"),
    API_KEY: "value-not-shown",
  };
}

Deno.test({
  name:
    "mcp pin: shows what is started, starts it once, and prints a row that is accepted",
  ...options,
  async fn() {
    await using tree = await scene();
    const { code, stdout } = await onTerminal(
      ["mcp", "pin", "it", "it", "--env", "API_KEY"],
      { env: env(tree), stdin: "y\n" },
    );
    assert.equal(code, 0, stdout);
    assert.match(stdout, /command/);
    assert.match(stdout, /usual\.mjs/);
    assert.match(stdout, /variable +DECLARED/);
    assert.match(stdout, /is handed API_KEY/);
    assert.match(stdout, /held by +bubblewrap/);
    assert.match(stdout, /echo +does echo/);
    assert.doesNotMatch(stdout, /value-not-shown/);
    const row = JSON.parse(/^\{"skill".*\}/m.exec(stdout)![0]);
    assert.deepEqual(Object.keys(row), [
      "skill",
      "server",
      "digest",
      "tools",
      "env",
    ]);
    const { stdout: again } = await onTerminal(
      ["mcp", "pin", "it", "it", "--env", "API_KEY"],
      { env: env(tree), stdin: "y\n" },
    );
    assert.deepEqual(JSON.parse(/^\{"skill".*\}/m.exec(again)![0]), row);
  },
});

Deno.test({
  name: "mcp pin: anything but yes starts nothing",
  ...options,
  async fn() {
    await using tree = await scene();
    for (const stdin of ["n\n", "\n", "yesno\n"]) {
      const { code, stdout } = await onTerminal(["mcp", "pin", "it", "it"], {
        env: env(tree),
        stdin,
      });
      assert.equal(code, 1, stdout);
      assert.match(stdout, /Nothing was started/);
      assert.doesNotMatch(stdout, /"digest"/);
    }
  },
});

Deno.test({
  name: "mcp pin: says that nothing holds it, and with what it would start",
  ...options,
  async fn() {
    await using tree = await scene();
    const own = { ...env(tree), SKILLFENCE_OS_FENCE: "off" };
    const refused = await onTerminal(["mcp", "pin", "it", "it"], { env: own });
    assert.equal(refused.code, 2);
    assert.match(refused.stdout, /no layer holds it/);
    assert.match(refused.stdout, /unfenced/);
    const started = await onTerminal(
      ["mcp", "pin", "it", "it", "--unfenced"],
      { env: own, stdin: "y\n" },
    );
    assert.equal(started.code, 0, started.stdout);
    assert.match(started.stdout, /held by +unfenced/);
    assert.match(started.stdout, /"unfenced":true/);
  },
});

Deno.test({
  name:
    "mcp pin: a value that is missing is named with the flag that grants it",
  ...options,
  async fn() {
    await using tree = await scene();
    await tree.write({
      "root/it/.mcp.json": JSON.stringify({
        it: { command: "true", args: ["${API_KEY}"] },
      }),
    });
    const { code, stdout } = await onTerminal(["mcp", "pin", "it", "it"], {
      env: env(tree),
    });
    assert.equal(code, 2);
    assert.match(stdout, /no value for API_KEY/);
    assert.match(stdout, /--env API_KEY/);
  },
});

Deno.test("mcp pin: without a terminal nothing is shown and nothing started", async () => {
  await using tree = await scene();
  const { code, stdout, stderr } = await skillfence(
    ["mcp", "pin", "it", "it"],
    { env: env(tree), stdin: "y\n" },
  );
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /no terminal/);
});
