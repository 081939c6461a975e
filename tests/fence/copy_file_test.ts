import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyRegularFile } from "../../src/fence/outputs/copy_file.ts";
import type { Account } from "../../src/os/types.ts";
import { asRoot, NOBODY } from "../support/as_root.ts";
import { makeTree } from "../support/tree.ts";
import { onUnix } from "./processes.ts";

const MIB = 1024 * 1024;

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test("copyRegularFile: bytes, size and digest of a file of many chunks", async () => {
  const bytes = new Uint8Array(MIB + 7).map((_, at) => at * 31);
  await using tree = await makeTree({ from: bytes });
  const copied = await copyRegularFile(
    tree.path("from"),
    tree.path("to"),
    2 * MIB,
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual(copied, { size: bytes.length, sha256: `sha256:${sha256}` });
  assert.deepEqual(await Deno.readFile(tree.path("to")), bytes);
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(tree.path("to"))).mode! & 0o777, 0o600);
  }
});

Deno.test({
  name:
    "copyRegularFile: a link, a second name, a FIFO and a directory leave nothing",
  ...onUnix,
  async fn() {
    await using tree = await makeTree({
      secret: "x",
      link: { link: "secret" },
      named: "y",
      dir: { dir: true },
    });
    await Deno.link(tree.path("named"), tree.path("again"));
    await new Deno.Command("mkfifo", { args: [tree.path("fifo")] }).output();
    for (const name of ["link", "named", "again", "fifo", "dir", "missing"]) {
      const copied = await copyRegularFile(
        tree.path(name),
        tree.path("to"),
        MIB,
      );
      assert.equal(copied, undefined, name);
      assert.equal(await exists(tree.path("to")), false, name);
    }
    // The control: the same file by its own and only name.
    assert.ok(await copyRegularFile(tree.path("secret"), tree.path("to"), MIB));
  },
});

Deno.test("copyRegularFile: more than is allowed leaves nothing", async () => {
  await using tree = await makeTree({ from: "12345" });
  const copy = (max: number) =>
    copyRegularFile(tree.path("from"), tree.path("to"), max);
  assert.equal(await copy(4), undefined);
  assert.equal(await exists(tree.path("to")), false);
  assert.equal((await copy(5))?.size, 5);
});

Deno.test("copyRegularFile: what is there already is not written over", async () => {
  await using tree = await makeTree({ from: "new", to: "old" });
  const copied = await copyRegularFile(tree.path("from"), tree.path("to"), MIB);
  assert.equal(copied, undefined);
  assert.equal(await Deno.readTextFile(tree.path("to")), "old");
});

Deno.test({
  name: "copyRegularFile: a file that yields more than it said leaves nothing",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree();
    // Its size is told as 0.
    const from = "/proc/self/maps";
    assert.equal(await copyRegularFile(from, tree.path("to"), 5), undefined);
    assert.equal(await exists(tree.path("to")), false);
    assert.ok(await copyRegularFile(from, tree.path("to"), MIB));
  },
});

Deno.test({
  name:
    "copyRegularFile: for an account only what that account may read itself",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "theirs/file": "1",
      "open/file": "2",
      "ours/file": "3",
    });
    await Deno.chown(tree.path("theirs", "file"), NOBODY.uid, NOBODY.gid);
    await Deno.chmod(tree.path("theirs", "file"), 0o600);
    await Deno.chmod(tree.path("ours", "file"), 0o600);
    const copy = (name: string, account?: Account) =>
      copyRegularFile(
        tree.path(name, "file"),
        tree.path(`to-${name}`),
        MIB,
        account,
      );
    assert.ok(await copy("theirs", NOBODY));
    assert.ok(await copy("open", NOBODY));
    assert.equal(await copy("ours", NOBODY), undefined);
    assert.equal(await exists(tree.path("to-ours")), false);
    assert.ok(await copy("ours"), "the control: for ourselves");
  },
});

Deno.test({
  name:
    "copyRegularFile: for an account a link on the way leads nowhere, even when it is gone again",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "private/file": "secret",
      "out/real/file": "mine",
      "out/sub": { link: "../private" },
    });
    await Deno.chmod(tree.path("private"), 0o700);
    const from = tree.path("out", "sub", "file");
    const to = tree.path("to");
    assert.equal(await copyRegularFile(from, to, MIB, NOBODY), undefined);
    // The link is gone once the file is open.
    const { realPath } = Deno;
    Deno.realPath = (path) => {
      Deno.removeSync(tree.path("out", "sub"));
      Deno.renameSync(tree.path("out", "real"), tree.path("out", "sub"));
      return realPath(path);
    };
    try {
      assert.equal(await copyRegularFile(from, to, MIB, NOBODY), undefined);
    } finally {
      Deno.realPath = realPath;
    }
    assert.equal(await exists(to), false);
    assert.ok(await copyRegularFile(from, to, MIB, NOBODY), "the control");
  },
});
