import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { grantOf } from "./support.ts";

const PIN = `sha256:${"a".repeat(64)}`;

Deno.test("readGrant: unset and blank leave the default of the mode", () => {
  for (const text of [undefined, "", "  \n"]) {
    deepEqual(readGrant(text, false), {
      from: "declaration",
      rows: [],
      notes: [],
    });
    deepEqual(readGrant(text, true).from, "hosted-default");
  }
});

Deno.test("readGrant: an empty array is a grant of nothing, not an absent one", () => {
  deepEqual(readGrant("[]", false), {
    from: "MCP_SKILL_RUN",
    rows: [],
    notes: [],
  });
});

Deno.test("readGrant: a full row", () => {
  const { rows, notes } = grantOf({
    skill: "weather",
    script: "a.js",
    env: ["KEY", "KEY"],
    egress: ["API.x.com", "*.y.org:8443"],
    bundle: PIN.toUpperCase().replace("SHA", "sha"),
    workspace: "/srv/notes",
  });
  deepEqual(notes, []);
  const { egress, ...rest } = rows[0]!;
  deepEqual(egress!.map(({ text }) => text), ["api.x.com", "*.y.org:8443"]);
  deepEqual(rest, {
    index: 0,
    skill: "weather",
    script: "a.js",
    env: [{ name: "KEY", hosts: undefined, plain: false }],
    bundle: PIN,
    workspace: "/srv/notes",
    sockets: false,
  });
});

Deno.test("readGrant: omitted env is none, omitted egress is not an empty list", () => {
  const [bare, none] = grantOf({ skill: "a", script: "b" }, {
    skill: "a",
    script: "b",
    env: [],
    egress: [],
  }).rows;
  deepEqual([bare!.env, bare!.egress], [[], undefined]);
  deepEqual([none!.env, none!.egress], [[], []]);
});

for (
  const [what, text] of Object.entries({
    "malformed JSON": '[{"skill": "a",}]',
    "an object": '{"skill":"a","script":"b"}',
    "null": "null",
    "text": '"*"',
    "a number": "1",
  })
) {
  Deno.test(`readGrant: ${what} grants nothing and says so`, () => {
    for (const hosted of [true, false]) {
      const grant = readGrant(text, hosted);
      equal(grant.from, "MCP_SKILL_RUN");
      deepEqual(grant.rows, []);
      deepEqual(grant.notes.map((n) => [n.severity, n.reason]), [
        ["error", "grant-unreadable"],
      ]);
      match(grant.notes[0]!.detail, /MCP_SKILL_RUN.*nothing is granted/);
    }
  });
}

for (
  const [what, row] of Object.entries<unknown>({
    "is null": null,
    "is a list": [],
    "is text": "weather",
    "has no skill": { script: "b" },
    "has no script": { skill: "a" },
    "has an empty skill": { skill: "", script: "b" },
    "has a skill that is no text": { skill: 1, script: "b" },
    "has a list of scripts": { skill: "a", script: ["b"] },
    "has env as text": { skill: "a", script: "b", env: "KEY" },
    "has a null env": { skill: "a", script: "b", env: null },
    "has a number in env": { skill: "a", script: "b", env: ["K", 1] },
    "has egress as text": { skill: "a", script: "b", egress: "x.com" },
    "has egress *": { skill: "a", script: "b", egress: ["*"] },
    "has a URL in egress": {
      skill: "a",
      script: "b",
      egress: ["https://x.com"],
    },
    "has a bundle that is no digest": {
      skill: "a",
      script: "b",
      bundle: "abc",
    },
    "has a short bundle": { skill: "a", script: "b", bundle: "sha256:ab" },
    "has a null bundle": { skill: "a", script: "b", bundle: null },
    "has a relative workspace": { skill: "a", script: "b", workspace: "x" },
    "has a NUL in its workspace": {
      skill: "a",
      script: "b",
      workspace: "/x\0",
    },
  })
) {
  Deno.test(`readGrant: a row that ${what} voids itself alone, reported`, () => {
    const { rows, notes } = grantOf(row, { skill: "good", script: "g.js" });
    deepEqual(rows.map(({ skill, index }) => [skill, index]), [["good", 1]]);
    deepEqual(notes.map((n) => [n.severity, n.reason]), [
      ["error", "grant-row"],
    ]);
    match(notes[0]!.detail, /^Row 1 grants nothing/);
  });
}

Deno.test("readGrant: unknown keys are reported by name, the row stands", () => {
  const { rows, notes } = grantOf({ skill: "a", script: "b", egres: [] });
  equal(rows.length, 1);
  match(notes[0]!.detail, /"egres"/);
  match(notes[0]!.hint, /Nearest: egress/);
});

Deno.test("readGrant: never throws, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.array(fc.jsonValue()).map((v) => JSON.stringify(v)),
      ),
      (text) => {
        const { rows, from, notes } = readGrant(text, true);
        if (from !== "MCP_SKILL_RUN") equal(text.trim(), "");
        for (const { skill, script } of rows) ok(skill !== "" && script !== "");
        for (const { detail } of notes) ok(detail.length < 500);
      },
    ),
    { numRuns: 2000 },
  );
});
