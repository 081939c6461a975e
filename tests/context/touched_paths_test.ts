/** Numbers are those of the behaviours that triggers are held against. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inScope } from "../../src/context/triggers.ts";
import { makeTree } from "../support/tree.ts";
import { compiled, globs, matchGlob, skillOf } from "./trigger_skills.ts";

const realPath = async (path: string): Promise<string | undefined> => {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory
    ) return undefined;
    throw error;
  }
};

/** What a rule for everything says of a path: where it lies, or why not. */
async function placed(
  path: string,
  options: Parameters<typeof compiled>[1] = {},
): Promise<string> {
  const triggers = await compiled([skillOf("rule", globs("**"))], options);
  const { hits: [hit], refusedPaths } = await triggers.match({ paths: [path] });
  if (hit?.at.in === "path") return hit.at.path;
  assert.equal(refusedPaths[0]?.path, path);
  return refusedPaths[0].why;
}

Deno.test("match: paths are told apart from how they are written", async () => { // 71
  const same = [
    "src/a.ts",
    "./src/a.ts",
    "src//a.ts",
    "src/./a.ts",
    "src/x/../a.ts",
    "../work/src/a.ts",
    "/work/src/a.ts",
    "/work//src/../src/a.ts",
    "/other/../work/src/a.ts",
    "file:///work/src/a.ts",
    "file://localhost/work/src/a.ts",
    "FILE:///work/src/%61.ts",
  ];
  for (const path of same) assert.equal(await placed(path), "src/a.ts", path);
  assert.equal(await placed("src/"), "src/");
  assert.equal(await placed("a\\b"), "a\\b");
  assert.equal(await placed("%61"), "%61");
  assert.equal(await placed("..x/y"), "..x/y");
});

Deno.test("match: a path outside every workspace, or none at all, is refused with the reason", async () => { // 70
  const rows: [path: string, why: RegExp][] = [
    ["../x", /outside/],
    ["/etc/passwd", /outside/],
    ["/workshop/x", /outside/],
    ["src/../../x", /outside/],
    ["file:///etc/passwd", /outside/],
    ["file://host/work/a", /no file: URI/],
    ["file:///work/a%2Fb", /no file: URI/],
    ["https://example.com/a", /not of a file/],
    ["untitled://x", /not of a file/],
    ["a\0b", /NUL/],
    ["file:///work/a%00b", /NUL/],
    ["\ud800", /half a character/],
    ["x".repeat(5000), /longer/],
    ["x/".repeat(200) + "y", /deeper/],
    ["", /empty/],
    [".", /the workspace itself/],
    ["/work", /the workspace itself/],
    ["/work/", /the workspace itself/],
  ];
  for (const [path, why] of rows) assert.match(await placed(path), why, path);
  assert.match(await placed("a", { workspaces: [] }), /no workspace/);
});

Deno.test("match: a refused path does not keep others from matching", async () => {
  const triggers = await compiled([skillOf("rule", globs("*.ts"))]);
  const { hits, refusedPaths } = await triggers.match({
    paths: ["/etc/x.ts", "a.ts"],
  });
  assert.equal(hits.length, 1);
  assert.deepEqual(refusedPaths.map(({ path }) => path), ["/etc/x.ts"]);
});

Deno.test("match: a root's rule counts in every workspace, a workspace's only in its own", async () => {
  const triggers = await compiled([
    skillOf("of-root", globs("/*.ts")),
    skillOf("workspace/a", globs("*.ts"), { workspace: "/a" }),
    skillOf("workspace/b", globs("*.ts"), { workspace: "/b" }),
  ], { workspaces: ["/a", "/b"] });
  const names = async (path: string) =>
    (await triggers.match({ paths: [path] })).hits.map(({ skill }) =>
      skill.name
    );
  assert.deepEqual(await names("/a/x.ts"), ["of-root", "workspace/a"]);
  assert.deepEqual(await names("x.ts"), ["of-root", "workspace/a"]);
  assert.deepEqual(await names("/b/x.ts"), ["of-root", "workspace/b"]);
  assert.deepEqual(await names("/b/y/x.ts"), ["workspace/b"]);
});

Deno.test("match: a path in a workspace inside another lies in both", async () => {
  const triggers = await compiled([
    skillOf("workspace/in", globs("/x.ts"), { workspace: "/a/b" }),
    skillOf("workspace/out", globs("/b/x.ts"), { workspace: "/a" }),
  ], { workspaces: ["/a", "/a/b"] });
  const { hits } = await triggers.match({ paths: ["/a/b/x.ts"] });
  assert.deepEqual(hits.map(({ skill, at }) => [skill.name, at]), [
    ["workspace/in", { in: "path", path: "x.ts" }],
    ["workspace/out", { in: "path", path: "b/x.ts" }],
  ]);
});

Deno.test("match: on Windows paths are written as there, and only there", async () => {
  const options = { windows: true, workspaces: ["C:\\work"] };
  for (
    const path of [
      "src\\a.ts",
      "src/a.ts",
      "C:\\work\\src\\a.ts",
      "c:/work/src/a.ts",
      ".\\src\\x\\..\\a.ts",
      "file:///C:/work/src/a.ts",
    ]
  ) assert.equal(await placed(path, options), "src/a.ts", path);
  assert.match(await placed("D:\\work\\a", options), /outside/);
  assert.match(await placed("..\\a", options), /outside/);
  assert.equal(await matchGlob(["src/*.ts"], "src\\a.ts"), undefined);
});

Deno.test({
  name: "match: a link may not lead a path out of the workspaces",
  // Making links there asks for a right that few accounts have.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "outside/secret.ts": "x",
      "work/src/a.ts": "x",
      "work/out": { link: "../outside" },
      "work/out.ts": { link: "../outside/secret.ts" },
      "work/in.ts": { link: "src/a.ts" },
      "work/loop.ts": { link: "loop.ts" },
      "alias": { link: "work" },
    });
    const options = { workspaces: [tree.path("work")], realPath };
    const rows: [path: string, answer: string | RegExp][] = [
      ["src/a.ts", "src/a.ts"],
      ["in.ts", "in.ts"],
      ["out.ts", /real path.*outside/],
      ["out/secret.ts", /real path.*outside/],
      ["out/new/file.ts", /real path.*outside/],
      ["loop.ts", /cannot be told/],
      // Not there yet: the nearest directory that is decides.
      ["src/new/deep/b.ts", "src/new/deep/b.ts"],
      [tree.path("nowhere/b.ts"), /outside/],
      // 71: through a link to the workspace
      [tree.path("alias/src/a.ts"), "src/a.ts"],
      [tree.path("alias/src/new.ts"), "src/new.ts"],
      [tree.path("alias/src/"), "src/"],
      [pathToFileURL(join(tree.root, "alias/src/a.ts")).href, "src/a.ts"],
      [tree.path("alias/out.ts"), /outside/],
    ];
    for (const [path, answer] of rows) {
      const found = await placed(path, options);
      if (typeof answer === "string") assert.equal(found, answer, path);
      else assert.match(found, answer, path);
    }
  },
});

Deno.test("match: of a deep path that is not there few places are asked about", async () => {
  await using tree = await makeTree({ "work/a/b/c.ts": "x" });
  let asked = 0;
  const options = {
    workspaces: [tree.path("work")],
    realPath: (path: string) => (asked++, realPath(path)),
  };
  for (const start of ["", "new/", "a/", "a/b/", "a/b/c.ts/"]) {
    asked = 0;
    const path = `${start}${"d/".repeat(100)}e.ts`;
    assert.equal(await placed(path, options), path);
    assert.ok(asked < 12, `${asked}`);
  }
});

Deno.test("inScope: a directory, what lies in it, and nothing that only begins so", () => {
  for (const path of ["a", "a/b", "a/b/c.ts"]) {
    assert.ok(inScope(path, "") && inScope(path, "a"), path);
  }
  for (const path of ["ab", "b/a", "", "A/b"]) {
    assert.ok(!inScope(path, "a"), path);
  }
  assert.ok(inScope("x/*/y", "x/*") && !inScope("x/z/y", "x/*"));
});
