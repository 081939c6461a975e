/** What stands in messages of both protocol lines, as it crosses the wire. */

import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { processTest } from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { makeTree } from "../support/tree.ts";

const EXTENSION = "io.modelcontextprotocol/skills";
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};
const TREE = {
  "acme/refunds/SKILL.md":
    "---\nname: refunds\ntitle: T\ndescription: d\nreferences: [../../a b.md]\n---\nBody.\n",
  "acme/refunds/empty.txt": "",
  "alpha/SKILL.md": "---\nname: alpha\ndescription: d\n---\n",
  "a b.md": "Shared.\n",
};

async function initialized(server: RawServer, version: string): Promise<Json> {
  const { result } = await server.request("initialize", {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  });
  await server.notify("notifications/initialized");
  return result;
}

Deno.test({
  name:
    "stdio: initialize takes every older revision, and answers 2025-11-25 to 2026-07-28 and to what is none",
  ...processTest,
  async fn() {
    await using tree = await makeTree(TREE);
    for (
      const [asked, given] of [
        ["2024-11-05", "2024-11-05"],
        ["2025-03-26", "2025-03-26"],
        ["2025-06-18", "2025-06-18"],
        ["2025-11-25", "2025-11-25"],
        ["2026-07-28", "2025-11-25"],
        ["1999-01-01", "2025-11-25"],
      ] as const
    ) {
      await using server = new RawServer({ args: ["--skills", tree.root] });
      const result = await initialized(server, asked);
      assert.equal(result.protocolVersion, given, asked);
      assert.deepEqual(result.capabilities.extensions[EXTENSION], {
        directoryRead: true,
      });
      const list = (await server.request("skills/list")).result;
      assert.ok(!("resultType" in list), asked);
    }
  },
});

Deno.test({
  name:
    "skills methods on the wire: the fields of an entry, resultType and ttlMs of 2026-07-28 alone, and their errors",
  ...processTest,
  async fn() {
    await using tree = await makeTree(TREE);
    await using old = new RawServer({ args: ["--skills", tree.root] });
    await initialized(old, "2025-11-25");
    await using modern = new RawServer({ args: ["--skills", tree.root] });
    for (const [server, meta] of [[old, {}], [modern, MODERN]] as const) {
      const ask = (method: string, params: Json = {}) =>
        server.request(method, { ...meta, ...params });
      const { result } = await ask("skills/list");
      const [refunds] = result.skills;
      assert.deepEqual(
        result.skills.map(({ uri }: Json) => uri),
        ["skill://acme/refunds/SKILL.md", "skill://alpha/SKILL.md"],
      );
      assert.deepEqual(Object.keys(refunds).sort(), [
        "frontmatter",
        "resources",
        "uri",
      ]);
      assert.deepEqual(refunds.frontmatter, {
        name: "refunds",
        title: "T",
        description: "d",
        references: ["../../a b.md"],
      });
      for (const file of refunds.resources) {
        assert.deepEqual(Object.keys(file).sort(), ["digest", "size", "uri"]);
      }
      // The digest of nothing is known to everybody.
      assert.ok(
        refunds.resources.some((file: Json) =>
          file.uri === "skill://acme/refunds/empty.txt" && file.size === 0 &&
          file.digest ===
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
      );
      const directory = await ask("resources/directory/read", {
        uri: "skill://acme",
      });
      const modernOnly = server === modern ? [86_400_000, "private"] : [];
      for (const { ttlMs, cacheScope } of [result, directory.result]) {
        assert.deepEqual(
          [ttlMs, cacheScope].filter((value) => value !== undefined),
          modernOnly,
        );
      }
      for (const each of [result, directory.result]) {
        assert.equal(
          each.resultType,
          server === modern ? "complete" : undefined,
        );
      }
      for (const method of ["skills/get", "resources/directory/read"]) {
        for (const uri of [undefined, 7, null, ["skill://alpha"]]) {
          const { error } = await ask(method, { uri });
          assert.equal(error?.code, -32602, `${method} ${uri}`);
        }
      }
      for (const method of ["skills/nonsense", "acme/other", "skills/read"]) {
        assert.equal((await ask(method)).error?.code, -32601, method);
      }
      const shared = await ask("resources/read", {
        uri: `file://${tree.root}/a%20b.md`,
      });
      assert.equal(shared.result.contents[0].text, "Shared.\n");
    }
  },
});

Deno.test({
  name: "skillfence://skills: an empty catalogue has its header and says so",
  ...processTest,
  async fn() {
    await using tree = await makeTree();
    await using server = new RawServer({ args: ["--skills", tree.root] });
    await initialized(server, "2025-11-25");
    const { result } = await server.request("resources/read", {
      uri: "skillfence://skills",
    });
    const [{ text }] = result.contents;
    assert.match(text, /call the tool `skill_load`/);
    assert.match(text, /There is no skill\./);
    const list = await server.request("skills/list");
    assert.deepEqual(list.result.skills, []);
  },
});
