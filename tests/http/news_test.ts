/** What clients are told of changes, over HTTP. */

import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { HTTP_BOUNDS } from "../../src/http/bounds.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { JSON_HEADERS, modernBody, modernHeaders } from "./raw.ts";
import { connectHttp, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILLS = {
  "a/SKILL.md": "---\nname: a\ndescription: first\n---\nOne.\n",
  "b/SKILL.md": "---\nname: b\ndescription: second\n---\nTwo.\n",
};
const LIST = "notifications/resources/list_changed";
const UPDATED = "notifications/resources/updated";

for (const line of ["v1", "v2-legacy"] as const) {
  Deno.test({
    name:
      `http news: a ${line} session hears of list changes and of the address it subscribed to, not of others`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(SKILLS);
      await using server = await startHttp({ skills: tree.root });
      await using client = await connectHttp(line, server);
      let lists = 0;
      const uris: string[] = [];
      client.onNotification(LIST, () => lists += 1);
      client.onNotification(UPDATED, ({ uri }: Json) => uris.push(uri));
      await client.request("resources/subscribe", {
        uri: "skill://a/SKILL.md",
      });
      await until(async () => {
        const page = await (await server.fetch("/metrics")).text();
        return /watched_directories\{state="watching"\} [1-9]/.test(page);
      });
      await tree.write({
        "b/SKILL.md": "---\nname: b\ndescription: other\n---\nTwo.\n",
      });
      await until(() => lists >= 1);
      assert.deepEqual(uris, []);
      await tree.write({
        "a/SKILL.md": "---\nname: a\ndescription: other\n---\nOne.\n",
      });
      await until(() => uris.length > 0);
      await until(() => lists >= 2);
      assert.deepEqual(uris, ["skill://a/SKILL.md"]);
    },
  });
}

Deno.test({
  name:
    "http news: subscriptions/listen of 2026-07-28 gets what it asked for, once, and counts as a subscription",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({ skills: tree.root });
    await until(async () => {
      const page = await (await server.fetch("/metrics")).text();
      return /watched_directories\{state="watching"\} [1-9]/.test(page);
    });
    const response = await server.fetch("/mcp", {
      method: "POST",
      headers: modernHeaders("subscriptions/listen"),
      body: modernBody("subscriptions/listen", {
        notifications: {
          resourcesListChanged: true,
          resourceSubscriptions: ["skill://a/SKILL.md"],
        },
      }),
    });
    assert.equal(response.status, 200);
    let text = "";
    const reading = (async () => {
      for await (const chunk of response.body!) {
        text += new TextDecoder().decode(chunk);
      }
    })().catch(() => {});
    const open = async () =>
      /^skillfence_subscriptions (\d+)$/m.exec(
        await (await server.fetch("/metrics")).text(),
      )![1];
    await until(async () => await open() === "1");
    await tree.write({
      "a/SKILL.md": "---\nname: a\ndescription: other\n---\nOne.\n",
      "b/SKILL.md": "---\nname: b\ndescription: other\n---\nTwo.\n",
    });
    await until(() => text.includes(UPDATED) && text.includes(LIST));
    assert.equal(text.split(UPDATED).length - 1, 1, text);
    assert.match(text, /skill:\/\/a\/SKILL\.md/);
    assert.ok(!text.includes("skill://b/"));
    server.child.kill("SIGTERM");
    await reading;
    assert.equal((await server.status).code, 0);
  },
});

Deno.test({
  name:
    "http news: of very many subscriptions as many as are allowed are open, and calls are answered beside them",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({ skills: tree.root });
    const body = modernBody("subscriptions/listen", {
      notifications: { resourcesListChanged: true },
    });
    const head = Object.entries({
      host: "localhost",
      authorization: `Bearer ${server.token}`,
      "content-length": String(body.length),
      ...modernHeaders("subscriptions/listen"),
    }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const connections: Deno.Conn[] = [];
    const listen = async () => {
      const connection = await Deno.connect({
        hostname: "127.0.0.1",
        port: server.port,
      });
      connections.push(connection);
      await connection.write(
        new TextEncoder().encode(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`),
      );
      let text = "";
      const buffer = new Uint8Array(4096);
      while (!/acknowledged|error/.test(text)) {
        const read = await connection.read(buffer);
        if (read === null) break;
        text += new TextDecoder().decode(buffer.subarray(0, read));
      }
      return text;
    };
    const { maxSubscriptions } = HTTP_BOUNDS;
    for (let i = 0; i < maxSubscriptions; i++) {
      assert.match(await listen(), /acknowledged/);
    }
    assert.match(await listen(), /Subscription limit reached/);
    await using client = await connectHttp("v2", server);
    assert.equal((await client.request("tools/list")).tools.length, 4);
    for (const connection of connections) connection.close();
    const open = async () =>
      /^skillfence_subscriptions (\d+)$/m.exec(
        await (await server.fetch("/metrics")).text(),
      )![1];
    await until(async () => await open() === "0");
  },
});

Deno.test({
  name:
    "http runs: without --allow-run the tools are neither listed nor answered, with it they are",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    for (const allowed of [false, true]) {
      await using server = await startHttp({
        skills: tree.root,
        args: allowed ? ["--allow-run"] : [],
      });
      await using client = await connectHttp("v2", server);
      const { tools } = await client.request("tools/list");
      const names = tools.map(({ name }: { name: string }) => name);
      for (const name of ["skill_run", "skill_preview"]) {
        assert.equal(names.includes(name), allowed, name);
        const { structuredContent } = await client.request("tools/call", {
          name,
          arguments: { name: "a", script: "x.mjs" },
        });
        assert.equal(
          structuredContent.code,
          allowed ? "UNKNOWN_SCRIPT" : "RUN_DISABLED",
          JSON.stringify(structuredContent),
        );
      }
    }
  },
});

Deno.test({
  name:
    "http runs: without --allow-run each script says that this is why it does not run",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "a/SKILL.md":
        "---\nname: a\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: x.mjs\n      interpreter: node\n---\n",
      "a/x.mjs": "",
    });
    await using server = await startHttp({ skills: tree.root });
    await using client = await connectHttp("v2", server);
    const { structuredContent } = await client.request("tools/call", {
      name: "skill_list",
      arguments: {},
    });
    assert.deepEqual(structuredContent.skills[0].unavailableScripts, [{
      script: "x.mjs",
      reason: "this server was started without --allow-run",
    }]);
  },
});

Deno.test({
  name:
    "http: --no-token on loopback asks for none, and Host and Origin are checked all the same",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({
      skills: tree.root,
      args: ["--no-token"],
    });
    await using client = await connectHttp("v2", server);
    assert.equal((await client.request("tools/list")).tools.length, 4);
    const foreign = await fetch(`${server.origin}/mcp`, {
      method: "POST",
      headers: { ...JSON_HEADERS, origin: "https://evil.example" },
      body: "{}",
    });
    await foreign.body?.cancel();
    assert.equal(foreign.status, 403);
  },
});
