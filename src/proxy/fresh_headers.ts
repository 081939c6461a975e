/** Headers of the messages that the proxy writes itself (RFC 9110, 7.6.1). */

import { type Header, wordsOf } from "./http_head.ts";

/** Of one connection only, or made anew from what the proxy knows. */
const NEVER_PASSED: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers that go on to the other side: no hop-by-hop ones. */
export function passedOn(headers: readonly Header[]): Header[] {
  const named = new Set(wordsOf(headers, "connection"));
  return headers.filter(([name]) => {
    const key = name.toLowerCase();
    return !NEVER_PASSED.has(key) && !named.has(key) &&
      !key.startsWith("proxy-");
  });
}

/** The headers with this one in place of all of its name. */
export function withHeader(
  headers: readonly Header[],
  name: string,
  value: string,
): Header[] {
  return [...without(headers, name), [name, value]];
}

/** The headers without those of these names. */
export function without(
  headers: readonly Header[],
  ...names: readonly string[]
): Header[] {
  const keys = names.map((name) => name.toLowerCase());
  return headers.filter(([other]) => !keys.includes(other.toLowerCase()));
}

/** Whether the connection stays open after a message. */
export function staysOpen(
  { minor, headers }: {
    readonly minor: number;
    readonly headers: readonly Header[];
  },
): boolean {
  return minor === 1 && !wordsOf(headers, "connection").includes("close");
}
