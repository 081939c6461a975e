import assert from "node:assert/strict";
import { findProgram } from "../../src/os/find_program.ts";
import { asRoot } from "../support/as_root.ts";
import { makeTree } from "../support/tree.ts";

Deno.test({
  name: "findProgram: fixed places first, then PATH without relative entries",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "a/tool": "",
      "b/tool": "",
      "c/tool/file": "",
      "link/tool": { link: "../b/tool" },
    });
    const find = (searchPath: string | undefined, ...places: string[]) =>
      findProgram("tool", searchPath, places.map((place) => tree.path(place)));
    const [a, b] = [tree.path("a", "tool"), tree.path("b", "tool")];
    assert.equal((await find(tree.path("b"), "a")).path, a);
    assert.equal((await find(`.:a::${tree.path("b")}`)).path, b);
    // A link leads to the program, a directory is none.
    assert.equal((await find(undefined, "c", "link")).path, b);
    assert.deepEqual(await find(undefined, "c", "missing"), {
      at: undefined,
      path: undefined,
      distrusted: undefined,
    });
  },
});

Deno.test({
  name: "findProgram: one that others may replace is passed over and told",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "open/tool": "", "good/tool": "" });
    await Deno.chmod(tree.path("open"), 0o777);
    const open = tree.path("open");
    const alone = await findProgram("tool", open, []);
    assert.equal(alone.path, undefined);
    assert.match(alone.distrusted ?? "", /open\/tool: .*writable by others/);
    const both = await findProgram("tool", `${open}:${tree.path("good")}`, []);
    assert.equal(both.path, tree.path("good", "tool"));
  },
});

Deno.test({
  name: "findProgram: the server's own file is not root's",
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  async fn() {
    await using tree = await makeTree({ "mine/tool": "" });
    const found = await findProgram("tool", tree.path("mine"), []);
    assert.equal(found.path, undefined);
    assert.match(found.distrusted ?? "", /belongs to someone else/);
  },
});
