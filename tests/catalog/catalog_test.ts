import assert from "node:assert/strict";
import type { ScanProgress } from "../../src/catalog/scan.ts";
import { Catalog } from "../../src/catalog/catalog.ts";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import { makeTree } from "../support/tree.ts";
import { names, plain, skillMd } from "./support.ts";

/** The disk, counting how often the root is listed: once per scan. */
function counting(root: string): { fs: ScanFs; scans: () => number } {
  const disk = diskFs();
  let scans = 0;
  return {
    scans: () => scans,
    fs: {
      ...disk,
      readDir(path) {
        if (path === root) scans += 1;
        return disk.readDir(path);
      },
    },
  };
}

/** A tree large enough for a scan to pause. */
async function largeTree() {
  const files: Record<string, string> = {};
  for (let i = 0; i < 150; i++) files[`s${i}/SKILL.md`] = skillMd(`s${i}`);
  return await makeTree(files);
}

Deno.test("Catalog: calls that come together share one scan", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  const { fs, scans } = counting(tree.root);
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  catalog.start();
  const [one, two, found] = await Promise.all([
    catalog.snapshot(),
    catalog.snapshot(),
    catalog.find("a"),
  ]);
  assert.equal(one, two);
  assert.equal(found.ok, true);
  assert.equal(scans(), 1);
  assert.equal(await catalog.snapshot(), one);
  const [three, four] = await Promise.all([
    catalog.rescan(),
    catalog.rescan(),
  ]);
  assert.notEqual(three, one);
  assert.equal(four, three);
  assert.equal(await catalog.snapshot(), three);
  assert.equal(scans(), 2);
});

Deno.test("Catalog: rescan sees what was written before it was asked, even during a scan", async () => {
  await using tree = await largeTree();
  const { fs, scans } = counting(tree.root);
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  catalog.start();
  await tree.write({ "late/SKILL.md": skillMd("late") });
  const [one, two, three] = await Promise.all([
    catalog.rescan(),
    catalog.rescan(),
    catalog.rescan(),
  ]);
  assert.equal(one, two);
  assert.equal(two, three);
  assert.ok(one.skills.has("late"));
  assert.ok(scans() <= 2);
  assert.equal(await catalog.snapshot(), one);
});

Deno.test("Catalog: a rescan leaves the snapshot given out before as it was", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  const catalog = new Catalog({ roots: plain(tree.root) });
  const before = await catalog.snapshot();
  await tree.write({ "b/SKILL.md": skillMd("b") });
  await Deno.remove(tree.path("a"), { recursive: true });
  assert.deepEqual(names(await catalog.snapshot()), ["a"]);
  assert.deepEqual(names(await catalog.rescan()), ["b"]);
  assert.deepEqual(names(before), ["a"]);
});

Deno.test("Catalog: bad roots give a snapshot with problems, never an exception", async () => {
  const catalog = new Catalog({
    roots: plain("/nowhere/at/all", "", "/dev/null", "\0", "a".repeat(5000)),
  });
  const snapshot = await catalog.snapshot();
  assert.equal(snapshot.skills.size, 0);
  assert.deepEqual(
    snapshot.problems.map(({ reason }) => reason),
    Array(5).fill("root-unreadable"),
  );
});

Deno.test("Catalog: no root at all is an empty snapshot", async () => {
  const catalog = new Catalog({ roots: [] });
  assert.equal((await catalog.snapshot()).skills.size, 0);
  const found = await catalog.find("x");
  assert.match(found.ok ? "" : found.hint, /No skill is served/);
});

Deno.test("Catalog: a long scan lets other work run and says how far it is", async () => {
  await using tree = await largeTree();
  const disk = diskFs();
  const catalog = new Catalog({
    roots: plain(tree.root),
    // A slow disk: a millisecond for each file.
    fs: {
      ...disk,
      lstat(path) {
        const until = performance.now() + 1;
        while (performance.now() < until);
        return disk.lstat(path);
      },
    },
  });
  const heard: ScanProgress[] = [];
  let turns = 0;
  const timer = setInterval(() => turns += 1, 1);
  const snapshot = await catalog.snapshot((progress) => heard.push(progress));
  clearInterval(timer);
  assert.equal(snapshot.skills.size, 150);
  assert.ok(turns >= 2, `${turns} turns`);
  assert.ok(heard.length >= 2);
  assert.ok(heard.every(({ directories }) => directories > 0));
});

Deno.test("Catalog: reading the skills is told too, and lets other work run", async () => {
  await using tree = await largeTree();
  const disk = diskFs();
  const catalog = new Catalog({
    roots: plain(tree.root),
    fs: {
      ...disk,
      readStart(path, cap) {
        const until = performance.now() + 1;
        while (performance.now() < until);
        return disk.readStart(path, cap);
      },
    },
  });
  const heard: ScanProgress[] = [];
  await catalog.snapshot((progress) => heard.push(progress));
  const reading = heard.filter(({ total }) => total > 0);
  assert.ok(reading.length >= 2, `${reading.length} of ${heard.length}`);
  assert.ok(reading.every(({ skills, total }) => skills > 0 && total === 150));
});

Deno.test("Catalog: one huge directory lets other work run too, and is left where its list is full", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 600 }, (_, i) => [`a/f${i}`, ""]),
  );
  await using tree = await makeTree({
    ...files,
    "a/SKILL.md": skillMd("a"),
    "a/.gitignore": "f5*\n",
    "a/z%20": "",
  });
  const disk = diskFs();
  let looks = 0;
  const scan = async (max: number) => {
    looks = 0;
    const catalog = new Catalog({
      roots: plain(tree.root),
      limits: { files: max },
      fs: {
        ...disk,
        lstat(path) {
          looks += 1;
          const until = performance.now() + 1;
          while (performance.now() < until);
          return disk.lstat(path);
        },
      },
    });
    const heard: ScanProgress[] = [];
    const { problems } = await catalog.snapshot((each) => heard.push(each));
    return { heard, reasons: problems.map(({ reason }) => reason) };
  };
  const { heard, reasons } = await scan(2000);
  assert.deepEqual(reasons, ["unusable-path"]);
  // 490 files of a millisecond each, and a pause every 30 ms or 64 files.
  assert.ok(heard.length >= 5, `${heard.length} pauses`);
  assert.deepEqual((await scan(10)).reasons, ["file-limit"]);
  assert.ok(looks <= 20, `${looks} files looked at`);
});

Deno.test("Catalog.find: takes served names; names of links only where asked", async () => {
  await using tree = await makeTree({
    "shared/foo/SKILL.md": skillMd("foo"),
    "foo": { link: "shared/foo" },
  });
  const catalog = new Catalog({ roots: plain(tree.root) });
  const own = await catalog.find("shared/foo");
  assert.equal(own.ok && own.value.name, "shared/foo");
  const linked = await catalog.find("foo", { alias: true });
  assert.equal(linked.ok && linked.value.name, "shared/foo");
  const strict = await catalog.find("foo");
  assert.equal(strict.ok, false);
  if (strict.ok) throw new Error("unreachable");
  assert.equal(strict.code, "UNKNOWN_SKILL");
  assert.match(strict.message, /link to the skill shared\/foo/);
  assert.match(strict.hint, /Use the name shared\/foo/);
});

Deno.test("Catalog.find: an unknown name is answered with the nearest real ones", async () => {
  await using tree = await makeTree({
    "weather/SKILL.md": skillMd("weather"),
    "acme/billing/SKILL.md": skillMd("billing"),
  });
  const catalog = new Catalog({ roots: plain(tree.root) });
  for (
    const [asked, real] of [
      ["wether", "weather"],
      ["billing", "acme/billing"],
      ["Weather", "weather"],
    ] as const
  ) {
    const found = await catalog.find(asked);
    if (found.ok) throw new Error("found");
    assert.equal(found.code, "UNKNOWN_SKILL");
    assert.match(found.hint, new RegExp(`Did you mean ${real}`));
    assert.ok(!`${found.message}${found.hint}`.includes(tree.root));
  }
});

Deno.test("Catalog.find: names of inherited properties and odd names are unknown", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  const catalog = new Catalog({ roots: plain(tree.root) });
  for (
    const name of ["constructor", "__proto__", "", "../a", "a/", "\u001b[2J"]
  ) {
    const found = await catalog.find(name, { alias: true });
    assert.equal(found.ok, false);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(found.ok ? "" : found.message, /\u001b/);
  }
});

Deno.test("Catalog.find: a refused name is answered with the reason", async () => {
  await using tree = await makeTree({
    "bird/SKILL.md": skillMd("bird"),
    "skills/bird/SKILL.md": skillMd("bird"),
  });
  const found = await new Catalog({ roots: plain(tree.root) }).find("bird");
  if (found.ok) throw new Error("found");
  assert.match(found.message, /not served \(duplicate-name\)/);
  assert.ok(!found.message.includes(tree.root));
});

Deno.test("Catalog.search: one index per snapshot", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  const catalog = new Catalog({ roots: plain(tree.root) });
  const search = await catalog.search();
  assert.equal(await catalog.search(), search);
  await tree.write({ "weather/SKILL.md": skillMd("weather") });
  await catalog.rescan();
  assert.deepEqual(await search.rank("weather"), []);
  assert.deepEqual(await (await catalog.search()).rank("weather"), ["weather"]);
});
