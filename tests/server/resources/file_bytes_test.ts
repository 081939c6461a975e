import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { OpenFile } from "../../../src/catalog/bundle_file.ts";
import { FileDigests } from "../../../src/catalog/file_digests.ts";
import { scanRoots } from "../../../src/catalog/scan.ts";
import { digestOf } from "../../../src/server/resources/file_bytes.ts";
import { ServedSkills } from "../../../src/server/resources/served_skills.ts";
import { makeTree } from "../../support/tree.ts";

const sha256 = (text: string) =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;

Deno.test("digestOf: digest and size are of the same bytes when the file is cut or grows while it is read", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": "---\nname: a\ndescription: d\n---\n",
    "a/x.txt": "0123456789",
  });
  const root = { path: tree.root, include: [], ignore: [], watch: false };
  const snapshot = await scanRoots([root]);
  const file = new ServedSkills(snapshot).file("a/x.txt")!;
  const path = tree.path("a/x.txt");
  for (const there of ["01234", "0123456789abc"]) {
    const digests = new FileDigests({ now: () => Date.now() + 3_600_000 });
    const look = await Deno.lstat(path);
    const open = {
      size: 10,
      realPath: path,
      look,
      read: (offset: number, limit: number) =>
        Promise.resolve(
          new TextEncoder().encode(there)
            .subarray(offset, Math.min(offset + limit, 10)),
        ),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    } as unknown as OpenFile;
    const door = {
      digests,
      openFile: () => Promise.resolve({ ok: true as const, value: open }),
    };
    const { digest, size } = (await digestOf(door, file, snapshot))!;
    const read = there.slice(0, 10);
    assert.deepEqual([digest, size], [sha256(read), read.length]);
    // Of a file that was cut nothing is kept.
    const again = await digestOf(door, file, snapshot);
    assert.deepEqual([again!.digest, again!.size], [digest, size]);
  }
});
