import assert from "node:assert/strict";
import fc from "fast-check";
import { dataDirFor, ensureDataDir } from "../../src/fence/disk/data_dir.ts";
import { foldName } from "../../src/skill/names.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree } from "../support/tree.ts";

const first = fc.constantFrom(..."abcXYZ09");
const rest = fc.string({
  unit: fc.constantFrom(..."aA0._-"),
  maxLength: 63,
});
const name = fc.array(
  fc.tuple(first, rest).map(([head, tail]) => head + tail),
  { minLength: 1, maxLength: 6 },
).map((segments) => segments.join("/"));

Deno.test("dataDirFor: lower case, slashes as plus, 8 hex digits of the name", () => {
  assert.equal(dataDirFor("Acme/Billing"), "acme+billing-a14adc75");
  assert.match(dataDirFor("weather"), /^weather-[0-9a-f]{8}$/);
});

Deno.test("dataDirFor: one segment that a file system takes, the same every time", () => {
  fc.assert(fc.property(name, (skill) => {
    const dir = dataDirFor(skill);
    assert.match(dir, /^[a-z0-9][a-z0-9._+-]*$/);
    assert.ok(dir.length <= 255);
    assert.equal(dir, dataDirFor(skill));
  }));
});

Deno.test("dataDirFor: no two skills share one, even without regard to case", () => {
  fc.assert(fc.property(name, name, (a, b) => {
    fc.pre(foldName(a) !== foldName(b));
    assert.notEqual(foldName(dataDirFor(a)), foldName(dataDirFor(b)));
  }));
  const long = "a".repeat(60);
  const deep = [long, long, long, long].join("/");
  assert.notEqual(dataDirFor(`${deep}/x`), dataDirFor(`${deep}/y`));
  assert.notEqual(dataDirFor("a/b"), dataDirFor("a-b"));
});

Deno.test("ensureDataDir: makes it 0700 with what is missing above, and accepts its own", async () => {
  await using tree = await makeTree();
  const dir = tree.path("data", "demo-12345678");
  assert.deepEqual(await ensureDataDir(dir), { ok: true, value: dir });
  assert.equal((await Deno.lstat(dir)).mode! & 0o777, 0o700);
  await Deno.chmod(dir, 0o755);
  assert.ok((await ensureDataDir(dir)).ok);
  assert.equal((await Deno.lstat(dir)).mode! & 0o777, 0o700);
});

Deno.test("ensureDataDir: refuses a link and a file in its place, and touches neither", async () => {
  await using tree = await makeTree({
    "target/keep": "1",
    "data/a": { link: "../target" },
    "data/b": "a file",
  });
  for (const name of ["a", "b"]) {
    const made = await ensureDataDir(tree.path("data", name));
    assert.ok(!made.ok);
    assert.equal(made.code, "PREFLIGHT");
  }
  assert.ok((await Deno.lstat(tree.path("data", "a"))).isSymlink);
});

Deno.test("ensureDataDir: what cannot be made is a refusal", async () => {
  await using tree = await makeTree({ "data": "a file" });
  const made = await ensureDataDir(tree.path("data", "demo"));
  assert.ok(!made.ok);
  assert.equal(made.code, "SPAWN_FAILED");
  assert.ok(!made.message.includes(tree.root), made.message);
});

Deno.test({
  name:
    "ensureDataDir: with an account it is that account's, below directories it may pass through",
  ...asRoot,
  async fn() {
    await using tree = await makeTree();
    const dir = tree.path("new", "data", "demo-12345678");
    // Whatever the process's mask is.
    const mask = Deno.umask(0o077);
    try {
      assert.ok((await ensureDataDir(dir, NOBODY)).ok);
    } finally {
      Deno.umask(mask);
    }
    const { uid, gid, mode } = await Deno.lstat(dir);
    assert.deepEqual([uid, gid, mode! & 0o777], [
      NOBODY.uid,
      NOBODY.gid,
      0o700,
    ]);
    const touched = await runAs(NOBODY, ["/bin/touch", `${dir}/new`]);
    assert.equal(touched.code, 0);
    // It stays so, and others get nothing.
    assert.ok((await ensureDataDir(dir, NOBODY)).ok);
    const other = { uid: 4242, gid: 4242 };
    assert.notEqual((await runAs(other, ["/bin/ls", dir])).code, 0);
    const above = await runAs(NOBODY, ["/bin/ls", tree.path("new", "data")]);
    assert.notEqual(above.code, 0);
  },
});

Deno.test({
  name:
    "ensureDataDir: what a root server kept so far is handed over to the account",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "data/demo/a/kept": "1" });
    const dir = tree.path("data", "demo");
    await Deno.chmod(tree.path("data", "demo", "a", "kept"), 0o600);
    assert.ok((await ensureDataDir(dir, NOBODY)).ok);
    const { out } = await runAs(NOBODY, ["/bin/cat", `${dir}/a/kept`]);
    assert.equal(out, "1");
    assert.equal((await Deno.lstat(dir)).mode! & 0o777, 0o700);
  },
});

Deno.test({
  name:
    "ensureDataDir: a parent that the account cannot pass through is named, with its uid",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "closed/data": { dir: true } });
    await Deno.chmod(tree.path("closed"), 0o700);
    const made = await ensureDataDir(
      tree.path("closed", "data", "demo"),
      NOBODY,
    );
    assert.ok(!made.ok);
    assert.equal(made.code, "PREFLIGHT");
    assert.match(made.message, /by uid 65534/);
    assert.ok(made.message.includes(`${tree.path("closed")} keeps it out`));
  },
});

Deno.test({
  name: "ensureDataDir: another account's directory is refused and left alone",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "data/demo/x": "1" });
    const dir = tree.path("data", "demo");
    await Deno.chown(dir, 4242, 4242);
    const made = await ensureDataDir(dir, NOBODY);
    assert.ok(!made.ok);
    assert.equal(made.code, "PREFLIGHT");
    assert.match(made.message, /a directory of another account/);
    assert.match(made.hint, /Give it to uid 65534/);
    assert.equal((await Deno.lstat(dir)).uid, 4242);
  },
});
