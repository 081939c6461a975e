import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type Collected,
  OUTPUT_LIMITS,
  type OutputLimits,
  OutputStore,
} from "../../src/fence/outputs.ts";
import type { Account } from "../../src/os/types.ts";
import { ScratchKeeper } from "../../src/fence/disk/scratch.ts";
import { EMPTY_TREE } from "../../src/fence/outputs/tree_changes.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { FakeClock } from "./fake_clock.ts";
import { onUnix } from "./processes.ts";
import { until } from "../support/until.ts";

const HOUR = 60 * 60 * 1000;

/** A directory to write and a store to keep. */
class Bench {
  readonly clock = new FakeClock();
  readonly store: OutputStore;
  readonly tree: Tree;

  constructor(tree: Tree, limits: Partial<OutputLimits> = {}) {
    this.tree = tree;
    this.store = new OutputStore(
      new ScratchKeeper(tree.path("tmp")),
      this.clock,
      { ...OUTPUT_LIMITS, ...limits },
    );
  }

  out(account?: Account): Promise<Collected> {
    return this.store.collect([
      { label: "out", dir: this.tree.path("out"), before: EMPTY_TREE },
    ], account);
  }

  async codeOf(id: string): Promise<string> {
    const opened = await this.store.open(id);
    return opened.ok ? "kept" : `${opened.code} ${opened.message}`;
  }

  kept(): number {
    return [...Deno.readDirSync(this.tree.path("tmp"))].length;
  }
}

function dirs(): Promise<Tree> {
  return makeTree({
    out: { dir: true },
    data: { dir: true },
    tmp: { dir: true },
  });
}

function sha(text: string): string {
  return "sha256:" + createHash("sha256").update(text).digest("hex");
}

/** File times move in steps that are shorter than any script's start. */
async function nextTick(tree: Tree): Promise<void> {
  const stamp = async () => {
    await tree.write({ "tick": "" });
    return (await Deno.stat(tree.path("tick"))).mtime!.getTime();
  };
  const begun = await stamp();
  await until(async () => await stamp() > begun);
}

Deno.test("OutputStore: what is left in out comes back with size, type and digest", async () => {
  await using tree = await dirs();
  await tree.write({ "out/report.md": "# hi\n", "out/a/b/data.bin": "abc" });
  const bench = new Bench(tree);
  const { outputs, hints } = await bench.out();
  assert.deepEqual(hints, []);
  assert.deepEqual(
    outputs.map(({ id: _, ...rest }) => rest),
    [
      {
        path: "out/a/b/data.bin",
        size: 3,
        mediaType: "application/octet-stream",
        sha256: sha("abc"),
      },
      {
        path: "out/report.md",
        size: 5,
        mediaType: "text/markdown",
        sha256: sha("# hi\n"),
      },
    ],
  );
  // The copy is the server's own: the original may change or go.
  await Deno.remove(tree.path("out"), { recursive: true });
  const opened = await bench.store.open(outputs[1]!.id);
  assert.ok(opened.ok);
  assert.equal(await Deno.readTextFile(opened.value.file), "# hi\n");
  assert.equal(opened.value.output.path, "out/report.md");
});

Deno.test("OutputStore: of a data directory only what is new or changed comes back", async () => {
  await using tree = await dirs();
  await tree.write({
    "data/same.txt": "1",
    "data/grown.txt": "2",
    "data/same-size.txt": "old",
    "data/replaced.txt": "new",
    "data/removed.txt": "4",
  });
  const bench = new Bench(tree);
  const dir = tree.path("data");
  const before = await bench.store.look(dir);
  await nextTick(tree);
  await tree.write({
    "data/grown.txt": "22",
    "data/same-size.txt": "new",
    "data/fresh/x": "",
    "data/tmp": "new",
  });
  await Deno.rename(join(dir, "tmp"), join(dir, "replaced.txt"));
  await Deno.remove(join(dir, "removed.txt"));
  const { outputs } = await bench.store.collect([{
    label: "data",
    dir,
    before,
  }]);
  assert.deepEqual(
    outputs.map((output) => output.path),
    [
      "data/fresh/x",
      "data/grown.txt",
      "data/replaced.txt",
      "data/same-size.txt",
    ],
  );
});

Deno.test({
  name:
    "OutputStore: links, files of two names and special files are left out and said",
  ...onUnix,
  async fn() {
    await using tree = await dirs();
    await tree.write({
      "secret.txt": "the server's own",
      "out/real.txt": "x",
      "out/link.txt": { link: "../secret.txt" },
      "out/dir": { link: "../data" },
      "data/inner.txt": "not this way",
    });
    await Deno.link(tree.path("secret.txt"), tree.path("out", "hard.txt"));
    await new Deno.Command("mkfifo", { args: [tree.path("out", "fifo")] })
      .output();
    const { outputs, hints } = await new Bench(tree).out();
    assert.deepEqual(outputs.map((output) => output.path), ["out/real.txt"]);
    assert.match(hints.join(), /4 entries are not kept/);
  },
});

Deno.test({
  name:
    "OutputStore: a link that was in the data directory before is not mentioned",
  ...onUnix,
  async fn() {
    await using tree = await dirs();
    await tree.write({ "data/link": { link: "x" } });
    const bench = new Bench(tree);
    const dir = tree.path("data");
    const before = await bench.store.look(dir);
    const { hints } = await bench.store.collect([
      { label: "data", dir, before },
    ]);
    assert.deepEqual(hints, []);
  },
});

Deno.test("OutputStore: kept for an hour and not a moment longer, on disk neither", async () => {
  await using tree = await dirs();
  await tree.write({ "out/a.txt": "x" });
  const bench = new Bench(tree);
  const { outputs } = await bench.out();
  const id = outputs[0]!.id;
  await bench.clock.advance(HOUR - 1);
  assert.equal(await bench.codeOf(id), "kept");
  assert.equal(bench.kept(), 1);
  await bench.clock.advance(1);
  assert.match(await bench.codeOf(id), /^NOT_FOUND .*expired/);
  await until(() => bench.kept() === 0);
  assert.match(await bench.codeOf("0123"), /^NOT_FOUND .*no output/);
});

Deno.test("OutputStore: expired files go from disk without anyone asking", async () => {
  await using tree = await dirs();
  await tree.write({ "out/a.txt": "x" });
  const bench = new Bench(tree);
  await bench.out();
  await bench.clock.advance(HOUR);
  await until(() => bench.kept() === 0);
});

Deno.test("OutputStore: of the last 20 runs, not of the 21st before", async () => {
  await using tree = await dirs();
  const bench = new Bench(tree);
  const ids: string[] = [];
  for (let at = 0; at < 21; at++) {
    await tree.write({ "out/a.txt": `run ${at}` });
    ids.push((await bench.out()).outputs[0]!.id);
  }
  assert.match(await bench.codeOf(ids[0]!), /expired/);
  assert.equal(await bench.codeOf(ids[1]!), "kept");
  assert.equal(bench.kept(), 20);
});

Deno.test("OutputStore: the oldest runs make room, and what never fits is said", async () => {
  await using tree = await dirs();
  const bench = new Bench(tree, { totalBytes: 100 });
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) {
    await tree.write({ "out/a.txt": "x".repeat(40) });
    ids.push((await bench.out()).outputs[0]!.id);
  }
  assert.match(await bench.codeOf(ids[0]!), /expired/);
  assert.equal(await bench.codeOf(ids[1]!), "kept");
  await tree.write({ "out/a.txt": "x".repeat(101), "out/b.txt": "small" });
  const { outputs, hints } = await bench.out();
  assert.deepEqual(outputs.map((output) => output.path), ["out/b.txt"]);
  assert.match(hints.join(), /1 files are not kept.*100 bytes/);
  // What can never fit makes no room for itself.
  assert.equal(await bench.codeOf(ids[1]!), "kept");
  assert.equal(await bench.codeOf(ids[2]!), "kept");
});

Deno.test("OutputStore: at most so many files of a run, and the rest is counted", async () => {
  await using tree = await dirs();
  for (let at = 0; at < 7; at++) await tree.write({ [`out/${at}.txt`]: "x" });
  const { outputs, hints } = await new Bench(tree, { filesPerRun: 5 }).out();
  assert.equal(outputs.length, 5);
  assert.match(hints.join(), /2 more files/);
  assert.equal(OUTPUT_LIMITS.filesPerRun, 1_000);
});

Deno.test("OutputStore: a data directory too large to compare is said, not guessed", async () => {
  await using tree = await dirs();
  for (let at = 0; at < 7; at++) await tree.write({ [`data/${at}.txt`]: "x" });
  const bench = new Bench(tree, { entries: 5 });
  const dir = tree.path("data");
  const before = await bench.store.look(dir);
  const { outputs, hints } = await bench.store.collect([
    { label: "data", dir, before },
  ]);
  assert.deepEqual(outputs, []);
  assert.match(hints.join(), /data directory holds more than 5 entries/);
});

Deno.test("OutputStore: ids are of 128 random bits", async () => {
  await using tree = await dirs();
  await tree.write({ "out/a": "x", "out/b": "y" });
  const { outputs } = await new Bench(tree).out();
  const ids = outputs.map((output) => output.id);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
});

Deno.test("OutputStore: a file that left the disk is not found, without its path", async () => {
  await using tree = await dirs();
  await tree.write({ "out/a": "x" });
  const bench = new Bench(tree);
  const id = (await bench.out()).outputs[0]!.id;
  await Deno.remove(tree.path("tmp"), { recursive: true });
  const said = await bench.codeOf(id);
  assert.match(said, /^NOT_FOUND/);
  assert.ok(!said.includes(tree.root));
});

Deno.test({
  name:
    "OutputStore: what an account left is kept, and nothing that it could not read itself",
  ...asRoot,
  async fn() {
    await using tree = await dirs();
    await tree.write({ "out/ours": "secret", "out/moved": "secret too" });
    await Deno.chmod(tree.path("out", "ours"), 0o600);
    await Deno.chmod(tree.path("out", "moved"), 0o600);
    await Deno.chown(tree.path("out"), NOBODY.uid, NOBODY.gid);
    await runAs(NOBODY, ["/bin/mkdir", tree.path("out", "sub")]);
    const theirs = tree.path("out", "sub", "theirs");
    await runAs(NOBODY, ["/bin/cp", "/proc/self/status", theirs]);
    await runAs(NOBODY, ["/bin/chmod", "600", theirs]);
    // Its directory: it may move what it may not read.
    const [from, to] = [
      tree.path("out", "moved"),
      tree.path("out", "sub", "b"),
    ];
    assert.equal((await runAs(NOBODY, ["/bin/mv", from, to])).code, 0);
    await runAs(NOBODY, ["/bin/ln", "-s", "/etc/shadow", `${to}-link`]);
    const { outputs, hints } = await new Bench(tree).out(NOBODY);
    assert.deepEqual(outputs.map(({ path }) => path), ["out/sub/theirs"]);
    assert.match(hints.join(), /3 entries are not kept/);
  },
});
