/** Answers that the proxy gives itself. */

import { Buffer } from "node:buffer";
import { writeHead } from "./http_head.ts";
import type { Wire } from "./wire.ts";

/** What the proxy says on its own account; see RFC 9209 for `error`. */
export interface OwnAnswer {
  readonly status: 400 | 403 | 405 | 502;
  readonly error: string;
  /** One sentence without a full stop, without values. */
  readonly text: string;
}

const REASONS: Readonly<Record<OwnAnswer["status"], string>> = {
  400: "Bad Request",
  403: "Forbidden",
  405: "Method Not Allowed",
  502: "Bad Gateway",
};

/** A message that is not plain HTTP. */
export const MALFORMED: OwnAnswer = {
  status: 400,
  error: "http_request_error",
  text: "this is not a request to a proxy",
};

/** Sends the answer as the connection's last one. Never rejects. */
export async function answer(
  client: Wire,
  { status, error, text }: OwnAnswer,
  method = "GET",
): Promise<void> {
  const body = new TextEncoder().encode(`${text}\n`);
  const head = writeHead(`HTTP/1.1 ${status} ${REASONS[status]}`, [
    ["Content-Type", "text/plain; charset=utf-8"],
    ["Content-Length", String(body.length)],
    ["Proxy-Status", `skillfence; error=${error}`],
    ["Connection", "close"],
  ]);
  try {
    await client.write(method === "HEAD" ? head : Buffer.concat([head, body]));
  } catch {
    // The client did not wait for it.
  }
}
