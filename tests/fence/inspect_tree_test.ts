import assert from "node:assert/strict";
import {
  type InspectOptions,
  inspectTree,
} from "../../src/fence/preflight/inspect_tree.ts";
import { rulesAbove } from "../../src/fence/preflight/tree_rules.ts";
import { type Entry, makeTree } from "../support/tree.ts";

const READ: InspectOptions = { writable: false, maxFiles: 100, maxBytes: 1e6 };
const WRITE: InspectOptions = { ...READ, writable: true };

/** Looks at `skill/` of a tree; the rest of the tree lies outside. */
async function inspect(
  entries: Record<string, Entry>,
  options: InspectOptions = READ,
) {
  await using tree = await makeTree({ "skill/SKILL.md": "x", ...entries });
  return await inspectTree(tree.path("skill"), options);
}

Deno.test("inspectTree: every regular file, hidden and ignored ones included, in path order", async () => {
  const facts = await inspect({
    "skill/.gitignore": "build\n",
    "skill/.env": "a",
    "skill/build/out.js": "bb",
    "skill/node_modules/x/index.js": "c",
  });
  assert.deepEqual(facts.files.map(({ path }) => path), [
    ".env",
    ".gitignore",
    "SKILL.md",
    "build/out.js",
    "node_modules/x/index.js",
  ]);
  assert.equal(facts.bytes, 1 + 6 + 1 + 2 + 1);
  assert.deepEqual(facts.closed, []);
  assert.deepEqual(facts.faults, []);
});

Deno.test("inspectTree: links that stay inside are kept with their text", async () => {
  const facts = await inspect({
    "skill/a/file": "x",
    "skill/l1": { link: "a/file" },
    "skill/a/l2": { link: "../a" },
    "skill/a/l3": { link: "nothing-here" },
    "skill/a/l4": { link: "./../a/nothing" },
  });
  assert.deepEqual(facts.faults, []);
  assert.deepEqual(facts.links, [
    { path: "a/l2", target: "../a" },
    { path: "a/l3", target: "nothing-here" },
    { path: "a/l4", target: "./../a/nothing" },
    { path: "l1", target: "a/file" },
  ]);
});

Deno.test("inspectTree: links that lead out are faults, broken and magic ones too", async () => {
  const facts = await inspect({
    "outside": "secret",
    "skill/sub/keep": "x",
    "skill/a": { link: "../outside" },
    "skill/b": { link: "/etc/hostname" },
    "skill/c": { link: "../not-there-yet" },
    "skill/d": { link: "/proc/self/cwd" },
    "skill/e": { link: "/dev/stdin" },
    "skill/f": { link: "sub/../../outside" },
    "skill/g": { link: "missing/../x" },
    "skill/h": { link: "h" },
    "skill/sub/i": { link: ".." },
    "skill/sub/j": { link: "../../skill-2" },
  });
  assert.deepEqual(
    facts.faults,
    ["a", "b", "c", "d", "e", "f", "g", "h", "sub/j"].map((path) => ({
      path,
      kind: "link",
    })),
  );
});

Deno.test({
  name:
    "inspectTree: a link that means something else in each process leads out",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({
      "skill/l": { link: "/proc/self/cwd" },
    });
    const before = Deno.cwd();
    // For us it leads inside; for the script it leads wherever it starts.
    Deno.chdir(tree.path("skill"));
    try {
      const facts = await inspectTree(tree.path("skill"), READ);
      assert.deepEqual(facts.faults, [{ path: "l", kind: "link" }]);
    } finally {
      Deno.chdir(before);
    }
  },
});

Deno.test("inspectTree: a hidden or ignored directory with such a link is closed, the outermost one", async () => {
  const facts = await inspect({
    "skill/.gitignore": "build\n",
    "skill/.venv/bin/python": { link: "/usr/bin/env" },
    "skill/.venv/lib/a.py": "x",
    "skill/build/deep/.hidden/l": { link: "/etc" },
    "skill/build/out.js": "x",
    "skill/node_modules/.bin/tool": { link: "../tool/run.js" },
    "skill/node_modules/tool/run.js": "x",
    "skill/.linked": { link: "/opt" },
  });
  assert.deepEqual(facts.faults, []);
  assert.deepEqual(facts.closed, [".linked", ".venv", "build"]);
  assert.deepEqual(facts.files.map(({ path }) => path), [
    ".gitignore",
    "SKILL.md",
    "node_modules/tool/run.js",
  ]);
  assert.equal(facts.bytes, 6 + 1 + 1);
});

Deno.test("inspectTree: ignore rules of the root above the skill count", async () => {
  await using tree = await makeTree({
    ".gitignore": "cache/\n",
    "skills/demo/SKILL.md": "x",
    "skills/demo/cache/l": { link: "/etc" },
  });
  const facts = await inspectTree(tree.path("skills", "demo"), {
    ...READ,
    rules: rulesAbove(tree.root, "skills/demo"),
    rel: "skills/demo",
  });
  assert.deepEqual(facts.closed, ["cache"]);
  assert.deepEqual(facts.faults, []);
});

Deno.test("inspectTree: a link from elsewhere into a closed directory, or around it, leads out", async () => {
  const facts = await inspect({
    "skill/.venv/bin/python": { link: "/usr/bin/env" },
    "skill/.venv/bin/own": "x",
    "skill/into": { link: ".venv/bin/own" },
    "skill/sub/around": { link: ".." },
    "skill/.other/into": { link: "../.venv/bin" },
    "skill/chained": { link: ".other" },
    "skill/app/.venv/python": { link: "/usr/bin/env" },
    "skill/alias": { link: "app" },
    "skill/apart/keep": "x",
    "skill/fine": { link: "apart" },
  });
  assert.deepEqual(facts.closed, [".other", ".venv", "app/.venv"]);
  assert.deepEqual(facts.faults.map(({ path }) => path), [
    "alias",
    "chained",
    "into",
    "sub/around",
  ]);
});

Deno.test({
  name: "inspectTree: pipes and sockets are faults, or close what hides them",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "skill/.run/x": "1",
      "skill/d/x": "1",
    });
    const pipes = ["skill/d/pipe", "skill/.run/pipe"].map((p) => tree.path(p));
    await new Deno.Command("mkfifo", { args: pipes }).output();
    using _socket = Deno.listen({
      transport: "unix",
      path: tree.path("skill", "socket"),
    });
    const facts = await inspectTree(tree.path("skill"), READ);
    assert.deepEqual(facts.closed, [".run"]);
    assert.deepEqual(facts.faults, [
      { path: "d/pipe", kind: "special" },
      { path: "socket", kind: "special" },
    ]);
  },
});

Deno.test("inspectTree: hard links out of the tree are told from those within", async () => {
  await using tree = await makeTree({ "outside": "1", "skill/a": "2" });
  await Deno.link(tree.path("outside"), tree.path("skill", "out"));
  await Deno.link(tree.path("skill", "a"), tree.path("skill", "b"));
  const facts = await inspectTree(tree.path("skill"), READ);
  assert.deepEqual(facts.faults, [{ path: "out", kind: "names" }]);
  // A third name outside makes both names inside suspect.
  await Deno.link(tree.path("skill", "a"), tree.path("third"));
  const more = await inspectTree(tree.path("skill"), READ);
  assert.deepEqual(more.faults.map(({ path }) => path), ["a", "b", "out"]);
});

Deno.test("inspectTree: commas are faults unless the script may have made them", async () => {
  const entries = { "skill/a,b/c": "1", "skill/.h/x,y": "2" };
  assert.deepEqual((await inspect(entries)).faults.map((f) => f.path), [
    ".h/x,y",
    "a,b",
    "a,b/c",
  ]);
  assert.deepEqual((await inspect(entries, WRITE)).faults, []);
});

Deno.test("inspectTree: where the script writes nothing is closed and no target climbs", async () => {
  const facts = await inspect({
    "skill/.venv/python": { link: "/usr/bin/env" },
    "skill/sub/up": { link: "../SKILL.md" },
    "skill/sub/down": { link: "x/y" },
    "skill/.hidden/a/b": "x",
    "skill/.hidden/up": { link: "a/../c" },
  }, WRITE);
  assert.deepEqual(facts.closed, []);
  assert.deepEqual(facts.faults, [
    { path: ".hidden/up", kind: "climbing-link" },
    { path: ".venv/python", kind: "link" },
    { path: "sub/up", kind: "climbing-link" },
  ]);
});

Deno.test("inspectTree: it stops at its bounds and says which", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`skill/f${i}`, "12345"]),
  );
  const files = await inspect(many, { ...READ, maxFiles: 5 });
  assert.equal(files.over, "files");
  const bytes = await inspect(many, { ...READ, maxBytes: 20 });
  assert.equal(bytes.over, "bytes");
  const dirs = Object.fromEntries(
    Array.from(
      { length: 20 },
      (_, i) => [`skill/d${i}`, { dir: true } as const],
    ),
  );
  const entries = await inspect(dirs, { ...READ, maxFiles: 5 });
  assert.equal(entries.over, "entries");
  assert.equal((await inspect(many, { ...READ, maxFiles: 9 })).over, undefined);
});

Deno.test({
  name:
    "inspectTree: a name that is not UTF-8 is a fault where a link could lead to it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({ "skill/SKILL.md": "x" });
    const made = await new Deno.Command("sh", {
      args: [
        "-c",
        `mkdir "$(printf 'bad\\377')" && ln -s /etc "$(printf 'bad\\377')/l" && ln -s "$(printf 'bad\\377')" plain`,
      ],
      cwd: tree.path("skill"),
    }).output();
    assert.ok(made.success, new TextDecoder().decode(made.stderr));
    const facts = await inspectTree(tree.path("skill"), READ);
    assert.deepEqual(facts.faults.at(-1), { path: "plain", kind: "link" });
    // Older runtimes do not list such a name at all.
    if (Deno.version.deno < "2.9") return;
    assert.equal(facts.faults[0]?.kind, "not-utf8");
  },
});

Deno.test({
  name:
    "inspectTree: a name that is not UTF-8 is a fault beside the name that it reads as, and closes nothing by itself",
  ignore: Deno.build.os !== "linux" || Deno.version.deno < "2.9",
  async fn() {
    for (const name of ["bad\\377", ".bad\\377"]) {
      const readsAs = `${name.startsWith(".") ? "." : ""}bad\u{fffd}`;
      await using tree = await makeTree({
        [`skill/${readsAs}/harmless`]: "x",
      });
      const made = await new Deno.Command("sh", {
        args: [
          "-c",
          `mkdir "$(printf '${name}')" && ln -s /etc "$(printf '${name}')/l"`,
        ],
        cwd: tree.path("skill"),
      }).output();
      assert.ok(made.success, new TextDecoder().decode(made.stderr));
      const look = () => inspectTree(tree.path("skill"), READ);
      const expected = [{ path: readsAs, kind: "not-utf8" }];
      assert.deepEqual((await look()).faults, expected);
      // Alone as well: a flag that closes the name it reads as closes nothing.
      await Deno.remove(tree.path("skill", readsAs), { recursive: true });
      const { faults, closed } = await look();
      assert.deepEqual([faults, closed], [expected, []]);
    }
  },
});

Deno.test({
  name:
    "inspectTree: what lies too deep for a path is a fault, and closed where it is hidden",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const top of ["deep", ".deep"]) {
      await using tree = await makeTree({ "skill/SKILL.md": "x" });
      // A directory can be moved to where no path reaches it.
      const chain = "/d".repeat(1500);
      await Deno.mkdir(tree.path("skill", top + chain), { recursive: true });
      await Deno.mkdir(tree.path("more" + chain), { recursive: true });
      await Deno.rename(
        tree.path("more"),
        `${tree.path("skill", top)}${chain}/more`,
      );
      const facts = await inspectTree(tree.path("skill"), {
        ...READ,
        maxFiles: 10_000,
      });
      if (top === "deep") {
        assert.deepEqual(facts.faults.map(({ kind }) => kind), ["unseen"]);
      } else assert.deepEqual([facts.closed, facts.faults], [[".deep"], []]);
    }
  },
});

Deno.test({
  name:
    "inspectTree: a directory that can be gone through and not listed is a fault",
  // Nothing is closed to root.
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  async fn() {
    await using tree = await makeTree({
      "skill/dark/l": { link: "/etc/hostname" },
    });
    await Deno.chmod(tree.path("skill", "dark"), 0o111);
    try {
      const facts = await inspectTree(tree.path("skill"), READ);
      assert.deepEqual(facts.faults, [{ path: "dark", kind: "unseen" }]);
    } finally {
      await Deno.chmod(tree.path("skill", "dark"), 0o700);
    }
  },
});

Deno.test("inspectTree: a chain of links into closed directories takes time as it grows, not more", async () => {
  const short = await chainOf(500);
  const long = await chainOf(2000);
  // In step it is 4; following each link to its end anew makes it 16 and more.
  assert.ok(long < 10 * short, `${long} ms after ${short} ms`);
});

/** Milliseconds for a chain of so many directories, each linking to the next. */
async function chainOf(length: number): Promise<number> {
  await using tree = await makeTree({ "skill/SKILL.md": "x" });
  const dir = (i: number) => `.d${String(i).padStart(4, "0")}`;
  for (let i = 0; i < length; i++) {
    Deno.mkdirSync(tree.path("skill", dir(i)));
    Deno.symlinkSync(
      i === length - 1 ? "/etc" : `../${dir(i + 1)}`,
      tree.path("skill", dir(i), "l"),
    );
  }
  Deno.symlinkSync(dir(0), tree.path("skill", "last"));
  const { took, facts } = await timedLook(tree.path("skill"));
  assert.equal(facts.closed.length, length);
  assert.deepEqual(facts.faults, [{ path: "last", kind: "link" }]);
  return took;
}

Deno.test("inspectTree: links to nothing take time by their parts, not more", async () => {
  const short = await linksToNothing(500);
  const long = await linksToNothing(2000);
  // In step it is 4 at most; looking at every prefix makes it 16.
  assert.ok(long < 10 * short, `${long} ms after ${short} ms`);
});

/** Milliseconds for 200 dangling links of so many parts. */
async function linksToNothing(parts: number): Promise<number> {
  await using tree = await makeTree({ "skill/SKILL.md": "x" });
  const target = Array(parts).fill("n").join("/");
  for (let i = 0; i < 200; i++) {
    Deno.symlinkSync(target, tree.path("skill", `l${i}`));
  }
  const { took, facts } = await timedLook(tree.path("skill"));
  assert.equal(facts.links.length, 200);
  return took;
}

/** The shortest of five looks at a tree, in milliseconds, and what was found. */
async function timedLook(dir: string) {
  const look = async () => {
    const started = performance.now();
    const facts = await inspectTree(dir, { ...READ, maxFiles: 10_000 });
    return { took: performance.now() - started, facts };
  };
  let best = await look();
  for (let n = 1; n < 5; n++) {
    const again = await look();
    if (again.took < best.took) best = again;
  }
  return best;
}
