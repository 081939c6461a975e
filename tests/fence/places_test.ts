import assert from "node:assert/strict";
import { closeDataDir, dataDirFor } from "../../src/fence/disk/data_dir.ts";
import { checkPlaces, writable } from "../../src/fence/plan/places.ts";
import type { Permit } from "../../src/grant/types.ts";
import { asRoot, NOBODY } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import {
  callOf,
  declares,
  type Fixture,
  makeFixture,
  prepare,
  runBare,
} from "./plan_fixture.ts";

const SCRIPT = `
const said = (work) => { try { return work() ?? "done"; } catch (error) { return error.name; } };
const data = Deno.env.get("MCP_DATA_DIR");
console.log(Deno.cwd(), data, said(() => Deno.writeTextFileSync("made", "x")), data && said(() => Deno.writeTextFileSync(data + "/made", "x")));`;

function workspaceBlock(mode: string): string {
  return declares("run.mjs", `      workspace: ${mode}\n`);
}

function withWorkspace(fixture: Fixture, mode: string, workspace: string) {
  Deno.writeTextFileSync(
    `${fixture.dir}/SKILL.md`,
    `---\nname: demo\ndescription: d\nmcp-host:\n  version: 1\n${
      workspaceBlock(mode)
    }---\n`,
  );
  return fixture.again({
    grant: [{ skill: "demo", script: "run.mjs", workspace }],
  });
}

async function refusal(planner: Fixture["planner"]): Promise<string> {
  const result = await planner.prepare(callOf());
  return result.ok ? "accepted" : `${result.code}: ${result.message}`;
}

Deno.test("checkPlaces: the data directory is named by rule and a preview makes nothing", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": SCRIPT },
    dataDir: (tree) => tree.path("link", "data"),
  });
  await Deno.mkdir(fixture.tree.path("real"));
  await Deno.symlink("real", fixture.tree.path("link"));
  const before = [...Deno.readDirSync(fixture.tree.root)].length;
  const prepared = await prepare(fixture.planner);
  const expected = fixture.tree.path("real", "data", dataDirFor("demo"));
  assert.equal(prepared.plan.dataDir, expected);
  assert.equal([...Deno.readDirSync(fixture.tree.root)].length, before);
  assert.deepEqual([...Deno.readDirSync(fixture.tree.path("real"))], []);
  await Deno.mkdir(expected, { recursive: true });
  const { out, err } = await runBare(prepared);
  assert.equal(out, `${fixture.dir} ${expected} NotCapable done\n`, err);
  // Made by a run, it gives the same Plan.
  assert.equal(
    (await prepare(fixture.planner)).plan.digest,
    prepared.plan.digest,
  );
});

Deno.test("checkPlaces: what stands in a data directory's place is not followed", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": SCRIPT, "../data/x": "1" },
    dataDir: (tree) => tree.path("data"),
  });
  const place = fixture.tree.path("data", dataDirFor("demo"));
  await Deno.symlink("..", place);
  assert.match(
    await refusal(fixture.planner),
    /^PREFLIGHT: .*is a symbolic link$/,
  );
  await Deno.remove(place);
  await Deno.writeTextFile(place, "");
  assert.match(
    await refusal(fixture.planner),
    /^PREFLIGHT: .*is no directory$/,
  );
  await Deno.remove(place);
  await Deno.mkdir(place);
  await Deno.symlink("/etc", `${place}/l`);
  assert.match(await refusal(fixture.planner), /^PREFLIGHT: data\/l is a link/);
});

Deno.test("checkPlaces: data inside the skill, or the skill inside the data, is refused", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": SCRIPT },
    dataDir: (tree) => tree.path("root", "demo", "data"),
  });
  assert.match(
    await refusal(fixture.planner),
    /data directory and the skill's own directory lie inside/,
  );
  const comma = fixture.again({ dataDir: (tree) => tree.path("a,b") });
  assert.match(
    await refusal(comma),
    /^PREFLIGHT: the skill's data directory has a comma/,
  );
  const file = fixture.again({
    dataDir: (tree) => tree.path("root", "demo", "SKILL.md"),
  });
  assert.match(await refusal(file), /^PREFLIGHT/);
});

Deno.test("checkPlaces: a granted workspace is the working directory, readable or writable as declared", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": SCRIPT, "../ws/a": "1" },
  });
  const ws = fixture.tree.path("ws");
  const read = await prepare(withWorkspace(fixture, "read", ws));
  assert.deepEqual(read.plan.workspace, { dir: ws, mode: "read" });
  assert.equal(
    (await runBare(read)).out,
    `${ws} undefined NotCapable undefined\n`,
  );
  const write = await prepare(withWorkspace(fixture, "write", ws));
  assert.equal((await runBare(write)).out, `${ws} undefined done undefined\n`);
  assert.ok(
    write.plan.permissions.some((line) =>
      line === `reads and writes the owner's directory ${ws} and starts in it`
    ),
  );
});

Deno.test("checkPlaces: without a row, or with two that differ, there is no workspace and the Plan says so", async () => {
  await using fixture = await makeFixture({
    block: workspaceBlock("read"),
    files: { "run.mjs": SCRIPT, "../ws/a": "1", "../other/a": "1" },
  });
  const rows = ["ws", "other"].map((name) => ({
    skill: "demo",
    script: "run.mjs",
    workspace: fixture.tree.path(name),
  }));
  for (const planner of [fixture.planner, fixture.again({ grant: rows })]) {
    const { plan } = await prepare(planner);
    assert.equal(plan.workspace, null);
    assert.equal(plan.cwd, fixture.dir);
    assert.match(plan.notes.join("\n"), /asks for a workspace/);
  }
});

Deno.test("checkPlaces: a workspace must exist, be a directory and lie apart when written", async () => {
  await using fixture = await makeFixture({
    files: {
      "run.mjs": SCRIPT,
      "../data/a": "1",
      "../root/neighbour/SKILL.md": "---\nname: neighbour\n---\n",
    },
  });
  const { tree } = fixture;
  const cases: [string, string, RegExp][] = [
    ["read", tree.path("gone"), /not an existing directory/],
    ["read", `${fixture.dir}/run.mjs`, /not an existing directory/],
    ["write", tree.path("root"), /lie inside each other/],
    ["write", fixture.dir, /lie inside each other/],
    ["write", tree.path("root", "neighbour"), /lie inside each other/],
  ];
  for (const [mode, dir, expected] of cases) {
    assert.match(await refusal(withWorkspace(fixture, mode, dir)), expected);
  }
  const data = withWorkspace(fixture, "read", tree.path("data"));
  assert.equal(await refusal(data), "accepted");
  const both = fixture.again({
    grant: [{ skill: "demo", script: "run.mjs", workspace: tree.path("data") }],
    dataDir: (t) => t.path("data"),
  });
  assert.match(await refusal(both), /lie inside each other/);
});

Deno.test("checkPlaces: a read workspace closes hidden directories that lead out, a written one is refused", async () => {
  await using fixture = await makeFixture({
    files: {
      "run.mjs":
        `try { console.log(Deno.readTextFileSync(".venv/l")); } catch (error) { console.log(error.name); }`,
      "../ws/.venv/l": { link: "../../secret" },
      "../secret": "secret",
    },
  });
  const ws = fixture.tree.path("ws");
  const read = await prepare(withWorkspace(fixture, "read", ws));
  assert.ok(read.plan.flags.includes(`--deny-read=${ws}/.venv`));
  assert.equal((await runBare(read)).out, "NotCapable\n");
  assert.match(
    await refusal(withWorkspace(fixture, "write", ws)),
    /^PREFLIGHT: workspace\/\.venv\/l is a link that leads out/,
  );
});

Deno.test("checkPlaces: a written workspace lies apart from the skills' data and the runtime", () => {
  const places = {
    dataDir: undefined,
    closed: [],
    workspace: { dir: "/srv/ws", mode: "write" as const },
  };
  for (const dir of ["/srv/ws", "/srv/ws/bin", "/srv"]) {
    assert.equal(writable(places, dir)?.code, "PREFLIGHT", dir);
  }
  assert.equal(writable(places, "/srv/ws2"), undefined);
  assert.equal(
    writable({ workspace: { dir: "/srv/ws", mode: "read" } }, "/srv/ws/bin"),
    undefined,
  );
});

/** What `checkPlaces` says for the account, in one line. */
async function saidFor(
  tree: Tree,
  workspace?: { mode: "read" | "write"; dir: string },
): Promise<string> {
  const skill = { name: "demo", dir: tree.path("root", "demo") };
  const declared = { workspace: workspace?.mode };
  const permit = { declared, workspace: workspace?.dir } as unknown as Permit;
  const result = await checkPlaces(skill, permit, {
    dataParent: tree.path("up", "data"),
    roots: [],
    own: [],
    auditLog: undefined,
    account: NOBODY,
  });
  return result.ok ? "accepted" : `${result.code}: ${result.message}`;
}

Deno.test({
  name:
    "checkPlaces: data may belong to the server or the account, below what that account passes through",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "up/data": { dir: true } });
    assert.equal(await saidFor(tree), "accepted");
    const dir = tree.path("up", "data", dataDirFor("demo"));
    await Deno.mkdir(dir, { mode: 0o700 });
    assert.equal(await saidFor(tree), "accepted");
    await Deno.chown(dir, NOBODY.uid, NOBODY.gid);
    assert.equal(await saidFor(tree), "accepted");
    await Deno.chown(dir, 4242, 4242);
    assert.match(await saidFor(tree), /is a directory of another account$/);
    await Deno.remove(dir);
    for (const closed of [tree.path("up", "data"), tree.path("up")]) {
      await Deno.chmod(closed, 0o700);
      assert.equal(
        await saidFor(tree),
        `PREFLIGHT: the directory for the skills' data cannot be reached by uid 65534, as which scripts run: ${closed} keeps it out`,
      );
    }
    // What is not there yet is made so that it can be passed through.
    await Deno.chmod(tree.path("up"), 0o755);
    await Deno.remove(tree.path("up", "data"));
    assert.equal(await saidFor(tree), "accepted");
  },
});

Deno.test({
  name:
    "checkPlaces: a workspace has to be open to the account, as far as it is declared",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "other/ws/file": "x" });
    const dir = tree.path("other", "ws");
    assert.equal(await saidFor(tree, { mode: "read", dir }), "accepted");
    assert.equal(
      await saidFor(tree, { mode: "write", dir }),
      `PREFLIGHT: the workspace cannot be written by uid 65534, as which scripts run: ${dir} keeps it out`,
    );
    await Deno.chown(dir, NOBODY.uid, NOBODY.gid);
    assert.equal(await saidFor(tree, { mode: "write", dir }), "accepted");
    await Deno.chmod(tree.path("other"), 0o700);
    assert.match(
      await saidFor(tree, { mode: "read", dir }),
      /^PREFLIGHT: the workspace cannot be read by uid 65534.*other keeps it out$/,
    );
  },
});

Deno.test("checkPlaces: a workspace lies apart from the audit log, and a written one from the cache", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": SCRIPT, "../ws/in/a": "", "../cache/a": "" },
    auditLog: (tree) => tree.path("ws", "audit.log"),
  });
  const { tree } = fixture;
  const said = (mode: string, dir: string) =>
    refusal(withWorkspace(fixture, mode, dir));
  assert.match(await said("read", tree.path("ws")), /the audit log/);
  assert.equal(await said("read", tree.path("ws", "in")), "accepted");
  assert.match(
    await said("write", tree.path("cache")),
    /lie inside each other/,
  );
  assert.equal(await said("read", tree.path("cache")), "accepted");
});

Deno.test("closeDataDir: what a script opened to others is closed again, and no link is followed", async () => {
  await using tree = await makeTree({
    data: { dir: true },
    other: { dir: true },
  });
  await Deno.chmod(tree.path("data"), 0o777);
  closeDataDir(tree.path("data"));
  assert.equal(Deno.statSync(tree.path("data")).mode! & 0o7777, 0o700);
  await Deno.chmod(tree.path("other"), 0o755);
  await tree.write({ link: { link: "other" } });
  closeDataDir(tree.path("link"));
  closeDataDir(tree.path("gone"));
  assert.equal(Deno.statSync(tree.path("other")).mode! & 0o7777, 0o755);
});
