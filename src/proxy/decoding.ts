/** Content codings undone, so that a body can be searched. */

import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createInflate, type ZlibOptions } from "node:zlib";
import { BrokenMessage } from "./byte_reader.ts";
import { type Header, wordsOf } from "./http_head.ts";

/**
 * Codings by their names in headers. The web platform's streams are no choice
 * here: what one chunk unpacks to comes out of them at once, a thousandfold
 * for gzip and without a bound for brotli, however slowly it is read.
 */
const CODINGS: ReadonlyMap<string, (options: ZlibOptions) => Transform> =
  new Map([
    ["gzip", createGunzip],
    ["x-gzip", createGunzip],
    ["deflate", createInflate],
  ]);
const OFFERED: readonly string[] = ["gzip", "deflate"];
/** Bytes unpacked ahead of the reader. Deno before 2.9 takes 64 KiB. */
const CHUNK = 16_384;

/**
 * What to accept from a host whose bodies are searched: of the codings that
 * the client asks for, those that can be undone.
 */
export function acceptable(headers: readonly Header[]): string {
  const asked = wordsOf(headers, "accept-encoding")
    .map((word) => word.replace(/\s*;.*$/, ""));
  const both = OFFERED.filter((name) => asked.includes(name));
  return both.length === 0 ? "identity" : both.join(", ");
}

/**
 * The body without its content coding; undefined when that is unknown, or one
 * of several: packed twice, a few bytes are gigabytes. The stream throws
 * `BrokenMessage` when it is not what its coding says.
 */
export function decode(
  parts: AsyncIterable<Uint8Array>,
  headers: readonly Header[],
): AsyncIterable<Uint8Array> | undefined {
  const [coding, more] = wordsOf(headers, "content-encoding")
    .filter((word) => word !== "identity");
  if (coding === undefined) return parts;
  const make = CODINGS.get(coding);
  return make === undefined || more !== undefined
    ? undefined
    : undo(parts, make);
}

async function* undo(
  parts: AsyncIterable<Uint8Array>,
  make: (options: ZlibOptions) => Transform,
): AsyncGenerator<Uint8Array> {
  const source = parts[Symbol.asyncIterator]();
  const first = await source.next();
  // An empty body is sent under a coding too, and is no stream of it.
  if (first.done) return;
  const coded = async function* () {
    yield first.value;
    for (;;) {
      const next = await source.next();
      if (next.done) return;
      yield next.value;
    }
  };
  const unpacked = make({ chunkSize: CHUNK });
  // Its errors come out of the stream that is read below.
  pipeline(Readable.from(coded()), unpacked, () => {});
  try {
    yield* unpacked;
  } catch (error) {
    if (error instanceof BrokenMessage) throw error;
    throw new BrokenMessage("the content coding is malformed");
  } finally {
    unpacked.destroy();
  }
}
