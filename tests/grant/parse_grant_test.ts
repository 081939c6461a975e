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

Deno.test("readGrant: a variable is a name, or a name with hosts and plain", () => {
  const { rows, notes } = grantOf({
    skill: "a",
    script: "b",
    env: [
      "PLAIN",
      { name: "HELD", hosts: ["API.x.com", "10.0.0.1:8443", "api.x.com"] },
      { name: "NOWHERE", hosts: [] },
      { name: "OPEN", plain: true },
    ],
    sockets: true,
  });
  deepEqual(notes, []);
  const [row] = rows;
  equal(row!.sockets, true);
  deepEqual(
    row!.env.map(({ name, hosts, plain }) => [
      name,
      hosts?.map(({ text }) => text),
      plain,
    ]),
    [
      ["PLAIN", undefined, false],
      ["HELD", ["api.x.com", "10.0.0.1:8443"], false],
      ["NOWHERE", [], false],
      ["OPEN", undefined, true],
    ],
  );
});

Deno.test("readGrant: unknown keys of a variable are reported, the row stands", () => {
  const { rows, notes } = grantOf({
    skill: "a",
    script: "b",
    env: [{ name: "KEY", host: ["x.com"] }],
  });
  deepEqual(rows[0]!.env[0]!.hosts, undefined);
  deepEqual(notes.map(({ reason }) => reason), ["grant-key"]);
  match(notes[0]!.detail, /Row 1 holds the unknown key "host" in its env/);
  match(notes[0]!.hint, /Nearest: hosts/);
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
    "has null in env": { skill: "a", script: "b", env: [null] },
    "has a nameless object in env": { skill: "a", script: "b", env: [{}] },
    "has an empty name in env": {
      skill: "a",
      script: "b",
      env: [{ name: "" }],
    },
    "has a name that is no text": {
      skill: "a",
      script: "b",
      env: [{ name: ["K"] }],
    },
    "names a variable twice": {
      skill: "a",
      script: "b",
      env: ["K", { name: "K", hosts: [] }],
    },
    "has hosts as text": {
      skill: "a",
      script: "b",
      env: [{ name: "K", hosts: "x.com" }],
    },
    "has null hosts": {
      skill: "a",
      script: "b",
      env: [{ name: "K", hosts: null }],
    },
    "has a number in hosts": {
      skill: "a",
      script: "b",
      env: [{ name: "K", hosts: [1] }],
    },
    "has a wildcard in hosts": {
      skill: "a",
      script: "b",
      env: [{ name: "K", hosts: ["*.x.com"] }],
    },
    "has a URL in hosts": {
      skill: "a",
      script: "b",
      env: [{ name: "K", hosts: ["https://x.com"] }],
    },
    "has plain as text": {
      skill: "a",
      script: "b",
      env: [{ name: "K", plain: "true" }],
    },
    "has sockets as text": { skill: "a", script: "b", sockets: "true" },
    "has null sockets": { skill: "a", script: "b", sockets: null },
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

Deno.test("readGrant: every example of grant.md is read without a complaint", () => {
  const text = Deno.readTextFileSync(
    new URL("../../docs/grant.md", import.meta.url),
  );
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)];
  ok(blocks.length >= 2);
  for (const [, block] of blocks) {
    const grant = readGrant(
      block!.replace("sha256:…", `sha256:${"0".repeat(64)}`),
      false,
    );
    deepEqual([grant.rows.length, grant.notes], [1, []]);
  }
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
