import assert from "node:assert/strict";
import { FileDigests, stateOf } from "../../src/catalog/file_digests.ts";
import { makeTree } from "../support/tree.ts";

/** Times of change come in whole seconds. */
function sameSecond(one: Date, other: Date): boolean {
  return Math.floor(one.getTime() / 1000) ===
    Math.floor(other.getTime() / 1000);
}

const HOUR = 3_600_000;

Deno.test("FileDigests: a file that lay still is known until anything about it changes", async () => {
  await using tree = await makeTree({ "a": "12345" });
  const look = () => stateOf(Deno.lstatSync(tree.path("a")));
  for (
    const change of [
      () => Deno.writeTextFileSync(tree.path("a"), "123456"),
      () => Deno.utimeSync(tree.path("a"), 1, 1),
      // Of the same length, and its time of writing put back.
      () => {
        const { mtime, ctime } = Deno.lstatSync(tree.path("a"));
        do {
          Deno.writeTextFileSync(tree.path("a"), "654321");
          Deno.utimeSync(tree.path("a"), mtime!, mtime!);
        } while (sameSecond(Deno.lstatSync(tree.path("a")).ctime!, ctime!));
      },
      () => {
        Deno.writeTextFileSync(tree.path("b"), "123456");
        Deno.utimeSync(tree.path("b"), 1, 1);
        Deno.renameSync(tree.path("b"), tree.path("a"));
      },
    ]
  ) {
    const digests = new FileDigests({ now: () => Date.now() + HOUR });
    const before = look();
    digests.keep(before, "sha256:x", digests.begin());
    assert.equal(digests.known(look()), "sha256:x");
    change();
    assert.equal(digests.known(look()), undefined, String(change));
  }
});

Deno.test("FileDigests: what changed within 2.1 seconds of being read is not kept", () => {
  const digests = new FileDigests({ now: () => 10_000 });
  digests.keep({ key: "a", changedMs: 7_899 }, "kept", digests.begin());
  digests.keep({ key: "b", changedMs: 7_900 }, "not", digests.begin());
  digests.keep({ key: undefined, changedMs: 0 }, "not", digests.begin());
  assert.equal(digests.known({ key: "a" }), "kept");
  assert.equal(digests.known({ key: "b" }), undefined);
  assert.equal(digests.known({ key: undefined }), undefined);
});

Deno.test("FileDigests: the least used goes first", () => {
  const digests = new FileDigests({ now: () => HOUR, most: 2 });
  const keep = (key: string) =>
    digests.keep({ key, changedMs: 0 }, key, digests.begin());
  keep("a");
  keep("b");
  digests.known({ key: "a" });
  keep("c");
  assert.deepEqual(
    ["a", "b", "c"].map((key) => digests.known({ key })),
    ["a", undefined, "c"],
  );
});
