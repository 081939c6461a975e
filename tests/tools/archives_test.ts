import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { elfSize } from "../../tools/build/elf.ts";
import { integrityOf, packedTarball } from "../../tools/build/npm_pack.ts";
import { fileFromTarball } from "../../tools/build/tar.ts";
import { fileFromZip } from "../../tools/build/zip.ts";
import { makeTree } from "../support/tree.ts";

/** Made with another tool: `readme` stored, `bin/denort` deflated, a comment. */
const ZIP = new Uint8Array(Buffer.from(
  "UEsDBBQAAAAAAAAAIQCR7tOJDAAAAAwAAAAGAAAAcmVhZG1lc3RvcmVkIHRleHQKUEsDBBQ" +
    "AAAAIAAAAIQA2Ez72GQAAAAgHAAAKAAAAYmluL2Rlbm9ydEtJTctJLElNUUgZZYwyRhmj" +
    "jFHGKGPkMQBQSwECFAMUAAAAAAAAACEAke7TiQwAAAAMAAAABgAAAAAAAAAAAAAAgAEAA" +
    "AAAcmVhZG1lUEsBAhQDFAAAAAgAAAAhADYTPvYZAAAACAcAAAoAAAAAAAAAAAAAAIABMA" +
    "AAAGJpbi9kZW5vcnRQSwUGAAAAAAIAAgBsAAAAcQAAAAkAYSBjb21tZW50",
  "base64",
));

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A real tarball, made by the machine's own tar. */
async function tarball(files: Record<string, string>): Promise<Uint8Array> {
  await using tree = await makeTree(files);
  const { success } = await new Deno.Command("tar", {
    args: ["-czf", "../packed.tgz", "."],
    cwd: tree.path("in"),
  }).output();
  assert.ok(success);
  return await Deno.readFile(tree.path("packed.tgz"));
}

Deno.test("fileFromZip: takes stored and deflated files, names what is absent", () => {
  assert.equal(text(fileFromZip(ZIP, "readme")), "stored text\n");
  assert.equal(text(fileFromZip(ZIP, "bin/denort")), "deflated ".repeat(200));
  assert.throws(() => fileFromZip(ZIP, "denort"), /holds no denort/);
  assert.throws(
    () => fileFromZip(ZIP.subarray(0, ZIP.length - 40), "readme"),
    /not a zip archive/,
  );
});

Deno.test("fileFromTarball: takes one file whole, names what is absent", async () => {
  const long = "x".repeat(70_000);
  const tgz = await tarball({
    "in/package/a": "first",
    "in/package/deno": long,
    "in/package/z": "",
  });
  assert.equal(text(fileFromTarball(tgz, "./package/deno")), long);
  assert.equal(text(fileFromTarball(tgz, "./package/a")), "first");
  assert.equal(text(fileFromTarball(tgz, "./package/z")), "");
  assert.throws(
    () => fileFromTarball(tgz, "./package/b"),
    /holds no \.\/package\/b/,
  );
});

Deno.test({
  name: "elfSize: finds the end of a real executable under what was appended",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const whole = await Deno.readFile("/bin/sh");
    const size = elfSize(whole);
    assert.equal(size, whole.length);
    const longer = new Uint8Array(whole.length + 1000).fill(7);
    longer.set(whole);
    assert.equal(elfSize(longer), size);
    assert.throws(() => elfSize(whole.subarray(0, size - 1)), /ends before/);
    assert.throws(() => elfSize(whole.subarray(1)), /not a 64-bit/);
  },
});

Deno.test("packedTarball: checks what came and what was kept, every time", async () => {
  await using tree = await makeTree();
  const bytes = new TextEncoder().encode("the package");
  const fetched: string[] = [];
  const fetch = async (spec: string, directory: string) => {
    fetched.push(spec);
    await Deno.writeFile(`${directory}/any-name.tgz`, bytes);
  };
  const pkg = {
    name: "@scope/name",
    version: "1.2.3",
    integrity: integrityOf(bytes),
  };
  const take = () => packedTarball(pkg, tree.path("cache"), fetch);
  assert.deepEqual(await take(), bytes);
  assert.deepEqual(await take(), bytes);
  assert.deepEqual(fetched, ["@scope/name@1.2.3"]);
  // A kept file that was changed is not used.
  await tree.write({ "cache/scope-name-1.2.3.tgz": "changed" });
  assert.deepEqual(await take(), bytes);
  assert.equal(fetched.length, 2);
  // Another package under the same name and version is refused and not kept.
  await assert.rejects(
    packedTarball(
      { ...pkg, integrity: "sha512-AAAA" },
      tree.path("other"),
      fetch,
    ),
    /@scope\/name@1\.2\.3 is not the pinned one: sha512-\S+, not sha512-AAAA/,
  );
  assert.deepEqual([...Deno.readDirSync(tree.path("other"))], []);
});
