import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { delimiter } from "node:path";
import { ok, refuse } from "../../src/base/refusal.ts";
import { CacheDir } from "../../src/fence/cache_dir.ts";
import {
  PINNED_DENO,
  RuntimeFinder,
  type RuntimeFinderOptions,
  type RuntimeSources,
  runtimeSources,
} from "../../src/fence/runtime.ts";
import type { Runtime } from "../../src/fence/types.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { onUnix } from "./processes.ts";

const OTHER = "2.1.0";

/** A finder over a throw-away place, with a probe that is only counted. */
class Bench {
  readonly tree: Tree;
  readonly probed: string[] = [];
  /** What the probe answers. */
  verdict: string | undefined = undefined;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  finder(
    sources: Partial<RuntimeSources>,
    account?: RuntimeFinderOptions["account"],
  ): RuntimeFinder {
    return new RuntimeFinder({
      account,
      sources: {
        explicit: undefined,
        carried: undefined,
        running: undefined,
        searchPath: undefined,
        ...sources,
      },
      cache: new CacheDir({
        explicit: this.tree.path("cache"),
        env: () => undefined,
        tmpDir: this.tree.root,
      }),
      probe: (path) => {
        this.probed.push(path);
        return Promise.resolve(this.verdict);
      },
    });
  }

  async found(sources: Partial<RuntimeSources>): Promise<Runtime> {
    const result = await this.finder(sources).get();
    assert.ok(result.ok, result.ok ? "" : result.message);
    return result.value;
  }

  async refused(sources: Partial<RuntimeSources>): Promise<string> {
    const result = await this.finder(sources).get();
    assert.equal(result.ok ? "" : result.code, "NO_RUNTIME");
    return result.ok ? "" : result.message;
  }
}

/** The text of a program that says it is this version of Deno. */
function deno(version: string): string {
  return `#!/bin/sh\necho "deno ${version} (stable, release)"\n`;
}

async function bench(files: Record<string, string> = {}): Promise<Bench> {
  const tree = await makeTree(files);
  for (const path of Object.keys(files)) {
    await Deno.chmod(tree.path(path), 0o755);
  }
  return new Bench(tree);
}

Deno.test({
  name: "RuntimeFinder: SKILLFENCE_DENO comes first, and is the only one then",
  ...onUnix,
  async fn() {
    const it = await bench({
      "mine": deno(PINNED_DENO),
      "path/deno": deno(PINNED_DENO),
    });
    await using tree = it.tree;
    const explicit = tree.path("mine");
    const running = { path: Deno.execPath(), version: PINNED_DENO };
    assert.deepEqual(
      await it.found({ explicit, running, searchPath: tree.path("path") }),
      { path: explicit, version: PINNED_DENO, from: "SKILLFENCE_DENO" },
    );
    const message = await it.refused({
      explicit: tree.path("missing"),
      running,
      searchPath: tree.path("path"),
    });
    assert.match(message, /SKILLFENCE_DENO: there is no such file/);
    assert.ok(!message.includes(tree.root));
  },
});

Deno.test({
  name: "RuntimeFinder: then the carried one, unpacked and started once",
  ...onUnix,
  async fn() {
    const it = await bench({ "path/deno": deno(PINNED_DENO) });
    await using tree = it.tree;
    const payload = deno(PINNED_DENO);
    await tree.write({ server: `....${payload}....` });
    const carried = {
      from: tree.path("server"),
      offset: 4,
      size: payload.length,
      sha256: createHash("sha256").update(payload).digest("hex"),
      version: PINNED_DENO,
    };
    const running = { path: tree.path("path", "deno"), version: PINNED_DENO };
    const runtime = await it.found({ carried, running });
    assert.equal(runtime.from, "carried");
    assert.ok(runtime.path.startsWith(tree.path("cache")));
    assert.equal(await Deno.readTextFile(runtime.path), payload);
    // A damaged one is passed over, and its reason is kept.
    const damaged = { ...carried, sha256: "0".repeat(64) };
    const finder = it.finder({ carried: damaged, running });
    const fallback = await finder.get();
    assert.equal(fallback.ok && fallback.value.from, "running");
    assert.match(finder.attempts()[0]?.reason ?? "", /damaged/);
  },
});

Deno.test({
  name: "RuntimeFinder: a carried one that says another version is not used",
  ...onUnix,
  async fn() {
    const it = await bench();
    await using tree = it.tree;
    const payload = deno(OTHER);
    await tree.write({ server: payload });
    const message = await it.refused({
      carried: {
        from: tree.path("server"),
        offset: 0,
        size: payload.length,
        sha256: createHash("sha256").update(payload).digest("hex"),
        version: PINNED_DENO,
      },
    });
    assert.match(message, /does not start/);
  },
});

Deno.test({
  name: "RuntimeFinder: then the running Deno, then PATH",
  ...onUnix,
  async fn() {
    const it = await bench({ "path/deno": deno(PINNED_DENO) });
    await using tree = it.tree;
    const running = { path: Deno.execPath(), version: PINNED_DENO };
    const searchPath = ["", "relative", tree.path("none"), tree.path("path")]
      .join(delimiter);
    assert.equal((await it.found({ running, searchPath })).from, "running");
    assert.deepEqual(await it.found({ searchPath }), {
      path: tree.path("path", "deno"),
      version: PINNED_DENO,
      from: "PATH",
    });
    assert.deepEqual(it.probed, []);
  },
});

Deno.test({
  name:
    "RuntimeFinder: entries of PATH that are relative or writable by others are skipped",
  ...onUnix,
  async fn() {
    const it = await bench({
      "open/deno": deno(PINNED_DENO),
      "loose/deno": deno(PINNED_DENO),
      "good/deno": deno(PINNED_DENO),
    });
    await using tree = it.tree;
    await Deno.chmod(tree.path("open"), 0o777);
    await Deno.chmod(tree.path("loose", "deno"), 0o777);
    const before = Deno.cwd();
    Deno.chdir(tree.root);
    try {
      const bad = ["good", ".", tree.path("open"), tree.path("loose")];
      const message = await it.refused({ searchPath: bad.join(delimiter) });
      assert.match(message, /writable by others/);
      assert.ok(!message.includes(tree.root));
      const found = await it.found({
        searchPath: [...bad, tree.path("good")].join(delimiter),
      });
      assert.equal(found.path, tree.path("good", "deno"));
    } finally {
      Deno.chdir(before);
    }
  },
});

Deno.test({
  name:
    "RuntimeFinder: another version only after the probe, which is remembered",
  ...onUnix,
  async fn() {
    const it = await bench({ "path/deno": deno(OTHER) });
    await using tree = it.tree;
    const searchPath = tree.path("path");
    const path = tree.path("path", "deno");
    assert.equal((await it.found({ searchPath })).version, OTHER);
    assert.deepEqual(it.probed, [path]);
    // Another server, the same cache directory.
    assert.equal((await it.found({ searchPath })).version, OTHER);
    assert.equal(it.probed.length, 1);
    // The file changes: it is asked again.
    await tree.write({ "path/deno": deno(OTHER) + "\n" });
    await it.found({ searchPath });
    assert.equal(it.probed.length, 2);
  },
});

Deno.test({
  name:
    "RuntimeFinder: a probe that fails is a refusal that says what did not hold",
  ...onUnix,
  async fn() {
    const it = await bench({ "path/deno": deno(OTHER) });
    await using tree = it.tree;
    it.verdict = "a static import of a file outside is not denied";
    const finder = it.finder({ searchPath: tree.path("path") });
    for (let time = 0; time < 2; time++) {
      const result = await finder.get();
      assert.match(
        result.ok ? "" : result.message,
        /PATH: Deno 2\.1\.0 does not hold the fence: a static import/,
      );
      assert.match(result.ok ? "" : result.hint, /SKILLFENCE_DENO/);
    }
    // Within one server it is not repeated; a new server asks again.
    assert.equal(it.probed.length, 1);
    it.verdict = undefined;
    await it.found({ searchPath: tree.path("path") });
    assert.equal(it.probed.length, 2);
  },
});

Deno.test({
  name: "RuntimeFinder: the running Deno of another version is probed too",
  ...onUnix,
  async fn() {
    const it = await bench();
    await using _tree = it.tree;
    const running = { path: Deno.execPath(), version: OTHER };
    await it.found({ running });
    assert.deepEqual(it.probed, [Deno.execPath()]);
  },
});

Deno.test({
  name:
    "RuntimeFinder: found once, looked for again when the file changes or goes",
  ...onUnix,
  async fn() {
    const it = await bench({ mine: deno(PINNED_DENO) });
    await using tree = it.tree;
    const finder = it.finder({ explicit: tree.path("mine") });
    const [one, two] = await Promise.all([finder.get(), finder.get()]);
    assert.ok(one.ok && two.ok);
    await Deno.remove(tree.path("mine"));
    assert.equal((await finder.get()).ok, false);
    await tree.write({ mine: deno(PINNED_DENO) });
    await Deno.chmod(tree.path("mine"), 0o755);
    assert.equal((await finder.get()).ok, true);
  },
});

Deno.test({
  name: "RuntimeFinder: none anywhere names every place and how to mend it",
  ...onUnix,
  async fn() {
    const it = await bench();
    await using _tree = it.tree;
    const result = await it.finder({}).get();
    assert.ok(!result.ok);
    for (const place of [/carried runtime: /, /running Deno: /, /PATH: /]) {
      assert.match(result.message, place);
    }
    assert.match(result.hint, new RegExp(`Deno ${PINNED_DENO}`));
  },
});

Deno.test({
  name: "RuntimeFinder: what is no Deno is passed over",
  ...onUnix,
  async fn() {
    const it = await bench({
      "path/deno": "#!/bin/sh\necho something else\n",
      "broken": "no program\n",
    });
    await using tree = it.tree;
    const message = await it.refused({ searchPath: tree.path("path") });
    assert.match(message, /could not be started as Deno/);
    await it.refused({ explicit: tree.path("broken") });
  },
});

Deno.test({
  name:
    "RuntimeFinder: with an account the runtime is where that account starts it, found once and again when it changes",
  ...asRoot,
  async fn() {
    const it = await bench({ "closed/deno": deno(PINNED_DENO) });
    await using tree = it.tree;
    await Deno.chmod(tree.path("closed"), 0o700);
    const source = tree.path("closed", "deno");
    const account = () => Promise.resolve(ok(NOBODY));
    const finder = it.finder({ explicit: source }, account);
    const get = async () => {
      const found = await finder.get();
      assert.ok(found.ok, found.ok ? "" : found.message);
      assert.equal(found.value.from, "SKILLFENCE_DENO");
      const { out } = await runAs(NOBODY, [found.value.path, "--version"]);
      assert.match(out, /^deno /);
      return found.value.path;
    };
    const first = await get();
    assert.ok(first.startsWith(tree.path("cache")));
    assert.equal(await get(), first);
    // The copy is gone: it is put there again.
    await Deno.remove(first);
    assert.equal(await get(), first);
    await Deno.remove(source);
    await tree.write({ "closed/deno": `${deno(PINNED_DENO)}# newer\n` });
    await Deno.chmod(source, 0o755);
    assert.notEqual(await get(), first);
  },
});

Deno.test({
  name:
    "RuntimeFinder: with an account a carried one is unpacked where that account starts it, and not twice",
  ...asRoot,
  async fn() {
    const it = await bench();
    await using tree = it.tree;
    const payload = deno(PINNED_DENO);
    await tree.write({ server: payload });
    const carried = {
      from: tree.path("server"),
      offset: 0,
      size: payload.length,
      sha256: createHash("sha256").update(payload).digest("hex"),
      version: PINNED_DENO,
    };
    const account = () => Promise.resolve(ok(NOBODY));
    const found = await it.finder({ carried }, account).get();
    assert.ok(found.ok, found.ok ? "" : found.message);
    const { out } = await runAs(NOBODY, [found.value.path, "--version"]);
    assert.match(out, /^deno /);
    const names = [...Deno.readDirSync(tree.path("cache"))]
      .map(({ name }) => name).filter((name) => !name.endsWith(".json"));
    assert.deepEqual(names, [`deno-${carried.sha256.slice(0, 16)}`]);
  },
});

Deno.test("RuntimeFinder: an account that cannot be had is refused before anything is looked for", async () => {
  const it = await bench({ "deno": deno(PINNED_DENO) });
  await using tree = it.tree;
  const refusal = refuse("FENCE_UNAVAILABLE", "no", "");
  const account = () => Promise.resolve(refusal);
  const finder = it.finder({ explicit: tree.path("deno") }, account);
  assert.deepEqual(await finder.get(), refusal);
});

Deno.test("runtimeSources: from source it is the running Deno, and nothing is carried", () => {
  const sources = runtimeSources(undefined, "/bin", undefined, "/x");
  assert.equal(sources.carried, undefined);
  assert.deepEqual(sources.running, {
    path: Deno.execPath(),
    version: Deno.version.deno,
  });
});

Deno.test("runtimeSources: an appended runtime lies in the executable, an included one beside the module", () => {
  const carried = {
    kind: "appended",
    offset: 5,
    size: 6,
    sha256: "ab",
    version: PINNED_DENO,
    skillsSha256: "cd",
  } as const;
  const appended = runtimeSources(undefined, undefined, carried, "/m").carried;
  assert.equal(appended?.from, Deno.execPath());
  assert.equal(appended?.offset, 5);
  const included = runtimeSources(
    undefined,
    undefined,
    { ...carried, kind: "included", offset: 0 },
    "/m",
  ).carried;
  assert.match(included?.from ?? "", /runtime.deno/);
});
