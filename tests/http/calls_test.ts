/** Progress and cancellation of calls over HTTP. */

import assert from "node:assert/strict";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { connectHttp, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILLS = {
  "s/a/SKILL.md":
    "---\nname: a\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: slow.mjs\n      interpreter: node\n      timeout: 60\n---\n",
  "s/a/slow.mjs":
    "import fs from 'node:fs'; const mark = (name) => fs.writeFileSync(process.env.MCP_DATA_DIR + '/' + name, ''); mark('started'); await new Promise((r) => setTimeout(r, Number(process.argv[2]))); mark('ended');\n",
};

async function scene() {
  const stack = new AsyncDisposableStack();
  const tree = stack.use(await makeTree({ ...SKILLS, data: { dir: true } }));
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
  const has = async (mark: string): Promise<boolean> => {
    for await (const { name } of Deno.readDir(tree.path("data"))) {
      try {
        await Deno.stat(tree.path("data", name, mark));
        return true;
      } catch {
        // Not there yet.
      }
    }
    return false;
  };
  const metric = async (line: RegExp) =>
    line.exec(await (await server.fetch("/metrics")).text())?.[1];
  return Object.assign(stack, { server, has, metric });
}

function run(ms: number) {
  return {
    name: "skill_run",
    arguments: {
      name: "a",
      script: "slow.mjs",
      args: [`${ms}`],
      confirm: true,
    },
  };
}

for (const line of ["v1", "v2-legacy", "v2"] as const) {
  Deno.test({
    name:
      `http calls: a ${line} client hears of a run's progress while it waits`,
    ...processTest,
    async fn() {
      await using all = await scene();
      await using client = await connectHttp(line, all.server);
      const heard: string[] = [];
      const onprogress = ({ message }: { message?: string }) =>
        heard.push(message ?? "");
      const result = line === "v1"
        ? await client.raw.callTool(run(2500), undefined, { onprogress })
        : await client.raw.callTool(run(2500), { onprogress });
      assert.equal(result.structuredContent.status, "done");
      assert.ok(heard.length > 0);
    },
  });

  Deno.test({
    name: `http calls: a run that its ${line} client cancels is ended`,
    ...processTest,
    async fn() {
      await using all = await scene();
      await using client = await connectHttp(line, all.server);
      const cancel = new AbortController();
      const options = { signal: cancel.signal };
      const call = (line === "v1"
        ? client.raw.callTool(run(30_000), undefined, options)
        : client.raw.callTool(run(30_000), options)) as Promise<unknown>;
      const failed = call.then(() =>
        false, () => true);
      await until(() => all.has("started"));
      cancel.abort("enough");
      assert.ok(await failed);
      await until(
        async () =>
          await all.metric(/refusals_total\{code="CANCELLED"\} (\d+)/) ===
            "1" ||
          await all.metric(/runs_total\{end="signal"\} (\d+)/) === "1",
      );
      assert.ok(!await all.has("ended"));
    },
  });
}

Deno.test({
  name: "http calls: a 2025 client that ends its session ends its run",
  ...processTest,
  async fn() {
    await using all = await scene();
    const client = await connectHttp("v1", all.server);
    const call = client.raw.callTool(run(30_000)).catch(() => {});
    await until(() => all.has("started"));
    await client.raw.transport.terminateSession();
    await until(
      async () =>
        await all.metric(/^skillfence_sessions (\d+)$/m) === "0" &&
        await all.metric(/^skillfence_requests_under_way (\d+)$/m) === "0" &&
        (await all.metric(/refusals_total\{code="CANCELLED"\} (\d+)/) === "1" ||
          await all.metric(/runs_total\{end="signal"\} (\d+)/) === "1"),
    );
    assert.ok(!await all.has("ended"));
    await client.raw.close();
    await call;
  },
});
