import assert from "node:assert/strict";
import { readVersion } from "../../src/fence/runtime/read_version.ts";
import { makeTree } from "../support/tree.ts";

Deno.test(
  "readVersion: a program that is still open for writing is asked again",
  {
    ignore: Deno.build.os !== "linux", // Others start such a file.
  },
  async () => {
    await using tree = await makeTree({
      deno: "#!/bin/sh\necho deno 2.9.6\n",
    });
    const path = tree.path("deno");
    await Deno.chmod(path, 0o755);
    const held = await Deno.open(path, { write: true });
    await assert.rejects(
      async () => await new Deno.Command(path).output(),
      /os error 26/,
    );
    const asked = readVersion(path);
    setTimeout(() => held.close(), 200);
    assert.equal(await asked, "2.9.6");
  },
);

Deno.test("readVersion: what is no program, or is gone, has no version", async () => {
  await using tree = await makeTree({ deno: "#!/bin/sh\necho deno 2.9.6\n" });
  assert.equal(await readVersion(tree.path("deno")), undefined);
  assert.equal(await readVersion(tree.path("none")), undefined);
});
