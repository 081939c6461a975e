/** What a client may see of the server, each with the way it is tried. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import type { Json, Line } from "../support/clients.ts";
import type { Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

/** A connected client, whatever its SDK and transport. */
export interface Seen {
  readonly line: Line;
  readonly sdk: Json;
  /** Methods of the notifications so far; addresses of updated resources. */
  readonly heard: string[];
  readonly tree: Tree;
}

/** True: it works. False: the refusal that is meant came; anything else throws. */
export type Probe = (client: Seen) => Promise<boolean>;

const LISTS = "notifications/resources/list_changed";
const PROMPTS = "notifications/prompts/list_changed";
const A = "skill://a/SKILL.md";
const B = "skill://b/SKILL.md";
/** -32601 by the server; the SDK's own words where it does not even ask. */
const NO_METHOD = /-32601|method not found|not supported|does not support/i;

/** Any method and its parameters. */
export async function ask(
  { sdk }: Pick<Seen, "sdk">,
  method: string,
  params: Record<string, unknown> = {},
): Promise<Json> {
  return await sdk.request({ method, params }, z.looseObject({}));
}

/** False when the method is none of this protocol line. */
async function has(asking: () => Promise<unknown>): Promise<boolean> {
  try {
    await asking();
    return true;
  } catch (error) {
    assert.match(String(error), NO_METHOD);
    return false;
  }
}

/** The skill's text on disk, each time another. */
async function edit({ tree }: Seen, name: string, again: string) {
  await tree.write({
    [`skills/${name}/SKILL.md`]:
      `---\nname: ${name}\ndescription: About ${name}, ${again}.\n---\nBody.\n`,
  });
}

async function call(client: Seen, name: string, args: Json): Promise<Json> {
  const result = await ask(client, "tools/call", { name, arguments: args });
  assert.notEqual(result.isError, true, JSON.stringify(result.content));
  return result;
}

/** Rows of the table in docs/clients.md by their first cell, in order. */
export const PROBES: Readonly<Record<string, Probe>> = {
  "Tools": async (client) => {
    const { tools } = await ask(client, "tools/list");
    const names = tools.map(({ name }: Json) => name);
    for (const name of ["skill_list", "skill_load", "skill_file"]) {
      assert.ok(names.includes(name), name);
    }
    const { structuredContent } = await call(client, "skill_list", {});
    return structuredContent.skills.length >= 2;
  },
  "Skills that come up: `skill_match`": async (client) => {
    const { content } = await call(client, "skill_match", {
      message: "a word of c",
    });
    const report = JSON.parse(content[0].text);
    assert.equal(report.hits[0].skill, "c");
    return content[report.hits[0].block].text.includes("<EXTRA_INFO>");
  },
  "A form for what a task skill requires": async ({ sdk }) => {
    const { content } = await sdk.callTool({
      name: "skill_load",
      arguments: { name: "asks" },
    });
    return content[0].text.includes("Do as told.");
  },
  "A run, with its progress": async (client) => {
    const reports: string[] = [];
    const params = {
      name: "skill_run",
      arguments: { name: "a", script: "go.mjs", confirm: true },
    };
    const options = {
      timeout: 60_000,
      onprogress: ({ message }: Json) => reports.push(message),
    };
    const { isError, content } = client.line === "v1"
      ? await client.sdk.callTool(params, undefined, options)
      : await client.sdk.callTool(params, options);
    assert.notEqual(isError, true, JSON.stringify(content));
    return reports.length > 0;
  },
  "The server's instructions": ({ sdk }) =>
    Promise.resolve(/skill_list/.test(sdk.getInstructions() ?? "")),
  "Resources: list, read, template": async (client) => {
    const { resources } = await ask(client, "resources/list");
    const uris = resources.map(({ uri }: Json) => uri);
    assert.ok(uris.includes("skillfence://skills") && uris.includes(A));
    const read = await ask(client, "resources/read", { uri: "skill://a/x.md" });
    assert.equal(read.contents[0].text, "x\n");
    const { resourceTemplates } = await ask(
      client,
      "resources/templates/list",
    );
    return resourceTemplates.length === 1;
  },
  "Skills extension: list, get, directory read": async (client) => {
    const { skills } = await ask(client, "skills/list");
    assert.ok(skills.some(({ uri }: Json) => uri === A));
    const { skill } = await ask(client, "skills/get", { uri: A });
    assert.match(skill.resources[0].digest, /^sha256:[0-9a-f]{64}$/);
    const { resources } = await ask(client, "resources/directory/read", {
      uri: "skill://a",
    });
    return resources.some(({ uri }: Json) => uri === "skill://a/x.md");
  },
  "Prompts: list, get": async (client) => {
    const { prompts } = await ask(client, "prompts/list");
    const names = prompts.map(({ name }: Json) => name);
    assert.ok(names.includes("p") && names.includes("a"), names.join());
    const { messages } = await ask(client, "prompts/get", { name: "p" });
    return messages[0].content.text === "Prompt.";
  },
  "Completions of addresses and of prompts' arguments": async (client) => {
    const complete = (ref: Json, name: string, value: string) =>
      ask(client, "completion/complete", { ref, argument: { name, value } });
    const { completion } = await complete(
      { type: "ref/resource", uri: "skill://{+path}" },
      "path",
      "a/x",
    );
    assert.deepEqual(completion.values, ["a/x.md"]);
    const { completion: none } = await complete(
      { type: "ref/prompt", name: "a" },
      "task",
      "w",
    );
    return none.values.length === 0;
  },
  "List changes without asking for them": async (client) => {
    client.heard.length = 0;
    await edit(client, "b", "unasked");
    if (client.line === "v2") {
      // What is sent unasked would be here before the answer to this.
      await untilListed(client, "unasked");
      await ask(client, "tools/list");
      return client.heard.length > 0;
    }
    await until(() => client.heard.includes(LISTS));
    await until(() => client.heard.includes(PROMPTS));
    return true;
  },
  "`resources/subscribe`: updates of what was asked for": async (client) => {
    if (!await has(() => ask(client, "resources/subscribe", { uri: A }))) {
      return false;
    }
    client.heard.length = 0;
    await edit(client, "b", "subscribed");
    await until(() => client.heard.includes(LISTS));
    await edit(client, "a", "subscribed");
    await until(() => client.heard.includes(A));
    assert.ok(!client.heard.includes(B));
    await ask(client, "resources/unsubscribe", { uri: A });
    return true;
  },
  "`subscriptions/listen`: list changes and updates": async (client) => {
    if (client.line !== "v2") {
      return await has(() =>
        ask(client, "subscriptions/listen", {
          notifications: { resourcesListChanged: true },
        })
      );
    }
    const listening = await client.sdk.listen({
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: [A],
    });
    client.heard.length = 0;
    await edit(client, "b", "listened");
    await until(() => client.heard.includes(LISTS));
    await edit(client, "a", "listened");
    await until(() => client.heard.includes(A));
    assert.ok(client.heard.includes(PROMPTS));
    assert.ok(!client.heard.includes(B));
    await listening.close();
    return true;
  },
  "How long an answer holds (`ttlMs`)": async (client) => {
    const { ttlMs } = await ask(client, "resources/list");
    return typeof ttlMs === "number";
  },
  "Absolute paths and `file://` addresses": async (client) => {
    const text = JSON.stringify(
      await call(client, "skill_load", { name: "citing" }),
    );
    const shown = text.includes(client.tree.root);
    const uri = pathToFileURL(client.tree.path("skills/shared/s.md")).href;
    try {
      await ask(client, "resources/read", { uri });
      assert.ok(shown);
      return true;
    } catch (error) {
      assert.equal((error as Json).code, -32602, String(error));
      assert.ok(!shown, text);
      return false;
    }
  },
  "Asked by the server: sampling; its log": ({ sdk }) => {
    const { logging } = sdk.getServerCapabilities();
    return Promise.resolve(logging !== undefined);
  },
};

/** Until the catalogue holds an edit. */
async function untilListed(client: Seen, word: string): Promise<void> {
  await until(async () => {
    const { structuredContent } = await call(client, "skill_list", {});
    return JSON.stringify(structuredContent).includes(word);
  });
}
