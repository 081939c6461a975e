import { deepEqual, equal, ok } from "node:assert/strict";
import {
  readBounded,
  readBoundedSync,
  readRange,
} from "../../src/base/bounded_read.ts";
import type { Result } from "../../src/base/refusal.ts";
import { makeTree } from "../support/tree.ts";

const MIB = 1024 * 1024;

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

Deno.test("readBounded: a small file whole, with its size", async () => {
  await using tree = await makeTree({ "a.txt": "hello" });
  const read = value(await readBounded(tree.path("a.txt"), MIB));
  deepEqual([text(read.bytes), read.size, read.truncated], ["hello", 5, false]);
});

Deno.test("readBounded: a file of exactly the cap is not truncated", async () => {
  await using tree = await makeTree({ "a.txt": "hello" });
  const read = value(await readBounded(tree.path("a.txt"), 5));
  deepEqual([text(read.bytes), read.size, read.truncated], ["hello", 5, false]);
});

Deno.test("readBounded: one byte over the cap is cut and says so", async () => {
  await using tree = await makeTree({ "a.txt": "hello!" });
  const read = value(await readBounded(tree.path("a.txt"), 5));
  deepEqual([text(read.bytes), read.size, read.truncated], ["hello", 6, true]);
});

Deno.test("readBounded: an empty file", async () => {
  await using tree = await makeTree({ "a.txt": "" });
  const read = value(await readBounded(tree.path("a.txt"), 5));
  deepEqual([read.bytes.length, read.size, read.truncated], [0, 0, false]);
});

Deno.test("readBounded: 256 MiB give exactly the cap and the true size, without allocating them", async () => {
  await using tree = await makeTree({ "big": "" });
  await Deno.truncate(tree.path("big"), 256 * MIB);
  const before = Deno.memoryUsage();
  const read = value(await readBounded(tree.path("big"), MIB));
  const after = Deno.memoryUsage();
  deepEqual([read.bytes.length, read.size, read.truncated], [
    MIB,
    256 * MIB,
    true,
  ]);
  ok(read.bytes.buffer.byteLength <= MIB + 1);
  ok(
    after.external + after.heapUsed - before.external - before.heapUsed <
      32 * MIB,
  );
});

Deno.test("readBounded: a small file allocates its size, not the cap", async () => {
  await using tree = await makeTree({ "a.txt": "hello" });
  const read = value(await readBounded(tree.path("a.txt"), 64 * MIB));
  ok(read.bytes.buffer.byteLength <= 6);
});

Deno.test("readBounded: directories and missing files are refused, without their path", async () => {
  await using tree = await makeTree({ "dir/a.txt": "x" });
  for (
    const [name, code] of [
      ["dir", "PATH_REFUSED"],
      ["none", "NOT_FOUND"],
      ["dir/a.txt/x", "NOT_FOUND"],
    ] as const
  ) {
    const read = await readBounded(tree.path(name), 10);
    ok(!read.ok, name);
    equal(read.code, code, name);
    ok(!read.message.includes(tree.root), name);
  }
});

Deno.test({
  name: "readBounded: a pipe nobody writes to is refused at once",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using tree = await makeTree();
    const pipe = tree.path("pipe");
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    const read = readBounded(pipe, 10);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((done) => {
      timer = setTimeout(() => done("late"), 2000);
    });
    const first = await Promise.race([read, late]);
    clearTimeout(timer);
    if (first === "late") {
      // A reader that waits is let go, so that the test can fail and end.
      (await Deno.open(pipe, { write: true })).close();
      await read;
    }
    ok(first !== "late" && !first.ok);
    equal(first.code, "PATH_REFUSED");
  },
});

Deno.test("readBounded: links are followed, circles refused", async () => {
  await using tree = await makeTree({
    "a.txt": "hello",
    "link": { link: "a.txt" },
    "loop": { link: "loop" },
  });
  equal(text(value(await readBounded(tree.path("link"), 9)).bytes), "hello");
  ok(!(await readBounded(tree.path("loop"), 9)).ok);
});

Deno.test("readRange: from the middle, to the end, past the end", async () => {
  await using tree = await makeTree({ "a.txt": "0123456789" });
  const middle = value(await readRange(tree.path("a.txt"), 3, 4));
  deepEqual(
    [text(middle.bytes), middle.offset, middle.size, middle.truncated],
    [
      "3456",
      3,
      10,
      true,
    ],
  );
  const rest = value(await readRange(tree.path("a.txt"), 7, 99));
  deepEqual([text(rest.bytes), rest.truncated], ["789", false]);
  const past = value(await readRange(tree.path("a.txt"), 10, 99));
  deepEqual([past.bytes.length, past.size, past.truncated], [0, 10, false]);
  const far = value(await readRange(tree.path("a.txt"), 99, 99));
  deepEqual([far.bytes.length, far.size, far.truncated], [0, 10, false]);
});

Deno.test("readBoundedSync: says what readBounded says", async () => {
  await using tree = await makeTree({ "a.txt": "hello!", "empty": "" });
  await Deno.symlink("a.txt", tree.path("link"));
  await Deno.symlink("circle", tree.path("circle"));
  for (const name of ["a.txt", "empty", "link", "circle", "none", "."]) {
    for (const cap of [5, 6, MIB]) {
      deepEqual(
        readBoundedSync(tree.path(name), cap),
        await readBounded(tree.path(name), cap),
        `${name} ${cap}`,
      );
    }
  }
});
