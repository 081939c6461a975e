/** Declared MCP servers as clients of both protocol lines reach them. */

import assert from "node:assert/strict";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { until } from "../support/until.ts";
import { makeUpstream, type Scene } from "../upstream/scene.ts";

const options = {
  ...needs("bwrap", "userns", "seccomp"),
  ...processTest,
} as const;

/** The row that a pin prints, with a tool that is trusted. */
async function rowOf(scene: Scene): Promise<Json> {
  const rights = { env: [], net: false, unfenced: false, url: undefined };
  const pinning = await scene.door.pinning(await scene.skill(), "it", rights);
  assert.ok(pinning.ok);
  const pinned = await pinning.value.start(AbortSignal.timeout(30_000));
  assert.ok(pinned.ok);
  return { ...pinned.value.row, trusted: ["where"] };
}

async function served(
  line: (typeof LINES)[number],
  test: (client: TestClient, scene: Scene) => Promise<void>,
  how: {
    readonly rows?: boolean;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  await using scene = await makeUpstream({
    own: { SKILLFENCE_AUDIT_LOG: "/nowhere" },
  });
  const rows = how.rows === false ? [] : [await rowOf(scene)];
  await scene.door.close();
  await using client = await connect(line, {
    args: ["--skills", scene.tree.path("root"), ...how.args ?? []],
    env: {
      MCP_SKILL_MCP: JSON.stringify(rows),
      SKILLFENCE_OS_FENCE: "bwrap",
      SKILLFENCE_DATA_DIR: scene.tree.path("data"),
      SKILLFENCE_CACHE_DIR: scene.tree.path("cache"),
      SKILLFENCE_AUDIT_LOG: scene.tree.path("audit.log"),
      ...how.env,
    },
  });
  await test(client, scene);
}

const ECHO = { name: "it", server: "it", tool: "echo", arguments: { a: 1 } };

for (const line of LINES) {
  Deno.test({
    name:
      `skill_tools and skill_call (${line}): listed, previewed, called as previewed, written down`,
    ...options,
    fn: () =>
      served(line, async (client, scene) => {
        const { structured: { servers } } = await client.call("skill_tools", {
          name: "it",
        });
        assert.equal(servers[0].server, "it");
        assert.equal(servers[0].state, "ready");
        assert.match(servers[0].digest, /^sha256:/);
        const manifest = JSON.parse(
          (await client.call("skill_load", { name: "it" })).text[1]!,
        );
        assert.equal(manifest.mcpServers[0].state, "ready");

        const { structured: { tools } } = await client.call("skill_tools", {
          name: "it",
          server: "it",
        });
        const echo = tools.find(({ tool }: Json) => tool === "echo");
        assert.equal(echo.description, "does echo");
        assert.equal(echo.trusted, false);

        const preview = JSON.parse(
          (await client.call("skill_call", ECHO)).text[0]!,
        );
        assert.equal(preview.status, "preview");
        assert.match(preview.hint, /call skill_call with the same arguments/);
        const { digest } = preview.plan;

        const other = await client.call("skill_call", {
          ...ECHO,
          arguments: { a: 2 },
          confirm: true,
          planDigest: digest,
        });
        assert.equal(other.isError, true);
        assert.equal(JSON.parse(other.text[0]!).code, "PLAN_CHANGED");

        const done = await client.call("skill_call", {
          ...ECHO,
          confirm: true,
          planDigest: digest,
        });
        assert.equal(done.isError, false);
        assert.equal(JSON.parse(done.text[0]!).status, "done");
        assert.match(
          done.text[1]!,
          /^From the tool echo of it, .*:\n<UNTRUSTED_CONTENT>\n\{"a":1\}\n<\/UNTRUSTED_CONTENT>/,
        );

        const trusted = await client.call("skill_call", {
          name: "it",
          server: "it",
          tool: "where",
        });
        assert.equal(JSON.parse(trusted.text[0]!).status, "done");

        const wrong = await client.call("skill_call", {
          name: "it",
          server: "it",
          tool: "wrong",
          confirm: true,
        });
        assert.equal(wrong.isError, true);
        assert.equal(JSON.parse(wrong.text[0]!).isError, true);

        const lines = async () =>
          (await Deno.readTextFile(scene.tree.path("audit.log"))).trim()
            .split("\n");
        // Written behind the answers.
        await until(async () => (await lines()).length === 5);
        const log = (await lines()).map((each) => JSON.parse(each));
        assert.deepEqual(
          log.map(({ event, script, outcome }: Json) => [
            event,
            script,
            outcome?.code ?? outcome?.exitCode ?? null,
          ]),
          [
            ["preview", "mcp:it/echo", null],
            ["refusal", "mcp:it/echo", "PLAN_CHANGED"],
            ["call", "mcp:it/echo", 0],
            ["call", "mcp:it/where", 0],
            ["call", "mcp:it/wrong", 1],
          ],
        );
        assert.ok(!JSON.stringify(log).includes('"a"'));
      }),
  });

  Deno.test({
    name:
      `skill_call (${line}): progress passes through, and a cancelled call is cancelled there`,
    ...options,
    fn: () =>
      served(line, async (client) => {
        const call = (tool: string, more: Json = {}) =>
          client.call("skill_call", {
            name: "it",
            server: "it",
            tool,
            confirm: true,
          }, more);
        const heard: string[] = [];
        await call("progress", {
          onProgress: (message: string) => heard.push(message),
        });
        assert.ok(
          heard.some((each) => /^2 of 4: step 2/.test(each)),
          `${heard}`,
        );
        const abort = new AbortController();
        const slow = call("slow", {
          signal: abort.signal,
          onProgress: () => {},
        });
        setTimeout(() => abort.abort(), 300);
        await assert.rejects(slow);
        let said = "";
        for (let n = 0; n < 100 && !/\n1\n/.test(said); n++) {
          said = (await call("cancelled")).text[1]!;
        }
        assert.match(said, /\n1\n/);
      }),
  });
}

Deno.test({
  name:
    "skill_call: what the owner has not granted is listed, with why, and never starts",
  ...options,
  fn: () =>
    served("v2", async (client, scene) => {
      const { structured: { servers } } = await client.call("skill_tools", {
        name: "it",
      });
      assert.equal(servers[0].state, "not-granted");
      for (
        const [tool, args] of [
          ["skill_tools", { name: "it", server: "it" }],
          ["skill_call", { ...ECHO, confirm: true }],
        ] as const
      ) {
        const { isError, text } = await client.call(tool, args);
        assert.equal(isError, true);
        assert.match(text[0]!, /NOT_GRANTED/);
      }
      assert.deepEqual([...Deno.readDirSync(scene.tree.path("data"))], []);
    }, { rows: false }),
});

Deno.test({
  name:
    "skill_call: with --no-run neither tool is offered, and both are refused by name",
  ...options,
  fn: () =>
    served("v2", async (client) => {
      const names = (await client.listTools()).map(({ name }) => name);
      assert.ok(
        !names.includes("skill_tools") && !names.includes("skill_call"),
      );
      const { text } = await client.call("skill_call", ECHO);
      assert.match(text[0]!, /RUN_DISABLED/);
    }, { args: ["--no-run"] }),
});

Deno.test({
  name:
    "skill_call: with SKILLFENCE_CONFIRM=plan a preview is good for one call, and trusted tools need none",
  ...options,
  fn: () =>
    served("v2-legacy", async (client) => {
      const call = async (more: Json) =>
        JSON.parse((await client.call("skill_call", more)).text[0]!);
      const preview = await call({ ...ECHO, confirm: true });
      assert.equal(preview.status, "preview");
      assert.match(preview.hint, /only what was previewed/);
      const confirmed = {
        ...ECHO,
        confirm: true,
        planDigest: preview.plan.digest,
      };
      assert.equal((await call(confirmed)).status, "done");
      assert.equal((await call(confirmed)).code, "CONFIRM_PLAN");
      const trusted = await call({ name: "it", server: "it", tool: "where" });
      assert.equal(trusted.status, "done");
    }, { env: { SKILLFENCE_CONFIRM: "plan" } }),
});
