import assert from "node:assert/strict";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  paths,
  reasons,
  scanOne,
  skill,
  skillMd,
  withScript,
} from "./support.ts";

/** The disk, except that some paths fail with permission denied. */
function denying(...denied: readonly string[]): ScanFs {
  const disk = diskFs();
  const guard = (path: string) => {
    if (denied.includes(path)) throw new Deno.errors.PermissionDenied("no");
  };
  return {
    ...disk,
    readDir: (path) => (guard(path), disk.readDir(path)),
    lstat: (path) => (guard(path), disk.lstat(path)),
    readStart: (path, cap) => (guard(path), disk.readStart(path, cap)),
  };
}

Deno.test("readSkill: frontmatter that does not parse costs scripts only, with place and fix", async () => {
  await using tree = await makeTree({
    "bad/SKILL.md": "---\nname: bad\ndescription: Use this: when\n---\nbody\n",
    "good/SKILL.md": skillMd("good"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["bad", "good"]);
  const bad = skill(found, "bad");
  assert.equal(bad.instructionsOnly, true);
  assert.equal(bad.body, "body\n");
  assert.deepEqual(bad.declaration.scripts, []);
  const problem = only(found, "malformed-frontmatter");
  assert.equal(problem.skill, "bad");
  assert.equal(problem.path, "bad/SKILL.md");
  assert.equal(problem.line, 3);
  assert.ok(problem.column! > 0);
  assert.equal(problem.severity, "error");
});

Deno.test("readSkill: no frontmatter is served as instructions only, under the directory's name", async () => {
  await using tree = await makeTree({
    "deploy/SKILL.md": "# deploy\n",
    "empty/SKILL.md": "",
  });
  const found = await scanOne(tree.root);
  assert.equal(skill(found, "deploy").body, "# deploy\n");
  assert.equal(skill(found, "deploy").instructionsOnly, true);
  assert.equal(skill(found, "empty").body, "");
  assert.deepEqual(reasons(found), [
    "malformed-frontmatter deploy/SKILL.md",
    "malformed-frontmatter empty/SKILL.md",
  ]);
});

Deno.test("readSkill: byte order mark, CRLF, empty body and a closing fence at the end are fine", async () => {
  await using tree = await makeTree({
    "bom/SKILL.md": `\uFEFF${skillMd("bom")}`,
    "crlf/SKILL.md": skillMd("crlf").replaceAll("\n", "\r\n"),
    "bare/SKILL.md": "---\nname: bare\ndescription: d\n---",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(found.problems, []);
  assert.equal(skill(found, "bom").description, "About bom.");
  assert.equal(skill(found, "crlf").description, "About crlf.");
  assert.equal(skill(found, "bare").body, "");
  assert.equal(skill(found, "bare").instructionsOnly, false);
});

Deno.test("readSkill: skill.md in another case is served with a note, SKILL.md goes before it", async () => {
  await using tree = await makeTree({
    "a/skill.md": skillMd("a"),
    "b/Skill.md": skillMd("wrong"),
    "b/SKILL.md": skillMd("b"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), ["skill.md"]);
  assert.deepEqual(reasons(found), ["skill-md-case a/skill.md"]);
  assert.equal(skill(found, "b").body, "# b\n");
});

Deno.test("readSkill: bytes that are not UTF-8 are a problem, not a crash", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": new Uint8Array([
      ...new TextEncoder().encode(skillMd("a")),
      0xff,
      0xfe,
      0x0a,
    ]),
    "b/SKILL.md": new Uint8Array([0xff, 0xfe, 0x00, 0x80]),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a", "b"]);
  assert.equal(skill(found, "b").instructionsOnly, true);
  assert.ok(reasons(found).includes("bad-utf8 a/SKILL.md"));
});

Deno.test("walk: a directory named SKILL.md is a problem and holds nothing", async () => {
  await using tree = await makeTree({
    "a/SKILL.md/SKILL.md": skillMd("x"),
    "a/b/SKILL.md": skillMd("b"),
    "SKILL.md/x": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a/b"]);
  assert.deepEqual(reasons(found), [
    "unreadable-skill-md SKILL.md",
    "unreadable-skill-md a/SKILL.md",
  ]);
});

Deno.test({
  name:
    "walk: pipes are not listed and a pipe as SKILL.md does not hang the scan",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "a/SKILL.md": skillMd("a"),
      "b/x": "",
      "c/SKILL.md": { link: "pipe" },
    });
    for (const path of ["a/pipe", "b/SKILL.md", "c/pipe"]) {
      const made = await new Deno.Command("mkfifo", { args: [tree.path(path)] })
        .output();
      assert.ok(made.success);
    }
    const found = await scanOne(tree.root);
    assert.deepEqual(names(found), ["a"]);
    assert.deepEqual(reasons(found), [
      "special-file a/pipe",
      "unreadable-skill-md b/SKILL.md",
      "unreadable-skill-md c/SKILL.md",
    ]);
  },
});

Deno.test({
  name:
    "readSkill: a pipe put in SKILL.md's place during the scan does not hold it up",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "a/SKILL.md": skillMd("a"),
      "a/.ignore": "x",
      "b/SKILL.md": skillMd("b"),
    });
    const disk = diskFs();
    const found = await scanOne(tree.root, {
      fs: {
        ...disk,
        readDir(path) {
          const entries = [...disk.readDir(path)];
          if (path === tree.path("a")) {
            for (const name of ["a/SKILL.md", "a/.ignore"]) {
              Deno.removeSync(tree.path(name));
              const { success } = new Deno.Command("mkfifo", {
                args: [tree.path(name)],
              }).outputSync();
              assert.ok(success);
            }
          }
          return entries;
        },
      },
    });
    assert.deepEqual(names(found), ["b"]);
    assert.deepEqual(reasons(found), [
      "ignore-file a/.ignore",
      "unreadable-skill-md a/SKILL.md",
    ]);
  },
});

Deno.test("scanRoots: whatever cannot be read is a problem and costs itself", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "b/SKILL.md": skillMd("b"),
    "b/closed/x.txt": "",
    "b/open.txt": "",
    "b/odd.txt": "",
    "c/SKILL.md": skillMd("c"),
    "c/.gitignore": "x",
    "closed/SKILL.md": skillMd("closed"),
  });
  const found = await scanOne(tree.root, {
    fs: denying(
      tree.path("a/SKILL.md"),
      tree.path("b/closed"),
      tree.path("b/odd.txt"),
      tree.path("c/.gitignore"),
      tree.path("closed"),
    ),
  });
  assert.deepEqual(names(found), ["b", "c"]);
  assert.deepEqual(paths(found, "b"), ["SKILL.md", "open.txt"]);
  assert.deepEqual(reasons(found), [
    "unreadable-file a/SKILL.md",
    "unreadable-skill-md a/SKILL.md",
    "unreadable-directory b/closed",
    "unreadable-file b/odd.txt",
    "ignore-file c/.gitignore",
    "unreadable-directory closed",
  ]);
  for (const { detail } of found.problems) {
    assert.match(detail, /permission denied/);
  }
});

Deno.test("scanRoots: a root that cannot be listed is a problem", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  const found = await scanOne(tree.root, { fs: denying(tree.root) });
  assert.deepEqual(reasons(found), ["unreadable-directory ."]);
});

Deno.test("scanRoots: what vanishes during the scan is a problem, not a crash", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/x.txt": "",
    "b/SKILL.md": skillMd("b"),
  });
  const disk = diskFs();
  const found = await scanOne(tree.root, {
    fs: {
      ...disk,
      readDir(path) {
        const entries = [...disk.readDir(path)];
        if (path === tree.path("a")) Deno.removeSync(path, { recursive: true });
        return entries;
      },
    },
  });
  assert.deepEqual(names(found), ["b"]);
  assert.ok(reasons(found).includes("unreadable-skill-md a/SKILL.md"));
});

Deno.test("readSkill: a declared script that is not in the bundle is reported", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": withScript("a", "scripts/none.js"),
    "b/SKILL.md": withScript("b", "scripts/.hidden.js"),
    "b/scripts/.hidden.js": "",
    "c/SKILL.md": withScript("c", "scripts/out.js"),
    "c/scripts/out.js": { link: "../../a/SKILL.md" },
    "d/SKILL.md": withScript("d", "scripts/ok.js"),
    "d/scripts/ok.js": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a", "b", "c", "d"]);
  assert.deepEqual(
    reasons(found).filter((each) => each.startsWith("declared")),
    [
      "declared-script-missing a/SKILL.md",
      "declared-script-missing b/SKILL.md",
      "declared-script-missing c/SKILL.md",
    ],
  );
});

Deno.test({
  name: "walk: names the path rule refuses are reported, a directory once",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "a/SKILL.md": skillMd("a"),
      "a/back\\slash.txt": "",
      "a/per%2ecent.txt": "",
      "a/100%.txt": "",
      "a/b%20c/one.txt": "",
      "a/b%20c/two.txt": "",
      "a/ /x.txt": "",
      "a/esc\u001b[0m%00": "",
      "a/fine name.txt": "",
    });
    const found = await scanOne(tree.root);
    assert.deepEqual(paths(found, "a"), [
      "100%.txt",
      "SKILL.md",
      "fine name.txt",
    ]);
    assert.deepEqual(reasons(found), [
      "unusable-path a/ ",
      "unusable-path a/b%20c",
      "unusable-path a/back\\slash.txt",
      "unusable-path a/esc\u001b[0m%00",
      "unusable-path a/per%2ecent.txt",
    ]);
    assert.match(found.problems[3]!.detail, /esc\\u\{1b\}\[0m/);
  },
});

Deno.test({
  name: "walk: a file name that is not UTF-8 is reported",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
    const made = await new Deno.Command("/bin/sh", {
      args: ["-c", `: > "$(printf 'a/x\\377.txt')"`],
      cwd: tree.root,
    }).output();
    assert.ok(made.success);
    const found = await scanOne(tree.root);
    assert.match(only(found, "unreadable-file").detail, /not UTF-8/);
    assert.deepEqual(paths(found, "a"), ["SKILL.md"]);
  },
});
