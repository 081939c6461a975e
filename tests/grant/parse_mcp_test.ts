import assert from "node:assert/strict";
import { readMcpGrant } from "../../src/grant/parse_mcp.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;
const TOOLS = `sha256:${"b".repeat(64)}`;
const ROW = { skill: "s", server: "x", digest: DIGEST, tools: TOOLS };

const read = (...rows: readonly unknown[]) =>
  readMcpGrant(JSON.stringify(rows));

Deno.test("readMcpGrant: unset and blank grant nothing and say nothing", () => {
  for (const text of [undefined, "", "  \n"]) {
    assert.deepEqual(readMcpGrant(text), { rows: [], notes: [] });
  }
});

Deno.test("readMcpGrant: a row with all of it, and one with what is required", () => {
  const full = {
    ...ROW,
    env: ["API_KEY", "API_KEY"],
    net: true,
    trusted: ["look"],
    unfenced: true,
    url: "http://127.0.0.1:1/mcp",
    workspace: "/home/me/project",
  };
  const { rows, notes } = read(full, ROW);
  assert.deepEqual(notes, []);
  assert.deepEqual(rows, [
    { ...full, index: 0, env: ["API_KEY"] },
    {
      ...ROW,
      index: 1,
      env: [],
      net: false,
      trusted: [],
      unfenced: false,
      url: undefined,
      workspace: undefined,
    },
  ]);
});

Deno.test("readMcpGrant: what is no JSON array grants nothing, and says so", () => {
  for (const text of ["{}", "{", "null", '"x"', "${MCP}"]) {
    const { rows, notes } = readMcpGrant(text);
    assert.deepEqual(rows, [], text);
    assert.equal(notes[0]?.reason, "mcp-unreadable", text);
  }
});

Deno.test("readMcpGrant: a bad row voids itself alone, and its note says why", () => {
  const bad: [unknown, RegExp][] = [
    [[], /not an object/],
    [{ ...ROW, skill: "" }, /skill/],
    [{ ...ROW, server: 1 }, /server/],
    [{ ...ROW, digest: undefined }, /it has no digest/],
    [{ ...ROW, digest: "sha256:abc" }, /digest/],
    [{ ...ROW, tools: undefined }, /it has no tools/],
    [{ ...ROW, tools: DIGEST.slice(1) }, /tools/],
    [{ ...ROW, env: "API_KEY" }, /env/],
    [{ ...ROW, env: ["LD_PRELOAD"] }, /LD_PRELOAD/],
    [{ ...ROW, env: [{ name: "A" }] }, /env/],
    [{ ...ROW, net: "yes" }, /net/],
    [{ ...ROW, unfenced: 1 }, /unfenced/],
    [{ ...ROW, trusted: [1] }, /trusted/],
    [{ ...ROW, url: "file:///etc/passwd" }, /url/],
    [{ ...ROW, workspace: "project" }, /workspace/],
  ];
  for (const [row, why] of bad) {
    const { rows, notes } = read(row, { ...ROW, skill: "other" });
    assert.deepEqual(rows.map(({ skill }) => skill), ["other"]);
    assert.equal(notes.length, 1, JSON.stringify(row));
    assert.equal(notes[0]!.reason, "mcp-row");
    assert.match(notes[0]!.detail, why);
  }
});

Deno.test("readMcpGrant: a second row for one server is void, an unknown key is named", () => {
  const { rows, notes } = read(
    { ...ROW, tool: [] },
    { ...ROW, net: true },
    { ...ROW, workspace: "/w" },
  );
  assert.deepEqual(rows.map(({ index }) => index), [0, 2]);
  assert.deepEqual(notes.map(({ reason }) => reason), ["mcp-key", "mcp-row"]);
  assert.match(notes[0]!.detail, /"tool"/);
});
