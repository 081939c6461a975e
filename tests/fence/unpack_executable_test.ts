import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  type PackedFile,
  unpackExecutable,
} from "../../src/fence/runtime/unpack_executable.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

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
    // Who gets there is the directory's business.
    assert.equal((await Deno.stat(path.value)).mode! & 0o777, 0o755);
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

Deno.test({
  name:
    "unpackExecutable: one that others cannot start, as before, is made anew",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await caches();
    const packed = await pack(tree);
    const first = await unpackExecutable(packed, tree.path("cache"), yes);
    assert.ok(first.ok);
    await Deno.chmod(first.value, 0o700);
    const second = await unpackExecutable(packed, tree.path("cache"), yes);
    assert.deepEqual(second, first);
    assert.equal((await Deno.stat(first.value)).mode! & 0o777, 0o755);
  },
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
