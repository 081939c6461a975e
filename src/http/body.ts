/** The body of a request: bounded in size and in time. */

import { isJsonContentType } from "@modelcontextprotocol/server";
import { type HttpRefusal, PARSE_ERROR, refuseHttp } from "./refusals.ts";

/** Of one batch: the protocol's library refuses longer ones. */
const MOST_MESSAGES = 100;

/** Bounds on one body. */
export interface BodyBounds {
  readonly bytes: number;
  /** Milliseconds until all of it must be there. */
  readonly ms: number;
}

/** A body that was read. */
export interface ReadBody {
  readonly ok: true;
  readonly value: unknown;
}

/**
 * The body of a request as `readJson` has it; undefined unless it is a POST.
 * Refuses with 415 what is not said to be JSON.
 */
export async function readBody(
  request: Request,
  bounds: BodyBounds,
): Promise<ReadBody | HttpRefusal> {
  if (request.method !== "POST") return { ok: true, value: undefined };
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return refuseHttp(415, "Content-Type must be application/json");
  }
  return await readJson(request, bounds);
}

/**
 * Reads and parses a JSON body. Refuses with 413 before reading what is said to
 * be too long and as soon as more than the bound has come, with 408 what is not
 * there in time, and with 400 what is no JSON.
 */
export async function readJson(
  request: Request,
  bounds: BodyBounds,
): Promise<ReadBody | HttpRefusal> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bounds.bytes) return tooLarge(bounds.bytes);
  const bytes = await readBytes(request.body, bounds);
  if (!(bytes instanceof Uint8Array)) return bytes;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return refuseHttp(
      400,
      "Parse error: the body is not JSON in UTF-8",
      {},
      PARSE_ERROR,
    );
  }
}

/** How many messages a parsed body holds, whatever they are; at least one. */
export function messagesIn(body: unknown): number {
  if (!Array.isArray(body)) return 1;
  return Math.min(Math.max(body.length, 1), MOST_MESSAGES);
}

async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  { bytes: max, ms }: BodyBounds,
): Promise<Uint8Array | HttpRefusal> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, ms);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return tooSlow();
      if (done) break;
      length += value.length;
      if (length > max) {
        reader.cancel().catch(() => {});
        return tooLarge(max);
      }
      chunks.push(value);
    }
  } catch {
    return late ? tooSlow() : refuseHttp(400, "The body did not arrive whole");
  } finally {
    clearTimeout(timer);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function tooLarge(max: number): HttpRefusal {
  return refuseHttp(
    413,
    `The body is larger than ${max} bytes. Files for skill_run that do not fit must be handed over on stdio.`,
    { Connection: "close" },
  );
}

function tooSlow(): HttpRefusal {
  return refuseHttp(408, "The body did not arrive in time", {
    Connection: "close",
  });
}
