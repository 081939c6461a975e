/** Captured streams -> text with a stated gap, never mangled. */

import { joinedBytes } from "../base/bytes.ts";
import { wholeCharacters } from "../base/utf8.ts";
import type { CapturedStream } from "../fence/types.ts";
import { structuredLength } from "./fit.ts";
import { characterRange, decodeExactly, toBase64 } from "./text_bytes.ts";

/** How much may be shown. */
export interface StreamLimits {
  /** Bytes of both streams. */
  readonly together: number;
  /** Bytes of one stream. */
  readonly each: number;
  /** Encoded characters of both streams. */
  readonly encoded: number;
}

/** A stream as it is shown. */
export interface ShownStream {
  /** Text, or base64 of the bytes with the gap's words between them. */
  readonly text: string;
  readonly encoding: "utf-8" | "base64";
  /** Bytes of the script's that are not shown. */
  readonly omitted: number;
}

interface Streams<T> {
  readonly stdout: T;
  readonly stderr: T;
}

/** Both streams, in fair shares: what one does not need the other gets. */
export function shownStreams(
  streams: Streams<CapturedStream>,
  limits: StreamLimits,
): Streams<ShownStream> {
  for (let together = limits.together;; together = Math.floor(together / 2)) {
    const share = shares(streams, together, limits.each);
    const shown = {
      stdout: shownStream(streams.stdout, share.stdout),
      stderr: shownStream(streams.stderr, share.stderr),
    };
    // Control characters grow to seven, so that bytes say little of the length.
    const length = structuredLength(shown.stdout.text) +
      structuredLength(shown.stderr.text);
    if (together === 0 || length <= limits.encoded) return shown;
  }
}

function shares(
  { stdout, stderr }: Streams<CapturedStream>,
  together: number,
  each: number,
): Streams<number> {
  const half = Math.floor(together / 2);
  const err = Math.min(stderr.total, Math.max(half, together - stdout.total));
  return {
    stdout: Math.min(each, together - Math.min(err, each)),
    stderr: Math.min(each, err),
  };
}

/** One stream in at most `limit` bytes, head and tail around the gap. */
export function shownStream(
  stream: CapturedStream,
  limit: number,
): ShownStream {
  const { head, tail } = cutStream(stream, limit);
  const gap = stream.total > head.length + tail.length;
  const headEnd = gap ? wholeCharacters(head) : head.length;
  const tailStart = gap
    ? characterRange(tail, { before: true, after: false }).start
    : 0;
  const headText = decodeExactly(head.subarray(0, headEnd));
  const tailText = decodeExactly(tail.subarray(tailStart));
  const whole = headText !== undefined && tailText !== undefined;
  const shown = whole
    ? headEnd + tail.length - tailStart
    : head.length + tail.length;
  const omitted = stream.total - shown;
  const words = omitted > 0 ? `\n… ${omitted} bytes left out …\n` : "";
  if (whole) {
    return { text: headText + words + tailText, encoding: "utf-8", omitted };
  }
  const parts = [head, new TextEncoder().encode(words), tail];
  return { text: toBase64(joinedBytes(parts)), encoding: "base64", omitted };
}

/** The outermost bytes: half the limit from either end. */
function cutStream(
  stream: CapturedStream,
  limit: number,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  if (stream.head.length + stream.tail.length <= limit) return stream;
  const headSize = Math.ceil(limit / 2);
  const tailSize = limit - headSize;
  // Without a gap of its own the stream is all head, and its end is there.
  const end = stream.tail.length > 0
    ? joinedBytes([stream.head, stream.tail])
    : stream.head;
  return {
    head: stream.head.subarray(0, headSize),
    tail: end.subarray(end.length - tailSize),
  };
}
