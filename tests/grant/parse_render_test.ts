import assert from "node:assert/strict";
import { readRenderGrant } from "../../src/grant/parse_render.ts";
import { renderPermit, renderRowText } from "../../src/grant/render_rule.ts";

const PIN = `sha256:${"a".repeat(64)}`;
const ROW = { skill: "review", command: ["git", "branch", "--show-current"] };

function reasons(text: string): string[] {
  return readRenderGrant(text).notes.map(({ reason }) => reason);
}

Deno.test("readRenderGrant: a row is read whole", () => {
  const text = JSON.stringify([
    ROW,
    {
      ...ROW,
      bundle: PIN.toUpperCase().replace("SHA", "sha"),
      workspace: "/w",
    },
  ]);
  const { rows, notes } = readRenderGrant(text);
  assert.deepEqual(notes, []);
  assert.deepEqual(rows, [
    { index: 0, ...ROW, bundle: undefined, workspace: undefined },
    { index: 1, ...ROW, bundle: PIN, workspace: "/w" },
  ]);
});

Deno.test("readRenderGrant: unset and blank let nothing run, without a note", () => {
  assert.deepEqual(readRenderGrant(undefined), { rows: [], notes: [] });
  assert.deepEqual(readRenderGrant(" \n"), { rows: [], notes: [] });
});

for (const text of ["nonsense", "{}", "null", '"git"', "[", "1"]) {
  Deno.test(`readRenderGrant: ${text} lets nothing run and says so`, () => {
    assert.deepEqual(readRenderGrant(text).rows, []);
    assert.deepEqual(reasons(text), ["render-unreadable"]);
  });
}

const BAD: readonly unknown[] = [
  null,
  "git",
  {},
  { skill: "a" },
  { skill: "", command: ["b"] },
  { skill: 1, command: ["b"] },
  { skill: "a", command: [] },
  { skill: "a", command: "git branch" },
  { skill: "a", command: ["b", 1] },
  { skill: "a", command: ["b", undefined] },
  { skill: "a", command: [""] },
  { skill: "a", command: ["b"], bundle: "abc" },
  { skill: "a", command: ["b"], bundle: null },
  { skill: "a", command: ["b"], workspace: "w" },
  { skill: "a", command: ["b"], workspace: 1 },
];
for (const row of BAD) {
  Deno.test(`readRenderGrant: ${JSON.stringify(row)} voids itself alone`, () => {
    const text = JSON.stringify([row, ROW]);
    const { rows, notes } = readRenderGrant(text);
    assert.deepEqual(rows.map(({ index }) => index), [1]);
    assert.deepEqual(notes.map(({ reason }) => reason), ["render-row"]);
  });
}

Deno.test("readRenderGrant: an unknown key is noted and ignored", () => {
  const text = JSON.stringify([{ ...ROW, comand: ["x"], env: ["A"] }]);
  assert.equal(readRenderGrant(text).rows.length, 1);
  assert.deepEqual(reasons(text), ["render-key", "render-key"]);
});

function permit(
  rows: readonly unknown[],
  words: readonly string[],
  places: { from?: string; workspace?: string } = {},
) {
  const grant = readRenderGrant(JSON.stringify(rows));
  const { from, workspace } = places;
  const question = { skill: "review", words, from, workspace };
  return renderPermit(question, grant, (path) => path);
}

Deno.test("renderPermit: only the very words of a row, for the very skill", () => {
  const ok = { bundles: undefined };
  assert.deepEqual(permit([ROW], ROW.command), ok);
  assert.equal(permit([ROW], ["git", "branch"]), undefined);
  assert.equal(permit([ROW], [...ROW.command, "x"]), undefined);
  assert.equal(permit([ROW], ["git", "branch --show-current"]), undefined);
  assert.equal(permit([ROW], ["GIT", "branch", "--show-current"]), undefined);
  assert.equal(permit([{ ...ROW, skill: "other" }], ROW.command), undefined);
  assert.equal(permit([{ ...ROW, skill: "*" }], ROW.command), undefined);
  assert.equal(permit([], ROW.command), undefined);
});

Deno.test("renderPermit: once a row pins a bundle, only pinned ones count", () => {
  const rows = [ROW, { ...ROW, bundle: PIN }];
  assert.deepEqual(permit(rows, ROW.command), { bundles: [PIN] });
});

Deno.test("renderPermit: a skill of a workspace needs a row that names it and pins the bundle", () => {
  const at = { from: "/w", workspace: "/w" };
  assert.equal(permit([ROW], ROW.command, at), undefined);
  assert.equal(permit([{ ...ROW, bundle: PIN }], ROW.command, at), undefined);
  assert.equal(
    permit([{ ...ROW, workspace: "/w" }], ROW.command, at),
    undefined,
  );
  const row = { ...ROW, workspace: "/w", bundle: PIN };
  assert.deepEqual(permit([row], ROW.command, at), { bundles: [PIN] });
  const other = { from: "/v", workspace: "/v" };
  assert.equal(permit([row], ROW.command, other), undefined);
});

Deno.test("renderPermit: a row with a workspace counts in that workspace only", () => {
  const row = { ...ROW, workspace: "/w" };
  assert.equal(permit([row], ROW.command), undefined);
  assert.equal(permit([row], ROW.command, { workspace: "/v" }), undefined);
  assert.ok(permit([row], ROW.command, { workspace: "/w" }));
});

Deno.test("renderRowText: is read back as the row that lets the command run", () => {
  const words = ["git", 'a "b" é', "\u{1f600}"];
  const text = renderRowText(
    { skill: "review", words, from: "/w", workspace: "/w" },
    PIN,
  );
  assert.match(text, /^[\x20-\x7e]+$/);
  const grant = readRenderGrant(`[${text}]`);
  const question = { skill: "review", words, from: "/w", workspace: "/w" };
  assert.deepEqual(renderPermit(question, grant, (path) => path), {
    bundles: [PIN],
  });
});
