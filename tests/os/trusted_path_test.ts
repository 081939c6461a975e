import assert from "node:assert/strict";
import { distrust, ROOT } from "../../src/os/trusted_path.ts";
import { makeTree } from "../support/tree.ts";
import { onUnix } from "../fence/processes.ts";

const NOBODY = 65534;
const asRoot = { ignore: Deno.build.os === "windows" || Deno.uid() !== 0 };

Deno.test({
  name: "distrust: a sticky directory is fine while the entry is ours",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({ "shared/ours/x": "" });
    await Deno.chmod(tree.path("shared"), 0o1777);
    assert.equal(await distrust(tree.path("shared", "ours", "x")), undefined);
    await Deno.chmod(tree.path("shared", "ours", "x"), 0o1666);
    const file = await distrust(tree.path("shared", "ours", "x"));
    assert.equal(file?.at, tree.path("shared", "ours", "x"));
    await Deno.chmod(tree.path("shared", "ours", "x"), 0o644);
    await Deno.chmod(tree.path("shared"), 0o777);
    const reason = await distrust(tree.path("shared", "ours", "x"));
    assert.equal(reason?.at, tree.path("shared"));
  },
});

Deno.test({
  name:
    "distrust: another account's file, directory or link on the way is told",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "a/file": "",
      "b/file": "",
      "c/file": "",
      link: { link: "c" },
    });
    await Deno.chown(tree.path("a", "file"), NOBODY, NOBODY);
    await Deno.chown(tree.path("b"), NOBODY, NOBODY);
    await new Deno.Command("chown", {
      args: ["-h", `${NOBODY}`, tree.path("link")],
    }).output();
    const at = async (path: string) => (await distrust(path))?.at;
    assert.equal(await at(tree.path("a", "file")), tree.path("a", "file"));
    assert.equal(await at(tree.path("b", "file")), tree.path("b"));
    assert.equal(await at(tree.path("link", "file")), tree.path("link"));
    assert.equal(await at(tree.path("c", "file")), undefined);
  },
});

Deno.test({
  name:
    "distrust: writable by the owner's private group is fine, by another group not",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "dir/file": "" });
    await Deno.chmod(tree.path("dir"), 0o775);
    assert.equal(await distrust(tree.path("dir", "file")), undefined);
    await Deno.chown(tree.path("dir"), 0, NOBODY);
    assert.equal(
      (await distrust(tree.path("dir", "file")))?.at,
      tree.path("dir"),
    );
  },
});

Deno.test({
  name: "distrust: with root alone to trust, another owner is told",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({ "dir/file": "" });
    if (Deno.uid() === ROOT) await Deno.chown(tree.path("dir"), NOBODY, NOBODY);
    const found = await distrust(tree.path("dir", "file"), [ROOT]);
    assert.match(found?.reason ?? "", /someone else/);
    assert.equal(await distrust("/usr", [ROOT]), undefined);
  },
});
