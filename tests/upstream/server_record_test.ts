import assert from "node:assert/strict";
import {
  declarationChanges,
  fileChanges,
  recordDigest,
  recordOf,
  toolChanges,
  toolRecord,
  toolsDigest,
} from "../../src/upstream/server_record.ts";

const STDIO = {
  kind: "stdio",
  command: "node",
  args: ["a"],
  env: { A: "1", B: "2" },
} as const;
const BUNDLE = `sha256:${"0".repeat(64)}`;
const digest = (transport: Parameters<typeof recordOf>[0]["transport"]) =>
  recordDigest(recordOf({ transport }, BUNDLE));

Deno.test("recordDigest: covers what runs and names, not values and not their order", () => {
  const same = digest(STDIO);
  assert.match(same, /^sha256:[0-9a-f]{64}$/);
  assert.equal(digest({ ...STDIO, env: { B: "x", A: "y" } }), same);
  const others = [
    digest({ ...STDIO, command: "nod" }),
    digest({ ...STDIO, args: [] }),
    digest({ ...STDIO, args: ["a", "b"] }),
    digest({ ...STDIO, env: { A: "1" } }),
    digest({ kind: "http", url: "node", headers: {} }),
    digest({ kind: "http", url: "node", headers: { A: "" } }),
    recordDigest(recordOf({ transport: STDIO }, BUNDLE.replace("0", "1"))),
  ];
  assert.equal(new Set([same, ...others]).size, others.length + 1);
});

Deno.test("toolsDigest: any word of any tool, and not the order", () => {
  const [a, b] = [{ name: "a", description: "d" }, { name: "b" }];
  const same = toolsDigest(toolRecord([a, b]));
  assert.equal(toolsDigest(toolRecord([b, a])), same);
  for (const other of [[a], [a, { name: "b", x: 1 }], [b, { name: "a" }], []]) {
    assert.notEqual(toolsDigest(toolRecord(other)), same);
  }
});

Deno.test("changes: each kind is named", () => {
  const before = recordOf({ transport: STDIO }, BUNDLE);
  const after = recordOf({
    transport: { kind: "stdio", command: "python3", args: [], env: { C: "" } },
  }, BUNDLE.replace("0", "1"));
  assert.equal(
    declarationChanges(before, after, "files changed: server.mjs"),
    "another command; another list of arguments; variables added: C; variables removed: A, B; files changed: server.mjs",
  );
  assert.equal(declarationChanges(before, before), "");
  const tools = toolChanges(
    toolRecord([{ name: "a" }, { name: "b" }]),
    toolRecord([{ name: "b", ...{ x: 1 } }, { name: "c\u202e" }]),
  );
  assert.equal(
    tools,
    "tools added: c\\u{202e}; tools removed: a; tools changed: b",
  );
  assert.equal(
    fileChanges(new Map([["a", "1"]]), new Map([["a", "2"], ["b", "1"]])),
    "files changed: a; files added: b",
  );
});
