/** Content codings undone, so that a body can be searched. */

import { BrokenMessage } from "./byte_reader.ts";
import { type Header, wordsOf } from "./http_head.ts";

/** Codings by their names in headers, and by the runtime's own names. */
const CODINGS: ReadonlyMap<string, CompressionFormat> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  // Known to the runtime since 2.5; the types of the web platform lag behind.
  ["br", "brotli" as CompressionFormat],
]);
const OFFERED: readonly string[] = ["gzip", "deflate", "br"];
const MAX_CODINGS = 3;

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
 * The body without its content codings; undefined when one is unknown. The
 * stream throws `BrokenMessage` when it is not what its coding says.
 */
export function decode(
  parts: AsyncIterable<Uint8Array>,
  headers: readonly Header[],
): AsyncIterable<Uint8Array> | undefined {
  const codings = wordsOf(headers, "content-encoding")
    .filter((word) => word !== "identity");
  if (codings.length > MAX_CODINGS) return undefined;
  let body = parts;
  // The last one was applied last.
  for (const coding of codings.toReversed()) {
    const format = CODINGS.get(coding);
    if (format === undefined) return undefined;
    body = undo(body, format);
  }
  return body;
}

async function* undo(
  parts: AsyncIterable<Uint8Array>,
  format: CompressionFormat,
): AsyncGenerator<Uint8Array> {
  const source = parts[Symbol.asyncIterator]();
  const first = await source.next();
  // An empty body is sent under a coding too, and is no stream of it.
  if (first.done) return;
  const coded = ReadableStream.from<Uint8Array<ArrayBuffer>>(
    (async function* () {
      yield first.value as Uint8Array<ArrayBuffer>;
      for (;;) {
        const next = await source.next();
        if (next.done) return;
        yield next.value as Uint8Array<ArrayBuffer>;
      }
    })(),
  );
  try {
    yield* coded.pipeThrough(new DecompressionStream(format));
  } catch (error) {
    if (error instanceof BrokenMessage) throw error;
    throw new BrokenMessage("the content coding is malformed");
  }
}
