/** How the server ends. */

import assert from "node:assert/strict";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { connectHttp, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILLS = {
  "s/a/SKILL.md":
    "---\nname: a\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: slow.mjs\n      interpreter: node\n      timeout: 60\n---\n",
  "s/a/slow.mjs":
    "import fs from 'node:fs'; fs.writeFileSync(process.env.MCP_DATA_DIR + '/started', ''); await new Promise((r) => setTimeout(r, Number(process.argv[2]))); console.log('through');\n",
};

async function scene() {
  const stack = new AsyncDisposableStack();
  const tree = stack.use(await makeTree({ ...SKILLS, data: { dir: true } }));
  await Deno.chmod(tree.path("data"), 0o755);
  const server = stack.use(
    await startHttp({
      skills: tree.path("s"),
      args: ["--allow-run"],
      env: {
        MCP_SKILL_RUN: JSON.stringify([{ skill: "a", script: "slow.mjs" }]),
        MCP_DATA_DIR: tree.path("data"),
      },
    }),
  );
  const started = () =>
    until(async () => {
      for await (const { name } of Deno.readDir(tree.path("data"))) {
        const found = await Deno.stat(tree.path("data", name, "started"))
          .catch(() => undefined);
        if (found !== undefined) return true;
      }
      return false;
    });
  return Object.assign(stack, { server, started });
}

for (const line of ["v1", "v2"] as const) {
  Deno.test({
    name:
      `http drain: on SIGTERM a run under way is answered to its ${line} client, streams close, nothing new is taken, exit 0`,
    ...processTest,
    async fn() {
      await using all = await scene();
      const { server } = all;
      await using client = await connectHttp(line, server);
      const running = client.request("tools/call", {
        name: "skill_run",
        arguments: {
          name: "a",
          script: "slow.mjs",
          args: ["1500"],
          confirm: true,
        },
      });
      await all.started();
      server.child.kill("SIGTERM");
      await until(async () => {
        try {
          const response = await fetch(`${server.origin}/readyz`);
          await response.body?.cancel();
          return response.status === 503;
        } catch {
          return true;
        }
      });
      const { structuredContent } = await running;
      assert.equal(structuredContent?.status, "done");
      assert.equal(structuredContent.stdout, "through\n");
      assert.equal((await server.status).code, 0);
    },
  });
}

Deno.test({
  name: "http drain: a second signal ends the server at once, and its runs",
  ...processTest,
  async fn() {
    await using all = await scene();
    const { server } = all;
    const client = await connectHttp("v2", server);
    const running = client.request("tools/call", {
      name: "skill_run",
      arguments: {
        name: "a",
        script: "slow.mjs",
        args: ["50000"],
        confirm: true,
      },
    }).catch((error: unknown) => error);
    await all.started();
    server.child.kill("SIGTERM");
    await until(async () => {
      try {
        const response = await fetch(`${server.origin}/readyz`);
        await response.body?.cancel();
        return response.status === 503;
      } catch {
        return true;
      }
    });
    server.child.kill("SIGTERM");
    const { code } = await server.status;
    assert.equal(code, 143);
    assert.ok(await running instanceof Error);
    await client.raw.close().catch(() => {});
  },
});

Deno.test({
  name:
    "http drain: a run that takes longer than is waited for is ended, its client is told, exit 0",
  ...processTest,
  async fn() {
    await using all = await scene();
    const { server } = all;
    await using client = await connectHttp("v2", server);
    const running = client.request("tools/call", {
      name: "skill_run",
      arguments: {
        name: "a",
        script: "slow.mjs",
        args: ["50000"],
        confirm: true,
      },
    });
    await all.started();
    server.child.kill("SIGTERM");
    const { structuredContent } = await running;
    assert.equal(structuredContent.stdout, "");
    assert.match(structuredContent.signal, /^SIG/);
    assert.equal((await server.status).code, 0);
  },
});
