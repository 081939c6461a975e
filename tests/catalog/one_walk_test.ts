import assert from "node:assert/strict";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import type { Problem } from "../../src/catalog/types.ts";
import { makeTree } from "../support/tree.ts";
import { names, scanAll, scanOne, skillMd, withScript } from "./support.ts";

/** The disk, counting how often each path is listed, looked at or read. */
function counting(): { fs: ScanFs; counts: Map<string, number> } {
  const disk = diskFs();
  const counts = new Map<string, number>();
  const count = (what: string, path: string) =>
    counts.set(`${what} ${path}`, (counts.get(`${what} ${path}`) ?? 0) + 1);
  return {
    counts,
    fs: {
      ...disk,
      readDir: (path) => (count("list", path), disk.readDir(path)),
      lstat: (path) => (count("look", path), disk.lstat(path)),
      readStart: (
        path,
        cap,
      ) => (count("read", path), disk.readStart(path, cap)),
    },
  };
}

Deno.test("scanRoots: one walk lists each directory and looks at each file once", async () => {
  await using tree = await makeTree({
    "outer/SKILL.md": withScript("outer", "s.js"),
    "outer/s.js": "",
    "outer/inner/SKILL.md": skillMd("inner"),
    "outer/inner/deep/x.txt": "",
    "outer/.gitignore": "*.log\n",
    "outer/x.log": "",
    "skills/bird/SKILL.md": skillMd("bird"),
    "bird/SKILL.md": skillMd("bird"),
    "bird/x.txt": "",
    "notes/x.txt": "",
    "link": { link: "outer" },
  });
  const { fs, counts } = counting();
  const found = await scanOne(tree.root, { fs });
  assert.deepEqual(names(found), ["outer", "outer/inner"]);
  for (const [what, times] of counts) assert.equal(times, 1, what);
  const done = (what: string) =>
    [...counts.keys()].filter((key) => key.startsWith(`${what} `))
      .map((key) => key.slice(what.length + tree.root.length + 1)).sort();
  assert.deepEqual(done("list"), [
    "",
    "/bird",
    "/notes",
    "/outer",
    "/outer/inner",
    "/outer/inner/deep",
    "/skills",
    "/skills/bird",
  ]);
  // Neither a file that is not served nor a skill that is refused is read.
  assert.deepEqual(done("read"), [
    "/outer/.gitignore",
    "/outer/SKILL.md",
    "/outer/inner/SKILL.md",
  ]);
  assert.ok(!done("look").includes("/outer/x.log"));
  assert.ok(!done("look").includes("/notes/x.txt"));
});

const KEYS: Record<keyof Problem, (value: unknown) => boolean> = {
  severity: (value) => ["error", "warning", "note"].includes(String(value)),
  skill: (value) => typeof value === "string" && value !== "",
  root: (value) => typeof value === "string" && value.startsWith("/"),
  path: (value) => typeof value === "string" && /^[^/]/.test(value),
  reason: (value) => /^[a-z]+(-[a-z0-9]+)*$/.test(String(value)),
  detail: (value) => typeof value === "string" && value !== "",
  hint: (value) => typeof value === "string" && value !== "",
  line: (value) => Number.isInteger(value) && Number(value) >= 1,
  column: (value) => Number.isInteger(value) && Number(value) >= 1,
};

Deno.test({
  name: "scanRoots: every problem has the stated shape, whatever is wrong",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "one/a/SKILL.md": skillMd("b", "mcp-host: { version: 1, odd: 1 }"),
      "one/a/out": { link: "/etc/passwd" },
      "one/a/b%20c": "",
      "one/bad/SKILL.md": "---\na: b: c\n---\n",
      "one/huge/SKILL.md": `---\na: ${"x".repeat(70_000)}\n---\n`,
      "one/bytes/SKILL.md": new Uint8Array([0xff, 0x0a]),
      "one/dir/SKILL.md/x": "",
      "one/has blank/SKILL.md": skillMd("x"),
      "one/.hidden/SKILL.md": skillMd("x"),
      "one/notes/x.txt": "",
      "one/script/SKILL.md": withScript("script", "none.js"),
      "one/low/skill.md": skillMd("low"),
      "one/gone": { link: "nowhere" },
      "one/.gitignore": `${"x".repeat(2000)}\n`,
      "two/A/SKILL.md": skillMd("A"),
      "two/bad/in/SKILL.md": skillMd("in"),
      "two/x/in/SKILL.md": skillMd("in"),
      "empty": { dir: true },
    });
    const roots = ["one", "two", "empty", "missing"]
      .map((name) => tree.path(name));
    const { problems } = await scanAll(roots, { limits: { files: 1 } });
    const kinds = new Set(problems.map(({ reason }) => reason));
    assert.ok(kinds.size >= 15, [...kinds].join());
    for (const problem of problems) {
      const said = JSON.stringify(problem);
      for (const [key, value] of Object.entries(problem)) {
        const fits = KEYS[key as keyof Problem];
        assert.ok(fits?.(value), `${key} of ${said}`);
      }
      assert.ok(roots.includes(problem.root), said);
      for (
        const key of [
          "severity",
          "root",
          "path",
          "reason",
          "detail",
          "hint",
        ]
      ) assert.ok(key in problem, `${key} of ${said}`);
    }
    const parsed = problems.filter(({ reason }) =>
      reason === "malformed-frontmatter"
    );
    assert.equal(parsed.length, 3);
    assert.ok(parsed.every(({ line, column }) => line && column));
  },
});
