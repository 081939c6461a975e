import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { permitFor, permitsFor } from "../../src/grant/permit.ts";
import type { Grant, Permit } from "../../src/grant/types.ts";
import { admits } from "../../src/skill/host_sets.ts";
import { makeTree } from "../support/tree.ts";
import { declares, grantOf } from "./support.ts";

const PIN = `sha256:${"a".repeat(64)}`;
const PIN2 = `sha256:${"b".repeat(64)}`;
const DECLARED = declares({
  "a.js": { env: ["KEY", "OTHER"], workspace: "read" },
  "b.js": { env: ["KEY"] },
}, ["*.x.com", "y.org:8443", "10.0.0.1"]);

function permit(...rows: unknown[]): Permit | undefined {
  return permitFor(
    DECLARED,
    { skill: "weather", script: "a.js" },
    grantOf(...rows),
  );
}

function row(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { skill: "weather", script: "a.js", ...more };
}

function hosts(given: Permit | undefined): string[] | undefined {
  return given?.egress.map(({ text }) => text);
}

Deno.test("permitFor: without a grant the declaration stands, self-granted", () => {
  const given = permitFor(
    DECLARED,
    { skill: "weather", script: "a.js" },
    readGrant("", false),
  );
  deepEqual(given!.env, ["KEY", "OTHER"]);
  deepEqual(hosts(given), ["*.x.com", "y.org:8443", "10.0.0.1"]);
  deepEqual([given!.selfGranted, given!.exactHosts, given!.workspace], [
    true,
    [],
    undefined,
  ]);
});

Deno.test("permitFor: hosted without a grant, an empty and an unreadable grant permit nothing", () => {
  for (
    const grant of [
      readGrant("", true),
      readGrant("[]", false),
      readGrant("[", false),
      readGrant("{}", false),
    ]
  ) {
    equal(
      permitFor(DECLARED, { skill: "weather", script: "a.js" }, grant),
      undefined,
    );
  }
});

Deno.test("permitFor: only the named script of the named skill", () => {
  const grant = grantOf(row());
  ok(permitFor(DECLARED, { skill: "weather", script: "a.js" }, grant));
  equal(
    permitFor(DECLARED, { skill: "weather", script: "b.js" }, grant),
    undefined,
  );
  equal(
    permitFor(DECLARED, { skill: "Weather", script: "a.js" }, grant),
    undefined,
  );
  equal(
    permitFor(DECLARED, { skill: "acme/weather", script: "a.js" }, grant),
    undefined,
  );
});

Deno.test("permitFor: a granted script that is not declared does not run", () => {
  equal(
    permitFor(
      DECLARED,
      { skill: "weather", script: "c.js" },
      grantOf(row({ script: "c.js" })),
    ),
    undefined,
  );
});

Deno.test("permitFor: env is intersected, omitted and [] are none", () => {
  deepEqual(permit(row())!.env, []);
  deepEqual(permit(row({ env: [] }))!.env, []);
  deepEqual(permit(row({ env: ["OTHER", "PATH", "SECRET", "key"] }))!.env, [
    "OTHER",
  ]);
});

Deno.test("permitFor: egress omitted stands, a list narrows, [] is none", () => {
  deepEqual(hosts(permit(row())), ["*.x.com", "y.org:8443", "10.0.0.1"]);
  deepEqual(hosts(permit(row({ egress: ["api.x.com", "y.org", "z.net"] }))), [
    "api.x.com",
  ]);
  deepEqual(hosts(permit(row({ egress: [] }))), []);
});

Deno.test("permitFor: exact hosts are those a row names without a wildcard", () => {
  const exact = (given: Permit | undefined) =>
    given!.exactHosts.map(({ text }) => text);
  deepEqual(exact(permit(row())), []);
  deepEqual(exact(permit(row({ egress: ["*.x.com", "10.0.0.1:80"] }))), [
    "10.0.0.1:80",
  ]);
  const both = permit(row({ egress: ["*.x.com", "db.x.com"] }));
  deepEqual(exact(both), ["db.x.com"]);
  deepEqual(hosts(both), ["*.x.com", "db.x.com"]);
});

Deno.test("permitFor: rows for one script add up", () => {
  const given = permit(
    row({ env: ["KEY"], egress: ["a.x.com"] }),
    row({ env: ["OTHER"], egress: ["y.org:8443"] }),
  );
  deepEqual(given!.env, ["KEY", "OTHER"]);
  deepEqual(hosts(given), ["a.x.com", "y.org:8443"]);
  deepEqual(hosts(permit(row({ egress: [] }), row())), [
    "*.x.com",
    "y.org:8443",
    "10.0.0.1",
  ]);
});

Deno.test("permitFor: a pinned bundle stays pinned", () => {
  equal(permit(row())!.bundles, undefined);
  deepEqual(permit(row({ bundle: PIN }))!.bundles, [PIN]);
  deepEqual(permit(row({ bundle: PIN }), row())!.bundles, [PIN]);
  deepEqual(permit(row({ bundle: PIN }), row({ bundle: PIN2 }))!.bundles, [
    PIN,
    PIN2,
  ]);
});

Deno.test("permitFor: a row gives what it gives at the bundle it pins only", () => {
  const grant = grantOf(
    row({ env: ["KEY"], egress: ["y.org:8443"], bundle: PIN }),
    row({ egress: [], bundle: PIN2 }),
  );
  const at = (bundle: string) =>
    permitFor(DECLARED, { skill: "weather", script: "a.js", bundle }, grant)!;
  deepEqual(at(PIN).env, ["KEY"]);
  deepEqual(hosts(at(PIN)), ["y.org:8443"]);
  deepEqual(at(PIN2).env, []);
  deepEqual(hosts(at(PIN2)), []);
});

Deno.test("permitFor: a workspace needs both words, and one directory", () => {
  equal(permit(row({ workspace: "/srv/a" }))!.workspace, "/srv/a");
  equal(permit(row())!.workspace, undefined);
  equal(
    permit(row({ workspace: "/srv/a" }), row({ workspace: "/srv/b" }))!
      .workspace,
    undefined,
  );
  const b = { skill: "weather", script: "b.js", workspace: "/srv/a" };
  equal(
    permitFor(DECLARED, { skill: "weather", script: "b.js" }, grantOf(b))!
      .workspace,
    undefined,
  );
});

Deno.test("permitFor: sockets need both words, and are nobody's own to give", () => {
  const declared = declares({ "a.js": { sockets: true }, "b.js": {} });
  const at = (script: string, grant: Grant) =>
    permitFor(declared, { skill: "weather", script, bundle: PIN }, grant)!
      .sockets;
  const granted = (more: Record<string, unknown>) =>
    at("a.js", grantOf(row(more), row()));
  equal(granted({ sockets: true }), true);
  equal(granted({ sockets: false }), false);
  equal(granted({}), false);
  equal(granted({ sockets: true, bundle: PIN2 }), false);
  equal(at("b.js", grantOf(row({ script: "b.js", sockets: true }))), false);
  equal(at("a.js", readGrant("", false)), false);
});

Deno.test("permitsFor: granted and ungranted, in the order declared", () => {
  const { granted, ungranted } = permitsFor(
    { skill: "weather" },
    DECLARED,
    grantOf({ skill: "weather", script: "b.js" }),
  );
  deepEqual(granted.map(({ declared }) => declared.script), ["b.js"]);
  deepEqual(ungranted.map(({ script }) => script), ["a.js"]);
});

const text = (...more: string[]) =>
  fc.oneof(fc.constantFrom(...more), fc.string());
const HOSTS = [
  "x.com",
  "*.x.com",
  "a.x.com",
  "*.a.x.com",
  "x.com:8443",
  "y.org",
  "10.0.0.1",
  "[::1]:9",
  "*",
  "*.com",
  "localhost",
];
const plausibleRow = fc.record({
  skill: fc.constantFrom("weather", "weather", "other"),
  script: fc.constantFrom("a.js", "b.js", "c.js"),
  env: fc.subarray(["KEY", "OTHER", "PATH", "SECRET"]),
  egress: fc.subarray(HOSTS.filter((each) => !["*", "*.com"].includes(each))),
  bundle: fc.constantFrom(PIN, PIN2),
  workspace: fc.constantFrom("/", "/srv"),
}, { requiredKeys: ["skill", "script"] });
const oddRow = fc.oneof(
  fc.jsonValue(),
  fc.record({
    skill: text("weather", "*", ""),
    script: text("a.js", "*", "../a.js"),
    env: fc.oneof(fc.array(text("KEY", "*", "SECRET")), fc.jsonValue()),
    egress: fc.oneof(fc.array(text(...HOSTS)), fc.jsonValue()),
    bundle: fc.oneof(fc.constantFrom(PIN, "*"), fc.jsonValue()),
    run: fc.jsonValue(),
  }, { requiredKeys: ["skill", "script"] }),
);
const anyRow = fc.oneof(
  { weight: 3, arbitrary: plausibleRow },
  { weight: 1, arbitrary: oddRow },
);
const anyGrant = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(anyRow).map((rows) => JSON.stringify(rows)),
  },
  { weight: 1, arbitrary: fc.string() },
);
const anyDeclaration = fc.tuple(
  fc.dictionary(
    fc.constantFrom("a.js", "b.js"),
    fc.record({ env: fc.subarray(["KEY", "OTHER"]) }),
  ),
  fc.subarray(HOSTS.filter((each) => !["*", "*.com"].includes(each))),
).map(([scripts, egress]) => declares(scripts, egress));

Deno.test("permitsFor: no grant text ever widens a declaration", () => {
  let permits = 0;
  let reaching = 0;
  fc.assert(
    fc.property(
      anyGrant,
      anyDeclaration,
      fc.boolean(),
      (grantText, declaration, hosted) => {
        const grant = readGrant(grantText, hosted);
        const { granted, ungranted } = permitsFor(
          { skill: "weather" },
          declaration,
          grant,
        );
        equal(granted.length + ungranted.length, declaration.scripts.length);
        for (const given of granted) {
          permits++;
          if (given.egress.length > 0) reaching++;
          ok(declaration.scripts.includes(given.declared));
          ok(!given.sockets);
          for (const name of given.env) ok(given.declared.env.includes(name));
          equal(given.workspace, undefined);
          for (const pattern of [...given.egress, ...given.exactHosts]) {
            const sample = pattern.kind === "wildcard"
              ? [pattern.host, `q.${pattern.host}`, `q.a.${pattern.host}`]
              : [pattern.host];
            for (const name of sample) {
              for (const port of pattern.ports) {
                ok(admits(declaration.egress, name, port), `${name}:${port}`);
              }
            }
          }
          for (const exact of given.exactHosts) {
            ok(given.egress.some(({ text }) => text === exact.text));
          }
        }
        equal(
          permitFor(declaration, { skill: "weather", script: "c.js" }, grant),
          undefined,
        );
      },
    ),
    { numRuns: 3000 },
  );
  ok(
    permits > 500 && reaching > 100,
    `${permits} permits, ${reaching} reaching`,
  );
});

Deno.test("permitsFor: a grant never permits more than no grant does", () => {
  fc.assert(
    fc.property(anyGrant, anyDeclaration, (grantText, declaration) => {
      const most = permitsFor(
        { skill: "weather" },
        declaration,
        readGrant("", false),
      );
      const { granted } = permitsFor(
        { skill: "weather" },
        declaration,
        readGrant(grantText, false),
      );
      ok(granted.length <= most.granted.length);
      for (const given of granted) {
        const free = most.granted.find(({ declared }) =>
          declared === given.declared
        )!;
        for (
          const name of [
            "x.com",
            "a.x.com",
            "b.a.x.com",
            "y.org",
            "10.0.0.1",
            "::1",
            "localhost",
          ]
        ) {
          for (const port of [80, 443, 8443, 9]) {
            if (admits(given.egress, name, port)) {
              ok(admits(free.egress, name, port));
            }
          }
        }
      }
    }),
    { numRuns: 1000 },
  );
});

/** A skill of a workspace, and a row that permits its script. */
async function ofWorkspace() {
  const tree = await makeTree({
    "w/.agents/skills": { dir: true },
    "v": { dir: true },
    "link": { link: "w" },
  });
  const skill = "workspace/weather";
  const question = { skill, script: "a.js", workspace: tree.path("w") };
  const bound = {
    skill,
    script: "a.js",
    workspace: tree.path("w"),
    bundle: PIN,
    env: ["KEY"],
  };
  return { tree, question, bound };
}

Deno.test("permitFor: a workspace's skill needs a row with its workspace, by any way there, and a bundle", async () => {
  const { tree, question, bound } = await ofWorkspace();
  await using _ = tree;
  const may = (...rows: unknown[]) =>
    permitFor(DECLARED, question, grantOf(...rows));
  const given = may(bound);
  deepEqual(
    [given?.env, given?.bundles, given?.selfGranted],
    [["KEY"], [PIN], false],
  );
  ok(may({ ...bound, workspace: tree.path("link") }));
  for (
    const change of [
      { workspace: undefined },
      { bundle: undefined },
      { workspace: undefined, bundle: undefined },
      { workspace: tree.path("v") },
      { workspace: tree.root },
      { workspace: tree.path("w", ".agents") },
      { workspace: tree.path("gone") },
      { skill: "weather" },
    ]
  ) {
    equal(may({ ...bound, ...change }), undefined, JSON.stringify(change));
  }
  // A row that does not count adds nothing to one that does.
  const two = may(bound, {
    ...bound,
    bundle: undefined,
    env: ["OTHER"],
    sockets: true,
  });
  deepEqual(two?.env, ["KEY"]);
});

Deno.test("permitFor: a workspace's skill grants itself nothing, and a forgotten workspace no more", async () => {
  const { tree, question, bound } = await ofWorkspace();
  await using _ = tree;
  for (const grant of [readGrant("", false), readGrant("", true)]) {
    equal(permitFor(DECLARED, question, grant), undefined);
    const { granted, ungranted } = permitsFor(question, DECLARED, grant);
    deepEqual([granted.length, ungranted.length], [0, 2]);
  }
  const { workspace: _w, ...forgotten } = question;
  equal(permitFor(DECLARED, forgotten, readGrant("", false)), undefined);
  equal(permitFor(DECLARED, forgotten, grantOf(bound)), undefined);
});

Deno.test("permitFor: for a root's skill the row's workspace and pin mean what they did", async () => {
  const { tree } = await ofWorkspace();
  await using _ = tree;
  ok(permit(row()));
  equal(
    permit(row({ workspace: tree.path("v") }))!.workspace,
    tree.path("v"),
  );
});

Deno.test("permitFor: no grant without both fields ever permits a workspace's skill", async () => {
  const { tree, question } = await ofWorkspace();
  await using _ = tree;
  const places = [question.workspace, tree.path("link"), tree.path("v"), "/"];
  const rows = fc.array(fc.record({
    skill: fc.constantFrom(question.skill, "weather", "workspace"),
    script: fc.constantFrom("a.js", "b.js"),
    workspace: fc.constantFrom(...places),
    bundle: fc.constantFrom(PIN, PIN2),
    env: fc.subarray(["KEY", "OTHER"]),
    sockets: fc.boolean(),
  }, { requiredKeys: ["skill", "script"] }));
  fc.assert(
    fc.property(
      rows,
      fc.option(fc.constantFrom(PIN, PIN2), { nil: undefined }),
      (given, bundle) => {
        const counts = given.filter((each) =>
          each.skill === question.skill && each.script === "a.js" &&
          each.bundle !== undefined && each.workspace !== undefined &&
          places.indexOf(each.workspace) < 2
        );
        const permitted = permitFor(
          DECLARED,
          { ...question, bundle },
          grantOf(...given),
        );
        equal(permitted !== undefined, counts.length > 0);
        for (const name of permitted?.env ?? []) {
          ok(counts.some(({ env }) => env?.includes(name)));
        }
        for (const pin of permitted?.bundles ?? []) {
          ok(counts.some((each) => each.bundle === pin));
        }
      },
    ),
  );
});
