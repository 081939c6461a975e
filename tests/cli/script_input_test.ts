import assert from "node:assert/strict";
import { readInputFiles, readInputText } from "../../src/cli/script_input.ts";
import { makeTree } from "../support/tree.ts";

const stream = (...chunks: Uint8Array[]) => ReadableStream.from(chunks);

Deno.test("readInputFiles: names files by their base name, relative to the directory", async () => {
  await using tree = await makeTree({ "a/one.txt": "1", "two.bin": "2" });
  const read = await readInputFiles(
    ["a/one.txt", tree.path("two.bin")],
    tree.root,
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value.map(({ name }) => name), ["one.txt", "two.bin"]);
  assert.equal(new TextDecoder().decode(read.value[0]!.bytes), "1");
});

Deno.test("readInputFiles: refuses one name twice, a missing file, a directory, too much", async () => {
  await using tree = await makeTree({
    "a/x": "1",
    "b/x": "2",
    dir: { dir: true },
  });
  await Deno.truncate(tree.path("a/x"), 9 * 1024 * 1024);
  for (
    const [paths, code] of [
      [["b/x", "b/x"], "INVALID_ARGUMENTS"],
      [["missing"], "INVALID_ARGUMENTS"],
      [["dir"], "INVALID_ARGUMENTS"],
      [["a/x"], "TOO_LARGE"],
    ] as const
  ) {
    const read = await readInputFiles(paths, tree.root);
    assert.ok(!read.ok, paths.join());
    assert.equal(read.code, code);
  }
});

Deno.test("readInputText: joins chunks and keeps a byte order mark", async () => {
  const read = await readInputText(
    stream(new Uint8Array([0xef, 0xbb, 0xbf, 0xc3]), new Uint8Array([0xa9])),
  );
  assert.ok(read.ok);
  assert.equal(read.value, "\ufeffé");
});

Deno.test("readInputText: refuses bytes that are not UTF-8, and more than 8 MiB", async () => {
  const bad = await readInputText(stream(new Uint8Array([0xff])));
  assert.ok(!bad.ok && bad.code === "INVALID_ARGUMENTS");
  const big = await readInputText(stream(new Uint8Array(8 * 1024 * 1024 + 1)));
  assert.ok(!big.ok && big.code === "TOO_LARGE");
});
