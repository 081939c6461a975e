import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { permitFor, permitsFor } from "../../src/grant/permit.ts";
import type { SecretPermit } from "../../src/grant/types.ts";
import { admits } from "../../src/skill/host_sets.ts";
import type { Declaration } from "../../src/skill/types.ts";
import { declares, grantOf } from "./support.ts";

const PIN = `sha256:${"a".repeat(64)}`;
const PIN2 = `sha256:${"b".repeat(64)}`;
const EGRESS = ["*.x.com", "y.org:8443", "z.net:443"];
const AUTHORED = declaredWith(["a.x.com", "b.x.com"]);
const FREE = declaredWith(undefined);

function declaredWith(hosts: string[] | undefined): Declaration {
  return declares({ "a.js": { env: ["KEY", "OTHER"] } }, EGRESS, {
    KEY: hosts,
  });
}

function row(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { skill: "weather", script: "a.js", ...more };
}

/** `[hosts, chosenBy, plain]` of KEY; undefined when it is not held. */
function held(declaration: Declaration, ...rows: unknown[]): unknown {
  const permit = permitFor(
    declaration,
    { skill: "weather", script: "a.js" },
    grantOf(...rows),
  )!;
  ok(permit.secrets.length <= 1);
  return shown(permit.secrets[0]);
}

function shown(secret: SecretPermit | undefined): unknown {
  if (secret === undefined) return undefined;
  equal(secret.name, "KEY");
  return [secret.hosts.map(({ text }) => text), secret.chosenBy, secret.plain];
}

Deno.test("secretsOf: the author's hosts stand where no row names any", () => {
  deepEqual(held(AUTHORED, row({ env: ["KEY", "OTHER"] })), [
    ["a.x.com", "b.x.com"],
    "author",
    false,
  ]);
  equal(held(AUTHORED, row({ env: ["OTHER"] })), undefined);
  equal(held(FREE, row({ env: ["KEY"] })), undefined);
});

Deno.test("secretsOf: a row's hosts narrow the author's, and never add one", () => {
  const env = [{ name: "KEY", hosts: ["b.x.com", "c.x.com", "y.org:8443"] }];
  deepEqual(held(AUTHORED, row({ env })), [["b.x.com"], "owner", false]);
  deepEqual(held(AUTHORED, row({ env: [{ name: "KEY", hosts: [] }] })), [
    [],
    "owner",
    false,
  ]);
});

Deno.test("secretsOf: a row holds back what its author did not", () => {
  const env = [{
    name: "KEY",
    hosts: ["a.x.com", "y.org:8443", "z.net", "q.io"],
  }];
  const hosts = ["a.x.com", "y.org:8443", "z.net:443"];
  deepEqual(held(FREE, row({ env })), [hosts, "owner", false]);
  // Another row that hands it over freely does not undo that.
  deepEqual(held(FREE, row({ env }), row({ env: ["KEY"] })), [
    hosts,
    "owner",
    false,
  ]);
});

Deno.test("secretsOf: a secret that its author holds back from everybody stays held", () => {
  const nobody = declaredWith([]);
  deepEqual(held(nobody, row({ env: ["KEY"] })), [[], "author", false]);
  const env = [{ name: "KEY", hosts: ["a.x.com"] }];
  deepEqual(held(nobody, row({ env })), [[], "owner", false]);
});

Deno.test("secretsOf: rows add up, each within the hosts it opens itself", () => {
  const first = row({
    env: [{ name: "KEY", hosts: ["a.x.com"] }],
    egress: ["b.x.com"],
  });
  const second = row({ egress: ["a.x.com"] });
  deepEqual(held(AUTHORED, first, second), [[], "owner", false]);
  const third = row({ env: ["KEY"], egress: ["b.x.com"] });
  deepEqual(held(AUTHORED, first, third), [["b.x.com"], "author", false]);
});

Deno.test("secretsOf: a row that pins another bundle gives nothing", () => {
  const grant = grantOf(
    row({
      env: [{ name: "KEY", hosts: ["a.x.com"], plain: true }],
      bundle: PIN,
    }),
    row({ env: [{ name: "KEY", hosts: ["b.x.com"] }], bundle: PIN2 }),
  );
  const at = (bundle: string) =>
    shown(
      permitFor(AUTHORED, { skill: "weather", script: "a.js", bundle }, grant)!
        .secrets[0],
    );
  deepEqual(at(PIN), [["a.x.com"], "owner", true]);
  deepEqual(at(PIN2), [["b.x.com"], "owner", false]);
});

Deno.test("secretsOf: plain only when every row that hands the variable over says so", () => {
  const plain = row({ env: [{ name: "KEY", plain: true }] });
  const plainOf = (...rows: unknown[]) =>
    (held(AUTHORED, ...rows) as unknown[])[2];
  equal(plainOf(plain), true);
  equal(plainOf(plain, row()), true);
  equal(plainOf(plain, row({ env: ["KEY"] })), false);
  equal(plainOf(plain, row({ env: [{ name: "KEY", hosts: [] }] })), false);
});

Deno.test("secretsOf: self-granted, the author's hosts stand and nothing is plain", () => {
  const self = (declaration: Declaration) =>
    shown(
      permitFor(
        declaration,
        { skill: "weather", script: "a.js" },
        readGrant("", false),
      )!.secrets[0],
    );
  deepEqual(self(AUTHORED), [["a.x.com", "b.x.com"], "author", false]);
  equal(self(FREE), undefined);
});

const HOSTS = [
  "x.com",
  "a.x.com",
  "b.a.x.com",
  "x.com:8443",
  "a.x.com:443",
  "y.org",
  "10.0.0.1",
  "[::1]:9",
];
const hostList = fc.subarray(HOSTS);
const egressList = fc.subarray([...HOSTS, "*.x.com", "*.a.x.com:443"]);
const anyName = fc.oneof(
  fc.constantFrom("KEY", "OTHER"),
  fc.record({
    name: fc.constantFrom("KEY", "OTHER"),
    hosts: hostList,
    plain: fc.boolean(),
  }, { requiredKeys: ["name"] }),
);
const anyRow = fc.record({
  skill: fc.constant("weather"),
  script: fc.constantFrom("a.js", "a.js", "b.js"),
  env: fc.uniqueArray(anyName, {
    selector: (entry) => typeof entry === "string" ? entry : entry.name,
  }),
  egress: egressList,
}, { requiredKeys: ["skill", "script"] });
const anyDeclaration = fc.tuple(
  egressList,
  fc.option(hostList, { nil: undefined }),
  fc.option(hostList, { nil: undefined }),
).map(([egress, key, other]) =>
  declares(
    { "a.js": { env: ["KEY", "OTHER"] }, "b.js": { env: ["KEY"] } },
    egress,
    {
      KEY: key,
      OTHER: other,
    },
  )
);

Deno.test("secretsOf: values stay within egress, the author's and the owner's hosts, whatever the rows", () => {
  let sent = 0;
  let plain = 0;
  fc.assert(
    fc.property(
      anyDeclaration,
      fc.option(fc.array(anyRow, { maxLength: 4 }), { nil: undefined }),
      (declaration, rows) => {
        const grant = rows === undefined
          ? readGrant("", false)
          : grantOf(...rows);
        equal(grant.rows.length, rows?.length ?? 0);
        const { granted } = permitsFor(
          { skill: "weather" },
          declaration,
          grant,
        );
        for (const permit of granted) {
          const entries = grant.rows
            .filter(({ script }) => script === permit.declared.script)
            .flatMap(({ env }) => env);
          const author = (name: string) =>
            declaration.variables.find((each) => each.name === name)!.hosts;
          const wanted = permit.env.filter((name) =>
            author(name) !== undefined ||
            entries.some((entry) =>
              entry.name === name && entry.hosts !== undefined
            )
          );
          deepEqual(permit.secrets.map(({ name }) => name), wanted);
          for (const secret of permit.secrets) {
            const own = entries.filter(({ name }) => name === secret.name);
            const all = own.every(({ hosts }) => hosts !== undefined);
            const ownersOnly = own.length > 0 &&
              (all || author(secret.name) === undefined);
            equal(secret.chosenBy, ownersOnly ? "owner" : "author");
            if (secret.plain) {
              plain++;
              ok(own.length > 0 && own.every((entry) => entry.plain));
            }
            for (const { kind, host, ports } of secret.hosts) {
              ok(kind !== "wildcard");
              for (const port of ports) {
                sent++;
                const where = `${secret.name} to ${host}:${port}`;
                ok(admits(permit.egress, host, port), where);
                const authors = author(secret.name);
                ok(authors === undefined || admits(authors, host, port), where);
                if (ownersOnly) {
                  const owners = own.flatMap(({ hosts }) => hosts ?? []);
                  ok(admits(owners, host, port), where);
                }
              }
            }
          }
        }
      },
    ),
    { numRuns: 3000 },
  );
  ok(sent > 500 && plain > 50, `${sent} sent, ${plain} plain`);
});
