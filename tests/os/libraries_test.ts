import assert from "node:assert/strict";
import { linkedWith, readLdd } from "../../src/os/libraries.ts";
import { makeTree } from "../support/tree.ts";

const linux = { ignore: Deno.build.os !== "linux" };
/** Trusted only where its owner is root. */
const asRoot = { ignore: Deno.build.os !== "linux" || Deno.uid() !== 0 };

Deno.test("readLdd: takes glibc's, musl's and a moved loader's lines", () => {
  const text = [
    "\tlinux-vdso.so.1 (0x00007f2fa2aa3000)",
    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2f9c93e000)",
    "\tlibx.so => /opt/a b/../c/libx.so (0x0000000000000001)",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f2fa2aa5000)",
    "",
  ].join("\n");
  assert.deepEqual(readLdd(text), [
    {
      from: "/lib/x86_64-linux-gnu/libc.so.6",
      to: "/lib/x86_64-linux-gnu/libc.so.6",
    },
    { from: "/opt/a b/../c/libx.so", to: "/opt/c/libx.so" },
    { from: "/lib64/ld-linux-x86-64.so.2", to: "/lib64/ld-linux-x86-64.so.2" },
  ]);
  assert.deepEqual(
    readLdd("\t/lib64/ld.so.2 => /usr/lib/ld.so.2 (0x00007f2fa2aa5000)\n"),
    [{ from: "/usr/lib/ld.so.2", to: "/lib64/ld.so.2" }],
  );
  const musl = "/lib/ld-musl-x86_64.so.1";
  assert.deepEqual(
    readLdd(`\t${musl} (0x7f1)\n\tlibc.musl-x86_64.so.1 => ${musl} (0x7f1)\n`),
    [{ from: musl, to: musl }, { from: musl, to: musl }],
  );
});

Deno.test("readLdd: a static executable is linked with nothing", () => {
  assert.deepEqual(readLdd("\tstatically linked\n"), []);
  assert.deepEqual(readLdd("\tnot a dynamic executable\n"), []);
});

Deno.test("readLdd: what is not found, relative or not understood is no answer", () => {
  const good = "\tlibc.so.6 => /lib/libc.so.6 (0x1)\n";
  for (
    const bad of [
      "\tliba.so => not found\n",
      "\tliba.so => ./liba.so (0x1)\n",
      "\tliba.so (0x1)\n",
      "liba.so => /lib/liba.so (0x1)\n",
      "\tlibb.so => /lib/libb.so\n",
      "/bin/x: error while loading shared libraries\n",
    ]
  ) assert.equal(readLdd(good + bad), undefined, bad);
  assert.equal(readLdd(""), undefined);
});

Deno.test({
  name: "linkedWith: the loader and libraries of a real program, by real paths",
  ...linux,
  async fn() {
    const { libraries, warning } = await linkedWith("/bin/sh");
    assert.equal(warning, undefined);
    assert.ok(libraries.some(({ to }) => /\/ld-/.test(to)));
    for (const { from, to } of libraries) {
      assert.equal(await Deno.realPath(to), from);
      assert.ok((await Deno.lstat(from)).isFile);
    }
  },
});

Deno.test({
  name:
    "linkedWith: without a usable ldd, the library directories and a warning",
  ...linux,
  async fn() {
    await using tree = await makeTree({ "not-executable": "" });
    const places = [
      [],
      [tree.path("missing")],
      [tree.path("not-executable")],
      ["/bin/true"],
      ["/bin/false"],
    ];
    for (const ldd of places) {
      const { libraries, warning } = await linkedWith("/bin/sh", ldd);
      assert.match(warning ?? "", /directories are visible/);
      assert.ok(libraries.some(({ to }) => to === "/lib"));
      for (const { from } of libraries) {
        assert.ok((await Deno.lstat(from)).isDirectory);
      }
    }
  },
});

Deno.test({
  name: "linkedWith: an ldd that others may write is not run",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      ldd: '#!/bin/sh\ntouch "$1"\n',
    });
    await Deno.chmod(tree.path("ldd"), 0o777);
    const { warning } = await linkedWith(tree.path("ran"), [tree.path("ldd")]);
    assert.match(warning ?? "", /no `ldd`/);
    await assert.rejects(Deno.lstat(tree.path("ran")));
    await Deno.chmod(tree.path("ldd"), 0o755);
    await linkedWith(tree.path("ran"), [tree.path("ldd")]);
    await Deno.lstat(tree.path("ran"));
  },
});
