import assert from "node:assert/strict";
import {
  checkBundle,
  checkOpened,
  realPathSoFar,
} from "../../src/fence/preflight.ts";
import type { Result } from "../../src/base/refusal.ts";
import type { Account } from "../../src/os/types.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { type Entry, makeTree } from "../support/tree.ts";
import { makeFixture, prepare, runBare } from "./plan_fixture.ts";

function said(result: Result<unknown>): string {
  return result.ok ? "passed" : `${result.code}: ${result.message}`;
}

async function check(entries: Record<string, Entry>): Promise<string> {
  await using tree = await makeTree({ "r/s/SKILL.md": "x", ...entries });
  return said(await checkBundle(tree.path("r", "s"), tree.path("r")));
}

Deno.test("checkBundle: a link that leads out is refused by its name in the skill", async () => {
  const message = await check({ "r/s/data/l": { link: "/etc/hostname" } });
  assert.match(message, /^PREFLIGHT: data\/l is a link that leads out/);
  assert.ok(!message.includes("/etc"), "no path of the machine");
});

Deno.test("checkBundle: three faults are named and the rest counted", async () => {
  const links = Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((l) => [`r/s/${l}`, { link: "/" }]),
  );
  const message = await check(links);
  assert.match(
    message,
    /a is a link.*; b is a link.*; c is a link.*; and 2 more$/,
  );
});

Deno.test("checkBundle: strange names are made visible", async () => {
  assert.match(
    await check({ "r/s/a\u{202e}b": { link: "/" } }),
    /a\\u\{202e\}b is a link/,
  );
});

Deno.test("checkBundle: commas in a path and in the skill's own place", async () => {
  assert.match(await check({ "r/s/a,b": "x" }), /^PREFLIGHT: a,b has a comma/);
  await using tree = await makeTree({ "r,r/s/SKILL.md": "x" });
  const place = await checkBundle(tree.path("r,r", "s"), tree.path("r,r"));
  assert.match(said(place), /^PREFLIGHT: the skill's directory has a comma/);
});

Deno.test("checkBundle: a place that would read as a placeholder is refused", async () => {
  await using tree = await makeTree({ "<scratch>/s/SKILL.md": "x" });
  const place = await checkBundle(tree.path("<scratch>", "s"), tree.root);
  assert.match(said(place), /^PREFLIGHT: the skill's directory has <scratch>/);
});

Deno.test("checkBundle: hard links of the same owner pass, of another owner do not", async () => {
  await using tree = await makeTree({ "r/s/SKILL.md": "x", "out": "y" });
  await Deno.link(tree.path("out"), tree.path("r", "s", "in"));
  const dir = tree.path("r", "s");
  assert.equal(said(await checkBundle(dir, tree.path("r"))), "passed");
  if (Deno.uid() !== 0) return;
  await Deno.chown(tree.path("out"), 4242, null);
  assert.match(
    said(await checkBundle(dir, tree.path("r"))),
    /^PREFLIGHT: in has another name outside/,
  );
});

Deno.test("checkBundle: over 20,000 files nothing runs, and the bound is named", async () => {
  await using tree = await makeTree({ "r/s/SKILL.md": "x" });
  const dir = tree.path("r", "s");
  for (let i = 0; i < 20_000; i++) Deno.writeTextFileSync(`${dir}/${i}`, "");
  const over = await checkBundle(dir, tree.path("r"));
  assert.match(
    said(over),
    /^TOO_LARGE: the skill holds more than 20,000 files/,
  );
  await Deno.remove(`${dir}/0`);
  assert.equal(said(await checkBundle(dir, tree.path("r"))), "passed");
});

Deno.test("checkBundle: over 512 MiB nothing runs", async () => {
  await using tree = await makeTree({ "r/s/SKILL.md": "x", "r/s/big": "" });
  // Sparse: it has the size and takes no room.
  await Deno.truncate(tree.path("r", "s", "big"), 512 * 1024 * 1024);
  const over = await checkBundle(tree.path("r", "s"), tree.path("r"));
  assert.match(said(over), /^TOO_LARGE: the skill holds more than 512 MiB/);
});

Deno.test("checkBundle: more closed directories than a command line names are refused", async () => {
  const links = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [
      `r/s/.${String(i).padEnd(200, "x")}/l`,
      { link: "/" },
    ]),
  );
  assert.match(
    await check(links),
    /^TOO_LARGE: the skill holds 300 hidden or ignored entries with links/,
  );
});

Deno.test("checkBundle: a directory that is gone is a refusal, not a crash", async () => {
  await using tree = await makeTree();
  const gone = await checkBundle(tree.path("gone"), tree.root);
  assert.match(said(gone), /^PREFLIGHT: the skill cannot be read \(NotFound\)/);
});

Deno.test({
  name:
    "checkBundle: what the account that scripts run as cannot read is refused by its name in the skill",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "r/s/SKILL.md": "x",
      "r/s/lib/a.js": "a",
      "r/s/.git/config": "b",
      "r/s/data.json": "c",
    });
    const dir = tree.path("r", "s");
    const check = async (account?: Account) =>
      said(await checkBundle(dir, tree.path("r"), account));
    assert.equal(await check(NOBODY), "passed");
    const cases: [string[], number, string][] = [
      [["data.json"], 0o600, "data.json"],
      [["lib", "a.js"], 0o640, "lib/a.js"],
      [["lib"], 0o700, "lib"],
      [["lib"], 0o744, "lib"],
      [[".git", "config"], 0o600, ".git/config"],
    ];
    for (const [parts, mode, name] of cases) {
      const path = tree.path("r", "s", ...parts);
      const { mode: before } = await Deno.stat(path);
      await Deno.chmod(path, mode);
      assert.equal(
        await check(NOBODY),
        `PREFLIGHT: ${name} cannot be read by uid 65534, as which scripts run`,
      );
      assert.equal(await check(), "passed", "by the server itself it can");
      await Deno.chmod(path, before! & 0o777);
    }
    assert.equal(await check(NOBODY), "passed");
    // By its group alone, or as its owner.
    await Deno.chmod(tree.path("r", "s", "data.json"), 0o640);
    assert.match(await check(NOBODY), /^PREFLIGHT/);
    await Deno.chown(tree.path("r", "s", "data.json"), 0, NOBODY.gid);
    assert.equal(await check(NOBODY), "passed");
  },
});

Deno.test({
  name:
    "checkBundle: a directory above the skill that keeps the account out is refused by its path",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "r/s/SKILL.md": "x" });
    const dir = tree.path("r", "s");
    for (const closed of [tree.path("r"), dir]) {
      await Deno.chmod(closed, 0o750);
      const refused = await checkBundle(dir, tree.path("r"), NOBODY);
      assert.equal(
        said(refused),
        `PREFLIGHT: the skill's directory cannot be read by uid 65534, as which scripts run: ${closed} keeps it out`,
      );
      assert.match(refused.ok ? "" : refused.hint, /chmod.*SKILLFENCE_UID/);
      const { code } = await runAs(NOBODY, ["/bin/ls", dir]);
      assert.notEqual(code, 0);
      await Deno.chmod(closed, 0o755);
    }
  },
});

Deno.test("checkOpened: hard links and links are refused by their place", async () => {
  await using tree = await makeTree({ "d/a": "x", "out": "y" });
  await Deno.link(tree.path("out"), tree.path("d", "h"));
  assert.match(
    said(await checkOpened(tree.path("d"), "data", true)),
    /^PREFLIGHT: data\/h has another name outside/,
  );
  await Deno.remove(tree.path("d", "h"));
  assert.equal(said(await checkOpened(tree.path("d"), "data", true)), "passed");
  await Deno.symlink("/etc", tree.path("d", "l"));
  assert.match(
    said(await checkOpened(tree.path("d"), "workspace", false)),
    /^PREFLIGHT: workspace\/l is a link that leads out/,
  );
});

Deno.test("realPathSoFar: follows what is there and keeps what is not", async () => {
  await using tree = await makeTree({
    "real/x": "1",
    "link": { link: "real" },
  });
  assert.equal(
    realPathSoFar(tree.path("link", "a", "b")),
    tree.path("real", "a", "b"),
  );
  assert.equal(realPathSoFar(tree.path("link")), tree.path("real"));
});

Deno.test("closed directories: the script reads neither them nor through them, and all else", async () => {
  await using fixture = await makeFixture({
    files: {
      "run.mjs": `
const said = (path) => { try { return Deno.readTextFileSync(path).trim() || "empty"; } catch (error) { return error.name; } };
console.log([".venv/bin/python", ".venv/own", ".opt/secret", "./sub/../.venv/own", "open.txt"].map(said).join(" "),
  [...Deno.readDirSync(".")].length > 0);
try { await import("./.venv/mod.mjs"); console.log("imported"); } catch (error) { console.log(String(error).includes("NotCapable") || String(error).includes("Requires read access")); }`,
      "open.txt": "open",
      ".venv/own": "own",
      ".venv/mod.mjs": "export {}",
      ".venv/bin/python": { link: "../../../../secret" },
      ".opt": { link: "../../elsewhere" },
      "../secret": "secret",
      "../elsewhere/secret": "secret",
    },
  });
  const prepared = await prepare(fixture.planner);
  const { out, err } = await runBare(prepared);
  assert.equal(
    out,
    "NotCapable NotCapable NotCapable NotCapable open true\ntrue\n",
    err,
  );
  // The same Plan without the flag reads through: the test can fail.
  const open = await runBare({
    ...prepared,
    plan: {
      ...prepared.plan,
      flags: prepared.plan.flags.filter((flag) =>
        !flag.startsWith("--deny-read")
      ),
    },
  });
  assert.match(open.out, /^secret own secret own open/);
});

Deno.test("climbing links: a script that may write would move one until it leads out", async () => {
  await using fixture = await makeFixture({
    dataDir: (tree) => tree.path("data"),
    files: {
      "run.mjs": `
const data = Deno.env.get("MCP_DATA_DIR");
Deno.renameSync(data + "/a/b", data + "/b");
console.log(Deno.readTextFileSync(data + "/b/l"));`,
    },
  });
  const first = await prepare(fixture.planner);
  const data = first.plan.dataDir!;
  await Deno.mkdir(`${data}/a/b`, { recursive: true });
  await Deno.writeTextFile(`${data}/secret`, "inside");
  await Deno.writeTextFile(fixture.tree.path("data", "secret"), "of others");
  await Deno.symlink("../../secret", `${data}/a/b/l`);
  // The Plan of before, when the link was not there yet: this is what happens.
  assert.equal((await runBare(first)).out, "of others\n");
  await Deno.rename(`${data}/b`, `${data}/a/b`);
  const refused = await fixture.planner.prepare({
    skill: "demo",
    script: "run.mjs",
    args: [],
    stdin: undefined,
    files: [],
  });
  assert.match(
    said(refused),
    /^PREFLIGHT: data\/a\/b\/l is a link with \.\. in its target/,
  );
});
