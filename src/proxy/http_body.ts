/** Bodies of HTTP/1 messages: how long they are, reading and writing them. */

import { Buffer } from "node:buffer";
import { BrokenMessage, type ByteReader } from "./byte_reader.ts";
import {
  type Header,
  type RequestHead,
  type ResponseHead,
  valuesOf,
  wordsOf,
} from "./http_head.ts";
import { bytesOf, textOf } from "./latin1.ts";
import type { Wire } from "./wire.ts";

/** How a body's end is known. `close`: the connection's end is its end. */
export type Framing =
  | { readonly by: "none" }
  | { readonly by: "length"; readonly length: number }
  | { readonly by: "chunked" }
  | { readonly by: "close" };

/** Chunk sizes with their extensions, and trailers, which are dropped. */
const MAX_LINE = 4_096;
const MAX_TRAILERS = 64;
const CRLF = new Uint8Array([0x0d, 0x0a]);
const LAST_CHUNK = new TextEncoder().encode("0\r\n\r\n");

/**
 * The framing of a request's body. Undefined when it is stated twice, in a way
 * that is not plain, or in one that HTTP/1.0 does not have (RFC 9112, 6.3).
 */
export function requestFraming(head: RequestHead): Framing | undefined {
  return statedFraming(head, { by: "none" });
}

/** The framing of a response's body, or undefined as for a request. */
export function responseFraming(
  head: ResponseHead,
  method: string,
): Framing | undefined {
  const stated = statedFraming(head, { by: "close" });
  const bare = method === "HEAD" || head.status === 204 || head.status === 304;
  return stated !== undefined && bare ? { by: "none" } : stated;
}

/** How a body's length is stated. */
export function framingHeader(framing: Framing): Header[] {
  if (framing.by === "length") {
    return [["Content-Length", String(framing.length)]];
  }
  return framing.by === "chunked" ? [["Transfer-Encoding", "chunked"]] : [];
}

/** Reads a body. Throws `BrokenMessage` when it ends early or is malformed. */
export async function* readBody(
  reader: ByteReader,
  framing: Framing,
): AsyncGenerator<Uint8Array> {
  switch (framing.by) {
    case "none":
      return;
    case "length":
      return yield* readExactly(reader, framing.length);
    case "chunked":
      return yield* readChunked(reader);
    case "close":
      for (;;) {
        const bytes = await reader.chunk();
        if (bytes === undefined) break;
        yield bytes;
      }
      if (reader.broken) throw new BrokenMessage("the connection failed");
  }
}

/** Writes a body as its framing says; each part goes out as it comes. */
export async function writeBody(
  wire: Wire,
  framing: Framing,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const part of parts) {
    if (part.length === 0) continue;
    if (framing.by !== "chunked") {
      await wire.write(part);
      continue;
    }
    const size = bytesOf(`${part.length.toString(16)}\r\n`);
    await wire.write(Buffer.concat([size, part, CRLF]));
  }
  if (framing.by === "chunked") await wire.write(LAST_CHUNK);
}

function statedFraming(
  head: RequestHead | ResponseHead,
  unstated: Framing,
): Framing | undefined {
  const lengths = valuesOf(head.headers, "content-length");
  if (valuesOf(head.headers, "transfer-encoding").length > 0) {
    const coding = wordsOf(head.headers, "transfer-encoding").join();
    const plain = coding === "chunked" && lengths.length === 0 &&
      head.minor === 1;
    return plain ? { by: "chunked" } : undefined;
  }
  if (lengths.length === 0) return unstated;
  return lengths.length === 1 && /^[0-9]{1,15}$/.test(lengths[0]!)
    ? { by: "length", length: Number(lengths[0]) }
    : undefined;
}

async function* readExactly(
  reader: ByteReader,
  length: number,
): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0;) {
    const bytes = await reader.chunk(Math.min(left, 65_536));
    if (bytes === undefined) throw new BrokenMessage("the body ended early");
    left -= bytes.length;
    yield bytes;
  }
}

async function* readChunked(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = /^([0-9A-Fa-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
      .exec(textOf(await reader.line(MAX_LINE)));
    if (size === null) throw new BrokenMessage("a chunk's size is not one");
    const length = parseInt(size[1]!, 16);
    if (length === 0) break;
    yield* readExactly(reader, length);
    if ((await reader.line(2)).length > 0) {
      throw new BrokenMessage("a chunk is longer than its size");
    }
  }
  for (let count = 0; (await reader.line(MAX_LINE)).length > 0; count++) {
    if (count >= MAX_TRAILERS) throw new BrokenMessage("too many trailers");
  }
}
