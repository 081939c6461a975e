import { deepEqual, equal, match, ok } from "node:assert/strict";
import { reportGrant } from "../../src/grant/grant_report.ts";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { makeTree } from "../support/tree.ts";
import { declares, grantOf } from "./support.ts";

const PIN = `sha256:${"a".repeat(64)}`;
const SKILLS = [
  {
    name: "weather",
    declaration: declares(
      { "a.js": { env: ["KEY"] }, "held.js": { env: ["HELD"], sockets: true } },
      ["*.x.com"],
      { HELD: ["a.x.com", "b.x.com"] },
    ),
  },
  {
    name: "acme/notes",
    declaration: declares({ "n.js": { workspace: "read" } }),
  },
];

function report(...rows: unknown[]) {
  return reportGrant(grantOf(...rows), SKILLS);
}

function row(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { skill: "weather", script: "a.js", ...more };
}

Deno.test("reportGrant: rows that do what they say are not reported", () => {
  deepEqual(
    report(row(), { skill: "acme/notes", script: "n.js", workspace: "/srv" }),
    [],
  );
  deepEqual(reportGrant(readGrant("", false), SKILLS), []);
});

Deno.test("reportGrant: an unknown skill names the nearest", () => {
  const [note] = report(row({ skill: "wether" }));
  equal(note!.reason, "grant");
  match(note!.detail, /Row 1 grants nothing: no skill is served as "wether"/);
  match(note!.hint, /weather/);
});

Deno.test("reportGrant: a last segment or another case is not the name as served", () => {
  for (const skill of ["notes", "Weather"]) {
    equal(report(row({ skill }))[0]!.reason, "grant");
  }
});

Deno.test("reportGrant: an undeclared script names the declared ones", () => {
  const [note] = report(row({ script: "b.js" }));
  match(note!.detail, /does not declare the script "b\.js"/);
  match(note!.hint, /a\.js/);
});

Deno.test("reportGrant: variables, hosts and a workspace nobody declared are named", () => {
  const notes = report(row({
    env: ["KEY", "SECRET", "PATH"],
    egress: ["a.x.com", "z.net", "x.com:8443"],
    workspace: "/srv",
  }));
  deepEqual(notes.map(({ reason }) => reason), [
    "grant-extra",
    "grant-extra",
    "grant-extra",
  ]);
  match(notes[0]!.detail, /SECRET, PATH/);
  match(notes[1]!.detail, /z\.net, x\.com:8443\.$/);
  match(notes[2]!.detail, /\/srv/);
});

Deno.test("reportGrant: a variable with neither egress nor bundle is open-grant", () => {
  const reasons = (...rows: unknown[]) => report(...rows).map((n) => n.reason);
  deepEqual(reasons(row({ env: ["KEY"] })), ["open-grant"]);
  deepEqual(reasons(row({ env: ["KEY"], egress: [] })), []);
  deepEqual(reasons(row({ env: ["KEY"], bundle: PIN })), []);
  deepEqual(reasons(row({ env: [] })), []);
  deepEqual(reasons(row({ env: ["UNDECLARED"] })), ["grant-extra"]);
});

Deno.test("reportGrant: a variable that another row's open egress lets out is open-grant too", () => {
  const notes = report(row({ env: ["KEY"], egress: [] }), row());
  deepEqual(notes.map(({ reason }) => reason), [
    "open-grant",
    "grant-duplicate",
  ]);
  match(notes[0]!.detail, /^Row 1 hands KEY .* and row 2 for the same script/);
  const closed = report(
    row({ env: ["KEY"], egress: [] }),
    row({ egress: ["a.x.com"] }),
  );
  deepEqual(closed.map(({ reason }) => reason), ["grant-duplicate"]);
});

Deno.test("reportGrant: rows for one script are reported once, by number", () => {
  const notes = report(row({ bundle: PIN }), {
    skill: "acme/notes",
    script: "n.js",
  }, row());
  deepEqual(notes.map(({ reason }) => reason), ["grant-duplicate"]);
  match(notes[0]!.detail, /Rows 1, 3 name weather a\.js.*add up.*pin/);
  const [dirs] = report(row({ workspace: "/a" }), row({ workspace: "/b" }))
    .filter(({ reason }) => reason === "grant-duplicate");
  match(dirs!.detail, /different workspaces/);
});

Deno.test("reportGrant: sockets that nobody declared are named", () => {
  const [note] = report(row({ sockets: true }));
  equal(note!.reason, "grant-extra");
  match(note!.detail, /the network itself that weather a\.js does not declare/);
  deepEqual(report(row({ script: "held.js", sockets: true })), []);
});

Deno.test("reportGrant: hosts that a held value is not sent to are named", () => {
  const held = (egress: string[], hosts?: string[]) =>
    report(row({
      script: "held.js",
      egress,
      env: [hosts === undefined ? "HELD" : { name: "HELD", hosts }],
    }));
  deepEqual(held(["*.x.com"], ["a.x.com"]), []);
  deepEqual(held(["*.x.com"], []), []);
  deepEqual(held(["a.x.com"]), []);
  const [outside] = held(["a.x.com", "c.x.com"], [
    "a.x.com",
    "b.x.com",
    "c.x.com",
  ]);
  equal(outside!.reason, "grant-hosts");
  match(
    outside!.detail,
    /^Row 1 names hosts for HELD outside what weather held\.js may send it to.*: b\.x\.com, c\.x\.com\.$/,
  );
  const [nowhere] = held(["c.x.com"]);
  equal(nowhere!.reason, "grant-hosts");
  match(nowhere!.detail, /hands HELD .* opens none of the hosts/);
});

Deno.test("reportGrant: a value held with hosts of the owner's is no open-grant", () => {
  const reasons = (env: unknown) =>
    report(row({ env: [env] })).map((n) => n.reason);
  deepEqual(reasons({ name: "KEY", hosts: ["a.x.com"] }), []);
  deepEqual(reasons({ name: "KEY", hosts: ["a.x.com"], plain: true }), [
    "open-grant",
  ]);
  deepEqual(reasons({ name: "KEY" }), ["open-grant"]);
});

Deno.test("reportGrant: hidden characters are shown", () => {
  for (
    const { detail } of report(
      row({ skill: "x\u202ey" }),
      row({ env: ["A\nB"] }),
    )
  ) {
    ok(!/[\u202e\n]/.test(detail));
  }
});

Deno.test("reportGrant: a row for a workspace's skill says what it lacks to count", async () => {
  await using tree = await makeTree({ "w": { dir: true } });
  const workspace = tree.path("w");
  const skills = [{
    name: "workspace/x",
    declaration: declares({ "a.js": {} }),
    workspace,
  }];
  const bound = {
    skill: "workspace/x",
    script: "a.js",
    workspace,
    bundle: PIN,
  };
  const said = (change: Record<string, unknown>) =>
    reportGrant(grantOf({ ...bound, ...change }), skills);
  deepEqual(said({}), []);
  for (
    const [change, why] of [
      [{ bundle: undefined }, /pins no bundle/],
      [{ workspace: undefined }, /has no workspace/],
      [{ workspace: undefined, bundle: undefined }, /neither workspace nor/],
      [{ workspace: tree.root }, /names another workspace/],
    ] as const
  ) {
    const [note, ...more] = said(change);
    deepEqual(more, []);
    equal(note!.reason, "grant");
    match(note!.detail, why);
    match(note!.detail, /^Row 1 grants nothing: workspace\/x is a skill of/);
    ok(note!.hint.includes(JSON.stringify(workspace)));
  }
});
