import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { permitFor, permitsFor } from "../../src/grant/permit.ts";
import type { Grant, Permit } from "../../src/grant/types.ts";
import { admits } from "../../src/skill/host_sets.ts";
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
    "weather",
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
          "weather",
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
      const most = permitsFor("weather", declaration, readGrant("", false));
      const { granted } = permitsFor(
        "weather",
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
