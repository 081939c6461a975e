/** The Skills extension (SEP-2640) as clients of both lines see it. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { ask } from "../../support/asking.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../../support/clients.ts";
import { type Entry, makeTree, type Tree } from "../../support/tree.ts";

const EXTENSION = "io.modelcontextprotocol/skills";
const skill = (name: string, more = "", body = "Do it.\n") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${body}`;
const BINARY = new Uint8Array([0, 255, 254, 128, 10]);
const TREE: Record<string, Entry> = {
  "alpha/SKILL.md": skill("alpha", 'title: The first\nmetadata:\n  n: "1"\n'),
  "alpha/docs/a b#1%?.md": "odd name",
  "alpha/docs/é.md": "composed",
  "alpha/docs/e\u0301.md": "decomposed",
  "alpha/docs/😀.txt": "emoji",
  "alpha/logo.bin": BINARY,
  "alpha/empty/.keep": "hidden",
  "alpha/bom.md": "\ufeffmarked",
  "Acme/billing/SKILL.md": skill("billing"),
  "outer/SKILL.md": skill("outer", "references: [../shared/style.md]\n"),
  "outer/inner/SKILL.md": skill(
    "inner",
    "references: [../../shared/tone.md]\n",
  ),
  "outer/inner/tool.mjs": "1;\n",
  "shared/style.md": "---\nname: House style\n---\nWrite well.\n",
  "shared/tone.md": "Be kind.\n",
  "other-name/SKILL.md": skill("not-its-name"),
  "versioned/SKILL.md": skill("versioned", "metadata: { version: 1.0 }\n"),
  "nameless/SKILL.md": "---\nname: nameless\n---\nNo description.\n",
};

async function connected(
  line: (typeof LINES)[number],
  test: (client: TestClient, tree: Tree) => Promise<void>,
): Promise<void> {
  await using tree = await makeTree(TREE);
  await using client = await connect(line, { args: ["--skills", tree.root] });
  await test(client, tree);
  deepEqual(client.errors, []);
}

function invalid(message: RegExp) {
  return (error: Json) => {
    equal(error.code, -32602, String(error));
    match(error.message, message);
    return true;
  };
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function bytesAt(client: TestClient, uri: string): Promise<Uint8Array> {
  const { contents: [content] } = await client.sdk.readResource({ uri });
  equal(content.uri, uri);
  return bytesOf(content);
}

function bytesOf(content: Json): Uint8Array {
  return content.blob === undefined
    ? new TextEncoder().encode(content.text)
    : Uint8Array.from(atob(content.blob), (unit) => unit.charCodeAt(0));
}

for (const line of LINES) {
  Deno.test({
    name:
      `skills/list (${line}): every file once, digests equal the bytes read`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        const { extensions, resources } = client.capabilities as Json;
        deepEqual(extensions[EXTENSION], { directoryRead: true });
        deepEqual(resources, { subscribe: true, listChanged: true });
        const listed = await ask(client, "skills/list");
        deepEqual(listed.skills.map(({ uri }: Json) => uri), [
          "skill://Acme/billing/SKILL.md",
          "skill://alpha/SKILL.md",
          "skill://outer/SKILL.md",
          "skill://outer/inner/SKILL.md",
        ]);
        if (line === "v2") {
          deepEqual(
            [listed.ttlMs, listed.cacheScope],
            [86_400_000, "private"],
          );
        }
        deepEqual(listed.skills[1].frontmatter, {
          name: "alpha",
          description: "About alpha.",
          title: "The first",
          metadata: { n: "1" },
        });
        const seen = new Map<string, string>();
        for (const { uri, resources } of listed.skills) {
          const uris = resources.map(({ uri }: Json) => uri);
          equal(new Set(uris).size, uris.length);
          ok(uris.includes(uri));
          for (const file of resources) {
            const bytes = await bytesAt(client, file.uri);
            equal(file.size, bytes.length, file.uri);
            equal(file.digest, sha256(bytes), file.uri);
            equal(seen.get(file.uri) ?? file.digest, file.digest);
            seen.set(file.uri, file.digest);
          }
          const got = await ask(client, "skills/get", { uri });
          deepEqual(got.skill.resources, resources);
        }
        ok(seen.has("skill://alpha/docs/a%20b%231%25%3F.md"));
        ok(seen.has("skill://alpha/docs/%C3%A9.md"));
        ok(seen.has("skill://alpha/docs/e%CC%81.md"));
        ok(seen.has("skill://alpha/docs/%F0%9F%98%80.txt"));
        deepEqual(await bytesAt(client, "skill://alpha/logo.bin"), BINARY);
      }),
  });

  Deno.test({
    name:
      `skills/list (${line}): an outer skill lists the inner one's files and both skills' copies`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        const get = async (uri: string) =>
          (await ask(client, "skills/get", { uri })).skill.resources
            .map(({ uri }: Json) => uri);
        deepEqual(await get("skill://outer/SKILL.md"), [
          "skill://outer/SKILL.md",
          "skill://outer/inner/SKILL.md",
          "skill://outer/inner/shared/tone.md",
          "skill://outer/inner/tool.mjs",
          "skill://outer/shared/style.md",
        ]);
        deepEqual(await get("skill://outer/inner/SKILL.md"), [
          "skill://outer/inner/SKILL.md",
          "skill://outer/inner/shared/tone.md",
          "skill://outer/inner/tool.mjs",
        ]);
        equal(
          new TextDecoder().decode(
            await bytesAt(client, "skill://outer/shared/style.md"),
          ),
          TREE["shared/style.md"],
        );
      }),
  });

  Deno.test({
    name: `skills/get (${line}): -32602 for what is no served skill's SKILL.md`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        for (
          const uri of [
            "skill://alpha",
            "skill://alpha/",
            "skill://alpha/SKILL.md/",
            "skill://alpha/logo.bin",
            "skill://nobody/SKILL.md",
            "skill://other-name/SKILL.md",
            "skill://nameless/SKILL.md",
            "skill://versioned/SKILL.md",
            "skill://alpha/%53KILL.md",
            "skillfence://skills",
            "nonsense",
            "",
          ]
        ) {
          await rejects(ask(client, "skills/get", { uri }), invalid(/./), uri);
        }
        await rejects(ask(client, "skills/get", {}), invalid(/./));
        await rejects(
          ask(client, "skills/list", { cursor: "bm9uc2Vuc2U" }),
          invalid(/cursor/),
        );
        await rejects(
          ask(client, "skills/list", { cursor: "" }),
          invalid(/cursor/),
        );
      }),
  });

  Deno.test({
    name:
      `resources/directory/read (${line}): direct children, prefixes and empty directories`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        const read = async (uri: string) =>
          (await ask(client, "resources/directory/read", { uri })).resources;
        const names = async (uri: string) =>
          (await read(uri)).map(({ name, mimeType }: Json) =>
            mimeType === "inode/directory" ? `${name}/` : name
          );
        deepEqual(await names("skill://"), ["Acme/", "alpha/", "outer/"]);
        deepEqual(await names("skill://Acme"), ["billing/"]);
        deepEqual(await names("skill://alpha"), [
          "alpha",
          "bom.md",
          "docs/",
          "empty/",
          "logo.bin",
        ]);
        deepEqual(await read("skill://alpha/empty"), []);
        deepEqual(await names("skill://outer/inner/"), [
          "inner",
          "shared/",
          "tool.mjs",
        ]);
        deepEqual(await names("skill://outer/shared"), ["style.md"]);
        const [main, , docs] = await read("skill://alpha");
        deepEqual(docs, {
          uri: "skill://alpha/docs",
          name: "docs",
          mimeType: "inode/directory",
        });
        deepEqual(
          [main.uri, main.title, main.description, main.mimeType],
          [
            "skill://alpha/SKILL.md",
            "The first",
            "About alpha.",
            "text/markdown",
          ],
        );
        for (
          const uri of [
            "skill://alpha/SKILL.md",
            "skill://alph",
            "skill://alpha/none",
            "skill://alpha/empty/.keep",
            "skill://alpha//",
            "skill://other-name",
            "skill://shared",
            "file:///",
          ]
        ) {
          await rejects(read(uri), invalid(/is not a directory/), uri);
        }
        await rejects(
          ask(client, "resources/directory/read", {
            uri: "skill://alpha",
            cursor: "x",
          }),
          invalid(/cursor/),
        );
      }),
  });

  Deno.test({
    name:
      `skills (${line}): what the extension leaves out stays in the tools, and a problem says why`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        const list = await client.call("skill_list");
        const problems = list.structured.problems
          .filter(({ reason }: Json) => reason === "left-out")
          .map(({ skill }: Json) => skill).sort();
        deepEqual(problems, ["nameless", "other-name", "versioned"]);
        const load = await client.call("skill_load", { name: "other-name" });
        equal(load.text[0], "Do it.\n");
      }),
  });
}

Deno.test({
  name:
    "skills: the official client verifies every file, before and after an edit",
  ...processTest,
  fn: () =>
    connected("v2", async (client, tree) => {
      const skills = new SkillsClient(client.sdk);
      equal(skills.directoryRead, true);
      const verifyAll = async () => {
        const { skills: entries } = await skills.list();
        for (const entry of entries) {
          for (const { uri } of entry.resources as { uri: string }[]) {
            const file = await skills.read(entry, uri);
            equal(file.verified, true, uri);
          }
        }
        return entries.length;
      };
      equal(await verifyAll(), 4);
      // No rescan knows of this edit: the entry is of the file as it is now.
      await Deno.writeTextFile(
        tree.path("alpha", "SKILL.md"),
        skill("alpha", "title: Another\n", "Other body.\n"),
      );
      await Deno.writeTextFile(tree.path("alpha", "bom.md"), "changed");
      const { skill: entry } = await skills.get("skill://alpha/SKILL.md");
      equal(entry.frontmatter["title"], "Another");
      const files = entry.resources as { uri: string; digest: string }[];
      for (const { uri, digest } of files) {
        const { contents: [content] } = await client.sdk.readResource({ uri }, {
          cacheMode: "refresh",
        });
        equal(digest, sha256(bytesOf(content)), uri);
      }
    }),
});
