/**
 * Heads of HTTP/1 messages, read strictly (RFC 9112): what two readers could
 * take in two ways is no head at all.
 */

import { bytesOf, textOf } from "./latin1.ts";

/** Name and value, one character for each byte, in their order. */
export type Header = readonly [name: string, value: string];

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** 0 or 1, of HTTP/1.x. */
  readonly minor: number;
  readonly headers: readonly Header[];
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly minor: number;
  readonly headers: readonly Header[];
}

/** The most bytes of a head. */
export const MAX_HEAD = 65_536;
const MAX_HEADERS = 256;

const REQUEST_LINE =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const STATUS_LINE =
  /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const HEADER =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*((?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[\t ]*$/;

/** Reads a request's head, blank line included; undefined when it is not one. */
export function readRequestHead(bytes: Uint8Array): RequestHead | undefined {
  const { first, headers } = linesOf(bytes);
  const line = REQUEST_LINE.exec(first);
  if (line === null || headers === undefined) return undefined;
  const [, method = "", target = "", minor] = line;
  return { method, target, minor: Number(minor), headers };
}

/** Reads a response's head, blank line included; undefined when it is not one. */
export function readResponseHead(bytes: Uint8Array): ResponseHead | undefined {
  const { first, headers } = linesOf(bytes);
  const line = STATUS_LINE.exec(first);
  if (line === null || headers === undefined) return undefined;
  const [, minor, status, reason = ""] = line;
  return { status: Number(status), reason, minor: Number(minor), headers };
}

/** A head as bytes: its first line, its headers, and the blank line. */
export function writeHead(
  first: string,
  headers: readonly Header[],
): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return bytesOf(`${first}\r\n${lines.join("")}\r\n`);
}

/** Every value of a header, by its lower-case name. */
export function valuesOf(
  headers: readonly Header[],
  name: string,
): string[] {
  return headers.flatMap(([key, value]) =>
    key.toLowerCase() === name ? [value] : []
  );
}

/** The words of a header that holds a list, in lower case. */
export function wordsOf(headers: readonly Header[], name: string): string[] {
  return valuesOf(headers, name).flatMap((value) => value.split(","))
    .map((word) => word.trim().toLowerCase()).filter((word) => word !== "");
}

function linesOf(
  bytes: Uint8Array,
): { first: string; headers: Header[] | undefined } {
  const [first = "", ...lines] = textOf(bytes).slice(0, -4).split("\r\n");
  if (lines.length > MAX_HEADERS) return { first, headers: undefined };
  const headers: Header[] = [];
  for (const line of lines) {
    // A line that continues the one before (obs-fold) is none of these either.
    const header = HEADER.exec(line);
    if (header === null) return { first, headers: undefined };
    headers.push([header[1]!, header[2]!]);
  }
  return { first, headers };
}
