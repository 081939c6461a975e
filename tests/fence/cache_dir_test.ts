import assert from "node:assert/strict";
import { join } from "node:path";
import {
  CacheDir,
  type CacheDirOptions,
  type CachePlace,
} from "../../src/fence/cache_dir.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { onUnix } from "./processes.ts";

function cache(tree: Tree, parts: Partial<CacheDirOptions> = {}): CacheDir {
  return new CacheDir({
    explicit: undefined,
    env: () => undefined,
    tmpDir: tree.path("tmp"),
    accountHome: () => undefined,
    ...parts,
  });
}

async function place(dir: CacheDir): Promise<CachePlace> {
  const found = await dir.get();
  assert.ok(found.ok, found.ok ? "" : found.message);
  return found.value;
}

function home(path: string): CacheDirOptions["env"] {
  return (name) => name === "HOME" ? path : undefined;
}

Deno.test({
  name: "CacheDir: made 0700 below the caches of HOME",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({ home: { dir: true } });
    const found = await place(cache(tree, { env: home(tree.path("home")) }));
    assert.equal(found.path, tree.path("home", ".cache", "skillfence"));
    assert.equal(found.temporary, false);
    assert.equal((await Deno.stat(found.path)).mode! & 0o777, 0o700);
  },
});

Deno.test({
  name: "CacheDir: XDG_CACHE_HOME wins over HOME, if it is absolute",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({
      home: { dir: true },
      xdg: { dir: true },
    });
    const env = (xdg: string) => (name: string) =>
      ({ HOME: tree.path("home"), XDG_CACHE_HOME: xdg })[name];
    const one = await place(cache(tree, { env: env(tree.path("xdg")) }));
    assert.equal(one.path, tree.path("xdg", "skillfence"));
    const relative = cache(tree, { env: env("relative") });
    assert.deepEqual(relative.candidates(), [
      tree.path("home", ".cache", "skillfence"),
    ]);
    const two = await place(relative);
    assert.equal(two.path, tree.path("home", ".cache", "skillfence"));
  },
});

Deno.test({
  name: "CacheDir: without HOME it is the account's home",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({ account: { dir: true } });
    const accountHome = () => tree.path("account");
    const found = await place(cache(tree, { accountHome }));
    assert.equal(found.path, tree.path("account", ".cache", "skillfence"));
  },
});

Deno.test({
  name:
    "CacheDir: without any home it is private, temporary, and goes at the end",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({ tmp: { dir: true } });
    const dir = cache(tree);
    const found = await place(dir);
    assert.equal(found.temporary, true);
    assert.match(found.note ?? "", /no home/);
    assert.equal((await Deno.stat(found.path)).mode! & 0o777, 0o700);
    await Deno.writeTextFile(join(found.path, "x"), "y");
    dir.closeSync();
    assert.deepEqual([...Deno.readDirSync(tree.path("tmp"))], []);
  },
});

Deno.test({
  name: "CacheDir: found once, however many ask at the same time",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({ tmp: { dir: true } });
    const dir = cache(tree);
    const [one, two] = await Promise.all([place(dir), place(dir)]);
    assert.equal(one.path, two.path);
    assert.equal([...Deno.readDirSync(tree.path("tmp"))].length, 1);
  },
});

Deno.test({
  name:
    "CacheDir: SKILLFENCE_CACHE_DIR that cannot be used is refused, with why and without paths",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({
      "real/x": "",
      link: { link: "real" },
      "file": "",
      "open/x": "",
      "wide/inner/x": "",
      tmp: { dir: true },
    });
    await Deno.chmod(tree.path("real"), 0o700);
    await Deno.chmod(tree.path("open"), 0o755);
    await Deno.chmod(tree.path("wide"), 0o777);
    await Deno.chmod(tree.path("wide", "inner"), 0o700);
    const cases: [string, RegExp][] = [
      ["link", /is a link/],
      ["file", /cannot be made|not a directory/],
      ["open", /mode is not 0700/],
      ["wide/inner", /above it is writable by others/],
      ["wide/new", /writable by others/],
    ];
    for (const [name, why] of cases) {
      const found = await cache(tree, { explicit: tree.path(name) }).get();
      assert.ok(!found.ok, name);
      assert.match(found.message, why);
      assert.equal(found.code, "CONFIG");
      assert.ok(!found.message.includes(tree.root));
    }
    assert.deepEqual([...Deno.readDirSync(tree.path("tmp"))], []);
    await assert.rejects(Deno.lstat(tree.path("wide", "new")));
    assert.ok((await cache(tree, { explicit: tree.path("real") }).get()).ok);
    await Deno.chmod(tree.path("wide"), 0o1777);
    for (const name of ["wide/inner", "wide/new"]) {
      const found = await cache(tree, { explicit: tree.path(name) }).get();
      assert.ok(found.ok, name);
    }
  },
});

Deno.test({
  name: "CacheDir: a HOME of another account is left alone",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      home: { dir: true },
      tmp: { dir: true },
    });
    await Deno.chown(tree.path("home"), NOBODY.uid, NOBODY.gid);
    const found = await place(cache(tree, { env: home(tree.path("home")) }));
    assert.equal(found.temporary, true);
    assert.match(found.note ?? "", /someone else/);
    assert.deepEqual([...Deno.readDirSync(tree.path("home"))], []);
  },
});

/** Whether the account gets to a file in the directory, and cannot list it. */
async function isReached({ path }: CachePlace): Promise<boolean> {
  const file = join(path, crypto.randomUUID());
  await Deno.writeTextFile(file, "x");
  const { out } = await runAs(NOBODY, ["/bin/cat", file]);
  assert.notEqual((await runAs(NOBODY, ["/bin/ls", path])).code, 0);
  return out === "x";
}

/** The reachable directory of a cache over these places. */
async function reached(
  tree: Tree,
  parts: Partial<CacheDirOptions>,
): Promise<CachePlace> {
  const systemCaches = tree.path("var");
  const dir = cache(tree, { systemCaches, ...parts });
  const found = await dir.reachable(NOBODY);
  assert.ok(found.ok, found.ok ? "" : found.message);
  assert.equal(await isReached(found.value), true);
  return found.value;
}

Deno.test({
  name:
    "CacheDir.reachable: the cache itself where the account comes there, opened to pass through",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "home/.cache": { dir: true },
      var: { dir: true },
      tmp: { dir: true },
    });
    const env = home(tree.path("home"));
    const own = cache(tree, { env });
    assert.deepEqual(await own.reachable(undefined), await own.get());
    const found = await reached(tree, { env });
    // What was made for it to pass through, another server takes as its own.
    assert.equal(found.path, (await place(cache(tree, { env }))).path);
    assert.equal((await Deno.stat(found.path)).mode! & 0o777, 0o711);
    assert.deepEqual([...Deno.readDirSync(tree.path("var"))], []);
  },
});

Deno.test({
  name:
    "CacheDir.reachable: else one of the system's caches, else a temporary one",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "root/home": { dir: true },
      var: { dir: true },
      tmp: { dir: true },
    });
    await Deno.chmod(tree.path("root"), 0o700);
    const env = home(tree.path("root", "home"));
    const system = await reached(tree, { env });
    assert.deepEqual(
      [system.path, system.temporary],
      [tree.path("var", "skillfence"), false],
    );
    const explicit = tree.path("root", "cache");
    for (const parts of [{ explicit }, { env }]) {
      // The explicit one or none; the other where the system's is not safe.
      if (parts.explicit === undefined) {
        await Deno.chmod(tree.path("var"), 0o777);
      }
      const dir = await reached(tree, parts);
      assert.equal(dir.temporary, true);
      assert.ok(dir.path.startsWith(tree.path("tmp")));
      assert.match(dir.note ?? "", /out of reach of uid 65534/);
    }
  },
});

Deno.test({
  name: "CacheDir.reachable: a directory that is open already is not touched",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ own: { dir: true } });
    const explicit = tree.path("own");
    await Deno.chmod(explicit, 0o711);
    const { chmod } = Deno;
    // As a read-only file system answers.
    Deno.chmod = () => Promise.reject(new Error("read-only"));
    try {
      const found = await cache(tree, { explicit }).reachable(NOBODY);
      assert.equal(found.ok && found.value.path, explicit);
    } finally {
      Deno.chmod = chmod;
    }
  },
});

Deno.test({
  name: "CacheDir.reachable: where there is none it is a refusal without paths",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ tmp: { dir: true } });
    await Deno.chmod(tree.path("tmp"), 0o700);
    const systemCaches = tree.path("missing", "\0");
    const found = await cache(tree, { systemCaches }).reachable(NOBODY);
    assert.ok(!found.ok);
    assert.equal(found.code, "NO_RUNTIME");
    assert.ok(!found.message.includes(tree.root));
  },
});
