/** docs/clients.md says what each client sees; each cell is tried here. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { connectHttp, startHttp } from "../http/server.ts";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { ask, PROBES, type Seen } from "./probes.ts";

const DOCUMENT = join(import.meta.dirname!, "../../docs/clients.md");

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\nBody.\n`;

const DECLARATION =
  "mcp-host:\n  version: 1\n  run:\n    - script: go.mjs\n      interpreter: deno\n";

const FILES = {
  "cache": { dir: true },
  "skills/a/SKILL.md": skill("a", DECLARATION),
  // Progress comes each second.
  "skills/a/go.mjs": "await new Promise((end) => setTimeout(end, 2500));\n",
  "skills/a/x.md": "x\n",
  "skills/b/SKILL.md": skill("b"),
  "skills/c/SKILL.md": skill("c", "triggers: [word]\n"),
  "skills/asks/SKILL.md": skill(
    "asks",
    "inputs: [{ name: what, required: true }]\n",
  ) + "Do as ${what}.\n",
  "skills/citing/SKILL.md": skill("citing", "references: [../shared/s.md]\n"),
  "skills/shared/s.md": "shared\n",
  "prompts/p.md": "Prompt.",
} as const;

const ENV = {
  MCP_SKILL_RUN: '[{"skill":"a","script":"go.mjs"}]',
  // What runs cost is measured elsewhere; here only that they are seen.
  SKILLFENCE_OS_FENCE: "off",
};

/** What the user writes into every form. */
const fillIn = (): Json => ({ action: "accept", content: { what: "told" } });

/** A client over each transport; what it hears is written down. */
const TRANSPORTS = {
  async stdio(line: Seen["line"], tree: Tree, end: AsyncDisposableStack) {
    const client = end.use(
      await connect(line, {
        args: ["--skills", tree.path("skills"), ...promptFlags(tree)],
        env: { ...ENV, SKILLFENCE_CACHE_DIR: tree.path("cache") },
        fillIn,
      }),
    );
    return client.sdk;
  },
  async http(line: Seen["line"], tree: Tree, end: AsyncDisposableStack) {
    const server = end.use(
      await startHttp({
        skills: tree.path("skills"),
        args: ["--allow-run", ...promptFlags(tree)],
        env: ENV,
        cacheDir: tree.path("cache"),
      }),
    );
    return end.use(await connectHttp(line, server, { fillIn })).raw;
  },
};

function promptFlags(tree: Tree): string[] {
  return ["--prompt-dir", JSON.stringify({ dir: tree.path("prompts") })];
}

/** Row name -> cells, as the document has them. */
async function documented(): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = (await Deno.readTextFile(DOCUMENT)).split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .filter((cells) => cells.length === 7);
  assert.deepEqual(rows[0]!.slice(1), [
    "v1, stdio",
    "v2-legacy, stdio",
    "v2, stdio",
    "v1, http",
    "v2-legacy, http",
    "v2, http",
  ]);
  return new Map(rows.slice(2).map(([name, ...cells]) => [name!, cells]));
}

Deno.test("docs/clients.md: has a row for everything that is tried, and no other", async () => {
  assert.deepEqual([...(await documented()).keys()], Object.keys(PROBES));
});

let column = 0;
for (const [transport, open] of Object.entries(TRANSPORTS)) {
  for (const line of LINES) {
    const at = column++;
    Deno.test({
      name:
        `clients: a ${line} client over ${transport} sees what docs/clients.md says`,
      ...processTest,
      async fn(t) {
        const table = await documented();
        await using tree = await makeTree(FILES);
        await Deno.chmod(tree.path("cache"), 0o700);
        await using end = new AsyncDisposableStack();
        const sdk = await open(line, tree, end);
        const heard: string[] = [];
        sdk.fallbackNotificationHandler = ({ method, params }: Json) => {
          heard.push(params?.uri ?? method);
          return Promise.resolve();
        };
        const client: Seen = { line, sdk, heard, tree };
        await watched(client);
        for (const [name, probe] of Object.entries(PROBES)) {
          await t.step(name, async () => {
            const cell = table.get(name)?.[at];
            assert.equal(await probe(client) ? "yes" : "no", cell);
          });
        }
      },
    });
  }
}

/** Until everything is watched and nothing moves any more. */
async function watched(client: Seen): Promise<void> {
  await until(async () => {
    const { structuredContent: { watch, moved } } = await ask(
      client,
      "tools/call",
      { name: "skill_list", arguments: { reload: true } },
    );
    return watch.every(({ state }: Json) => state === "watching") &&
      Object.values(moved).flat().length === 0;
  });
}
