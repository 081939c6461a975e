/** One part of one file, as text or base64, cut between characters. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import type { FileTarget } from "./file_targets.ts";
import { encodedPrefix } from "./fit.ts";
import type { FileEntry } from "./schemas/text_shapes.ts";
import { characterRange, decodeExactly, toBase64 } from "./text_bytes.ts";

/** Which part is wanted. */
export interface PartRequest {
  readonly offset: number;
  /** Most bytes. */
  readonly limit: number;
  /** Most encoded characters. */
  readonly room: number;
  readonly base64: boolean;
}

/** A part: what the index says of it, and its text when there is one. */
export interface FilePart {
  readonly entry: Omit<FileEntry, "path" | "block" | "error">;
  readonly content?: string;
  /** Bytes of the file that `content` stands for. */
  readonly length: number;
}

/** So that the smallest limit still gets on by one character. */
const LONGEST_CHARACTER = 4;

/** Reads a part. Refusals name no path: the slot they stand in does. */
export async function readPart(
  target: FileTarget,
  request: PartRequest,
): Promise<Result<FilePart>> {
  const { offset, limit } = request;
  if (offset > target.size) {
    return refuse(
      "INVALID_ARGUMENTS",
      `offset ${offset} is past the end of the file (${target.size} bytes)`,
      `Use an offset from 0 to ${target.size}.`,
    );
  }
  if (limit <= 0 && offset < target.size) {
    return ok(nothingLeft(target, target.size, offset));
  }
  const bytes = await target.read(
    offset,
    request.base64 ? limit : Math.max(limit, LONGEST_CHARACTER),
  );
  // The file may have been cut since it was opened.
  const ended = bytes.length < Math.min(limit, target.size - offset);
  const size = ended ? offset + bytes.length : target.size;
  if (request.base64) return ok(base64Part(target, bytes, size, request));
  return ok(
    textPart(target, bytes, size, request) ?? described(target, size, offset),
  );
}

function textPart(
  target: FileTarget,
  bytes: Uint8Array,
  size: number,
  { offset, room }: PartRequest,
): FilePart | undefined {
  // A NUL is what tells a binary file that happens to be UTF-8.
  if (bytes.includes(0)) return undefined;
  const { start, end } = characterRange(bytes, {
    before: offset > 0,
    after: offset + bytes.length < size,
  });
  const whole = decodeExactly(bytes.subarray(start, end));
  if (whole === undefined) return undefined;
  const content = encodedPrefix(whole, room);
  const length = content === whole
    ? end - start
    : new TextEncoder().encode(content).length;
  const encoding = "utf-8";
  return part(target, { encoding, content, at: offset + start, length, size });
}

function base64Part(
  target: FileTarget,
  bytes: Uint8Array,
  size: number,
  { offset, room }: PartRequest,
): FilePart {
  const most = room === Infinity
    ? bytes.length
    : Math.max(0, Math.floor((room - 2) / 4) * 3);
  const taken = bytes.subarray(0, most);
  return part(target, {
    encoding: "base64",
    content: toBase64(taken),
    at: offset,
    length: taken.length,
    size,
  });
}

function part(target: FileTarget, got: {
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
  readonly at: number;
  readonly length: number;
  readonly size: number;
}): FilePart {
  const next = got.at + got.length;
  const more = next < got.size;
  if (more && got.length === 0) return nothingLeft(target, got.size, got.at);
  return {
    entry: {
      size: got.size,
      mediaType: target.mediaType,
      encoding: got.encoding,
      offset: got.at,
      ...(more ? { nextOffset: next } : {}),
      truncated: more,
    },
    content: got.content,
    length: got.length,
  };
}

function nothingLeft(
  target: FileTarget,
  size: number,
  offset: number,
): FilePart {
  return {
    entry: {
      size,
      mediaType: target.mediaType,
      offset,
      nextOffset: offset,
      truncated: true,
      hint: "The files before used up the limit: ask for this one again.",
    },
    length: 0,
  };
}

function described(
  target: FileTarget,
  size: number,
  offset: number,
): FilePart {
  return {
    entry: {
      size,
      mediaType: target.mediaType,
      encoding: "binary",
      offset,
      truncated: false,
      uri: target.uri,
      hint: "Not text: call again with base64: true for its bytes.",
    },
    length: 0,
  };
}
