import assert from "node:assert/strict";
import fc from "fast-check";
import {
  capture,
  type ChunkFilter,
  HeadTail,
} from "../../src/fence/capture.ts";

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

Deno.test("HeadTail: everything that fits is in head, in order", () => {
  const kept = new HeadTail(10);
  for (const part of ["abc", "defg", "hij"]) {
    kept.push(new TextEncoder().encode(part));
  }
  const { head, tail, total } = kept.result();
  assert.equal(text(head), "abcdefghij");
  assert.equal(tail.length, 0);
  assert.equal(total, 10);
});

Deno.test("HeadTail: one byte more leaves head and tail around a gap", () => {
  const kept = new HeadTail(10);
  kept.push(new TextEncoder().encode("abcdefghijk"));
  const { head, tail, total } = kept.result();
  assert.equal(text(head), "abcde");
  assert.equal(text(tail), "ghijk");
  assert.equal(total, 11);
});

Deno.test("HeadTail: a flood of single bytes takes the room of its bytes", () => {
  const kept = new HeadTail(1024 * 1024);
  const before = Deno.memoryUsage().rss;
  for (let i = 0; i < 600_000; i++) kept.push(Uint8Array.of(i & 255));
  const grown = Deno.memoryUsage().rss - before;
  const { head, total } = kept.result();
  assert.deepEqual([head.length, total], [600_000, 600_000]);
  assert.deepEqual([...head.subarray(255, 258)], [255, 0, 1]);
  // Kept one by one, they took 290 MiB.
  assert.ok(grown < 100 * 1024 * 1024, `${grown} bytes`);
});

Deno.test("HeadTail: keeps the first and last half of anything, in any chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.integer({ min: 0, max: 60 }),
      (chunks, limit) => {
        const kept = new HeadTail(limit);
        for (const chunk of chunks) kept.push(chunk);
        const all = new Uint8Array(chunks.flatMap((chunk) => [...chunk]));
        const { head, tail, total } = kept.result();
        assert.equal(total, all.length);
        if (all.length <= limit) {
          assert.deepEqual([...head], [...all]);
          assert.equal(tail.length, 0);
          return;
        }
        const half = Math.floor(limit / 2);
        assert.deepEqual([...head], [...all.slice(0, Math.ceil(limit / 2))]);
        assert.deepEqual([...tail], [...all.slice(all.length - half)]);
      },
    ),
  );
});

Deno.test("HeadTail: does not keep the caller's buffer", () => {
  const kept = new HeadTail(8);
  const chunk = new TextEncoder().encode("abcd");
  kept.push(chunk);
  chunk.fill(0);
  assert.equal(text(kept.result().head), "abcd");
});

Deno.test("capture: a stream that fails has ended, and what came stands", async () => {
  let chunks = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ === 0) {
        controller.enqueue(new TextEncoder().encode("so far"));
      } else controller.error(new Error("broken pipe"));
    },
  });
  const reading = capture(stream, 100, () => {});
  await reading.done;
  assert.equal(text(reading.result().head), "so far");
});

Deno.test("capture: giving up ends the reading and closes the stream", async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    cancel() {
      cancelled = true;
    },
  });
  const reading = capture(stream, 100, () => {});
  reading.giveUp();
  await reading.done;
  assert.ok(cancelled);
});

/** Holds back the last byte, and writes in capitals. */
function capitals(): ChunkFilter {
  let held = "";
  return {
    push(chunk) {
      const all = held + text(chunk).toUpperCase();
      held = all.slice(-1);
      return new TextEncoder().encode(all.slice(0, -1));
    },
    end() {
      return new TextEncoder().encode(`${held}.`);
    },
  };
}

Deno.test("capture: a filter sees every chunk, and its end once", async () => {
  const reading = capture(
    ReadableStream.from(
      ["ab", "cd", "e"].map((part) => new TextEncoder().encode(part)),
    ),
    100,
    () => {},
    capitals(),
  );
  await reading.done;
  for (let i = 0; i < 2; i++) {
    const { head, total } = reading.result();
    assert.equal(text(head), "ABCDE.");
    assert.equal(total, 6);
  }
});

Deno.test("capture: what a filter held back is there when reading is given up", async () => {
  let more: () => void = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("abc"));
      more = () => controller.enqueue(new TextEncoder().encode("later"));
    },
  });
  let chunks = 0;
  const read = Promise.withResolvers<void>();
  const reading = capture(stream, 100, () => {
    if (++chunks === 1) read.resolve();
  }, capitals());
  await read.promise;
  assert.equal(text(reading.result().head), "ABC.");
  more();
  reading.giveUp();
  await reading.done;
  assert.equal(text(reading.result().head), "ABC.");
  assert.equal(chunks, 1);
});
