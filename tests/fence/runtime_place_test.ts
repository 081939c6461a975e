import assert from "node:assert/strict";
import { CacheDir } from "../../src/fence/cache_dir.ts";
import { RuntimePlace } from "../../src/fence/runtime/runtime_place.ts";
import type { Runtime } from "../../src/fence/types.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const VERSION = "2.9.6";

/** A program that says it is Deno. */
function deno(version = VERSION): string {
  return `#!/bin/sh\necho "deno ${version} (stable)"\n`;
}

/** `closed/deno`, which only root gets to, and a cache that all pass through. */
async function scene(): Promise<Tree> {
  const tree = await makeTree({
    "closed/deno": deno(),
    cache: { dir: true },
    tmp: { dir: true },
  });
  await Deno.chmod(tree.path("closed", "deno"), 0o755);
  await Deno.chmod(tree.path("closed"), 0o700);
  await Deno.chmod(tree.path("cache"), 0o700);
  return tree;
}

function at(tree: Tree, ...parts: string[]): Runtime {
  return { path: tree.path(...parts), version: VERSION, from: "PATH" };
}

/** A place as a fresh server has it. */
function places(tree: Tree): RuntimePlace {
  return new RuntimePlace(
    new CacheDir({
      explicit: tree.path("cache"),
      env: () => undefined,
      tmpDir: tree.path("tmp"),
    }),
  );
}

async function placed(tree: Tree, runtime: Runtime): Promise<string> {
  const result = await places(tree).at(runtime, NOBODY);
  assert.ok(result.ok, result.ok ? "" : result.message);
  const { path, ...rest } = result.value;
  assert.deepEqual(rest, { version: VERSION, from: "PATH" });
  const { out } = await runAs(NOBODY, [path, "--version"]);
  assert.match(out, /^deno 2\.9\.6/);
  return path;
}

function copies(tree: Tree): string[] {
  return [...Deno.readDirSync(tree.path("cache"))].map(({ name }) => name)
    .filter((name) => !name.endsWith(".json")).sort();
}

Deno.test({
  name:
    "RuntimePlace: without an account, or where that account can start it, it stays where it is",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    const closed = at(tree, "closed", "deno");
    const own = await places(tree).at(closed, undefined);
    assert.deepEqual(own, { ok: true, value: closed });
    await tree.write({ "bin/deno": deno(), link: { link: "bin/deno" } });
    await Deno.chmod(tree.path("bin", "deno"), 0o755);
    const path = tree.path("bin", "deno");
    assert.equal(await placed(tree, at(tree, "bin", "deno")), path);
    assert.equal(await placed(tree, at(tree, "link")), path);
    assert.deepEqual(copies(tree), []);
  },
});

Deno.test({
  name:
    "RuntimePlace: where the account does not come it gets a second name, which is kept",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    const source = at(tree, "closed", "deno");
    const path = await placed(tree, source);
    const [one, two] = [await Deno.stat(source.path), await Deno.stat(path)];
    assert.equal(one.ino, two.ino);
    const before = (await Deno.stat(`${path}.json`)).mtime;
    assert.equal(await placed(tree, source), path);
    assert.deepEqual((await Deno.stat(`${path}.json`)).mtime, before);
    assert.equal(copies(tree).length, 1);
  },
});

Deno.test({
  name:
    "RuntimePlace: what the account could change or may not start itself is copied, for root alone to write",
  ...asRoot,
  async fn() {
    for (const change of ["owner", "mode", "writable"]) {
      await using tree = await scene();
      const source = at(tree, "closed", "deno");
      await Deno.chmod(tree.path("closed"), 0o755);
      if (change === "owner") await Deno.chown(source.path, NOBODY.uid, 0);
      else await Deno.chmod(source.path, change === "mode" ? 0o700 : 0o757);
      const path = await placed(tree, source);
      const { uid, mode, ino } = await Deno.stat(path);
      assert.deepEqual([uid, mode! & 0o777], [0, 0o755], change);
      assert.notEqual(ino, (await Deno.stat(source.path)).ino);
      assert.equal(await Deno.readTextFile(path), deno());
      assert.equal(await placed(tree, source), path);
      // A copy that was meddled with is made anew.
      await Deno.writeTextFile(path, "#!/bin/sh\n");
      assert.equal(await placed(tree, source), path);
      assert.equal(copies(tree).length, 1);
    }
  },
});

Deno.test({
  name:
    "RuntimePlace: a runtime that was replaced is put there anew and the old one goes, another's stays",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    await tree.write({ "closed/other": deno() });
    await Deno.chmod(tree.path("closed", "other"), 0o755);
    const other = await placed(tree, at(tree, "closed", "other"));
    const source = at(tree, "closed", "deno");
    const first = await placed(tree, source);
    await tree.write({ "closed/new": `${deno()}# newer\n` });
    await Deno.chmod(tree.path("closed", "new"), 0o755);
    await Deno.rename(tree.path("closed", "new"), source.path);
    const second = await placed(tree, source);
    assert.notEqual(second, first);
    assert.deepEqual(
      copies(tree).map((name) => tree.path("cache", name)),
      [other, second].sort(),
    );
    assert.deepEqual([...Deno.readDirSync(tree.path("cache"))].length, 4);
  },
});

Deno.test({
  name:
    "RuntimePlace: many at the same time get the same whole file, and leave nothing else",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    const source = at(tree, "closed", "deno");
    await Deno.chmod(source.path, 0o700);
    const all = await Promise.all(
      Array.from({ length: 6 }, () => placed(tree, source)),
    );
    assert.equal(new Set(all).size, 1);
    assert.deepEqual(copies(tree).length, 1);
  },
});

Deno.test({
  name:
    "RuntimePlace: what does not start as that account there is a refusal without paths",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    await tree.write({ "closed/deno": deno("1.0.0") });
    const refused = await places(tree).at(at(tree, "closed", "deno"), NOBODY);
    assert.ok(!refused.ok);
    assert.equal(refused.code, "NO_RUNTIME");
    assert.match(refused.message, /uid 65534.*does not start from there/);
    assert.ok(!refused.message.includes(tree.root));
    assert.deepEqual([...Deno.readDirSync(tree.path("cache"))], []);
    const gone = await places(tree).at(at(tree, "closed", "none"), NOBODY);
    assert.equal(gone.ok ? "" : gone.code, "NO_RUNTIME");
  },
});

Deno.test({
  name:
    "RuntimePlace: the Deno of these tests runs a script as the account from there",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    await Deno.chmod(tree.path("closed"), 0o755);
    const path = tree.path("closed", "real");
    await Deno.copyFile(Deno.execPath(), path);
    await Deno.chmod(path, 0o700);
    const runtime = { ...at(tree), path, version: Deno.version.deno };
    const result = await places(tree).at(runtime, NOBODY);
    assert.ok(result.ok, result.ok ? "" : result.message);
    const { out } = await runAs(NOBODY, [
      result.value.path,
      "eval",
      "console.log(Deno.uid(), Deno.gid())",
    ]);
    assert.equal(out, `${NOBODY.uid} ${NOBODY.gid}\n`);
  },
});

Deno.test({
  name:
    "RuntimePlace: a second name of an old runtime, half made by another server, is left to it",
  ...asRoot,
  async fn() {
    await using tree = await scene();
    const source = at(tree, "closed", "deno");
    const past = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await Deno.utime(source.path, past, past);
    const theirs = tree.path("cache", "runtime-00ff.theirs.tmp");
    await Deno.link(source.path, theirs);
    await placed(tree, source);
    assert.ok((await Deno.lstat(theirs)).isFile);
    // The runtime is gone: what is left would take its whole room.
    await Deno.remove(source.path);
    await Deno.remove(tree.path("cache", copies(tree)[0]!));
    await tree.write({ "closed/new": deno() });
    await Deno.chmod(tree.path("closed", "new"), 0o755);
    await placed(tree, at(tree, "closed", "new"));
    await assert.rejects(Deno.lstat(theirs), Deno.errors.NotFound);
  },
});
