import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type PackedFile,
  treeDigest,
  unpackExecutable,
  unpackTree,
} from "../../src/fence/unpack.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "./processes.ts";

const yes = () => Promise.resolve(true);

/** An executable with a payload of 3 MiB and a bit between other bytes. */
async function pack(tree: Tree): Promise<PackedFile> {
  const payload = new Uint8Array(3 * 1024 * 1024 + 17).map((_, at) => at * 7);
  const file = await Deno.open(tree.path("server"), {
    write: true,
    create: true,
  });
  for (const part of [new Uint8Array(1001), payload, new Uint8Array(99)]) {
    await file.write(part);
  }
  file.close();
  return {
    from: tree.path("server"),
    offset: 1001,
    size: payload.length,
    sha256: createHash("sha256").update(payload).digest("hex"),
  };
}

function caches(): Promise<Tree> {
  return makeTree({ cache: { dir: true } });
}

function names(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

Deno.test("unpackExecutable: the range, executable, under a name with its digest", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const path = await unpackExecutable(packed, tree.path("cache"), yes);
  assert.ok(path.ok);
  const name = `deno-${packed.sha256.slice(0, 16)}`;
  assert.equal(path.value, tree.path("cache", name));
  assert.equal(hash(await Deno.readFile(path.value)), packed.sha256);
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(path.value)).mode! & 0o777, 0o700);
  }
  // Nothing half made is left.
  assert.deepEqual(names(tree.path("cache")), [name, `${name}.json`]);
});

Deno.test("unpackExecutable: unpacked once, then neither read nor started again", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const first = await unpackExecutable(packed, tree.path("cache"), yes);
  await Deno.remove(packed.from);
  let asked = 0;
  const second = await unpackExecutable(packed, tree.path("cache"), () => {
    asked++;
    return Promise.resolve(true);
  });
  assert.deepEqual(second, first);
  assert.equal(asked, 0);
});

Deno.test("unpackExecutable: a changed file is noticed and made anew", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const first = await unpackExecutable(packed, tree.path("cache"), yes);
  assert.ok(first.ok);
  const made = (await Deno.stat(first.value)).ctime!.getTime();
  // Same size and, put back, the same mtime: the change time tells, in seconds.
  await until(() => Date.now() >= made + 1_000);
  const info = await Deno.stat(first.value);
  const bytes = await Deno.readFile(first.value);
  bytes[5]! ^= 1;
  await Deno.writeFile(first.value, bytes);
  await Deno.utime(first.value, info.atime!, info.mtime!);
  const second = await unpackExecutable(packed, tree.path("cache"), yes);
  assert.ok(second.ok);
  assert.equal(hash(await Deno.readFile(second.value)), packed.sha256);
});

Deno.test("unpackExecutable: a lost record costs a digest, not the file", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const first = await unpackExecutable(packed, tree.path("cache"), yes);
  assert.ok(first.ok);
  await Deno.remove(`${first.value}.json`);
  await Deno.remove(packed.from);
  const second = await unpackExecutable(packed, tree.path("cache"), yes);
  assert.deepEqual(second, first);
  assert.equal(names(tree.path("cache")).length, 2);
});

Deno.test("unpackExecutable: a wrong digest is refused and removed", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  for (
    const bad of [
      { ...packed, sha256: "0".repeat(64) },
      { ...packed, offset: packed.offset + 1 },
      { ...packed, size: packed.size + 4096 },
    ]
  ) {
    const refused = await unpackExecutable(bad, tree.path("cache"), yes);
    assert.ok(!refused.ok);
    assert.match(refused.message, /damaged/);
    assert.deepEqual(names(tree.path("cache")), []);
  }
});

Deno.test("unpackExecutable: what does not start there is refused each time", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const no = () => Promise.resolve(false);
  for (let time = 0; time < 2; time++) {
    const refused = await unpackExecutable(packed, tree.path("cache"), no);
    assert.ok(!refused.ok);
    assert.match(refused.message, /does not start/);
  }
  assert.ok((await unpackExecutable(packed, tree.path("cache"), yes)).ok);
});

Deno.test("unpackExecutable: what a killed unpacking left an hour ago goes", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  await tree.write({
    "cache/deno-00ff.old.tmp": "x",
    "cache/skills-00ff.old.tmp/a": "x",
    "cache/deno-00ff.new.tmp": "x",
    "cache/other.tmp": "x",
  });
  const past = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (
    const name of ["deno-00ff.old.tmp", "skills-00ff.old.tmp", "other.tmp"]
  ) {
    await Deno.utime(tree.path("cache", name), past, past);
  }
  await unpackExecutable(packed, tree.path("cache"), yes);
  assert.deepEqual(
    names(tree.path("cache")).filter((name) => name.endsWith(".tmp")),
    ["deno-00ff.new.tmp", "other.tmp"],
  );
});

Deno.test("unpackExecutable: many at the same time all get the same whole file", async () => {
  await using tree = await caches();
  const packed = await pack(tree);
  const all = await Promise.all(
    Array.from(
      { length: 6 },
      () =>
        unpackExecutable(
          packed,
          tree.path("cache"),
          async (path) => hash(await Deno.readFile(path)) === packed.sha256,
        ),
    ),
  );
  for (const one of all) assert.ok(one.ok, one.ok ? "" : one.message);
  assert.equal(names(tree.path("cache")).length, 2);
});

Deno.test({
  name:
    "unpackExecutable: a cache that cannot be written is a refusal without paths",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await caches();
    const packed = await pack(tree);
    const refused = await unpackExecutable(packed, tree.path("none"), yes);
    assert.equal(refused.ok ? "" : refused.code, "NO_RUNTIME");
    assert.ok(!refused.ok && !refused.message.includes(tree.root));
  },
});

const SKILLS = {
  "bundled/one/SKILL.md": "# one\n",
  "bundled/one/scripts/run.mjs": "console.log(1)\n",
  "bundled/a-b/SKILL.md": "# ab\n",
  "bundled/a/SKILL.md": "# a\n",
};

Deno.test("unpackTree: every file, under a name with the content's digest", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const path = await unpackTree(
    tree.path("bundled"),
    digest,
    tree.path("cache"),
  );
  assert.ok(path.ok);
  assert.equal(
    path.value,
    tree.path("cache", `skills-${digest.slice(0, 16)}`),
  );
  assert.equal(await treeDigest(path.value), digest);
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("unpackTree: a changed, added or removed file brings it back", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const unpack = () =>
    unpackTree(tree.path("bundled"), digest, tree.path("cache"));
  const path = await unpack();
  assert.ok(path.ok);
  const changes = [
    () => Deno.writeTextFile(join(path.value, "one", "SKILL.md"), "# mine\n"),
    () => Deno.writeTextFile(join(path.value, "new"), ""),
    () => Deno.remove(join(path.value, "a"), { recursive: true }),
  ];
  for (const change of changes) {
    await change();
    assert.notEqual(await treeDigest(path.value), digest);
    assert.ok((await unpack()).ok);
    assert.equal(await treeDigest(path.value), digest);
  }
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("unpackTree: what was not built with that digest is refused and not kept", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const refused = await unpackTree(
    tree.path("bundled"),
    "0".repeat(64),
    tree.path("cache"),
  );
  assert.ok(!refused.ok);
  assert.deepEqual(names(tree.path("cache")), []);
});

Deno.test("unpackTree: many at the same time all find it whole", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const all = await Promise.all(
    Array.from(
      { length: 6 },
      () => unpackTree(tree.path("bundled"), digest, tree.path("cache")),
    ),
  );
  for (const one of all) assert.ok(one.ok, one.ok ? "" : one.message);
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("treeDigest: names count as contents do", async () => {
  await using tree = await makeTree({ "x/a": "1", "y/b": "1", "z/a": "2" });
  const digests = await Promise.all(
    ["x", "y", "z"].map((name) => treeDigest(tree.path(name))),
  );
  assert.equal(new Set(digests).size, 3);
});

Deno.test("unpackTree: files lose the ending that hides them from deno compile", async () => {
  await using tree = await makeTree({
    "plain/a/x.mjs": "one",
    "plain/SKILL.md": "two",
    "packed/a/x.mjs.packed": "one",
    "packed/SKILL.md.packed": "two",
    "cache": { dir: true },
  });
  const path = await unpackTree(
    tree.path("packed"),
    await treeDigest(tree.path("plain")),
    tree.path("cache"),
  );
  assert.ok(path.ok);
  assert.equal(await Deno.readTextFile(`${path.value}/a/x.mjs`), "one");
  assert.deepEqual(
    [...Deno.readDirSync(path.value)].map((entry) => entry.name).sort(),
    ["SKILL.md", "a"],
  );
});
