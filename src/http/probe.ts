/** What probes are answered with, and what else is only read. */

import { type HttpRefusal, refuseHttp } from "./refusals.ts";

/** Says that it is up, or ready, and nothing else: whoever asks. */
export function probe(request: Request, good: boolean): Response | HttpRefusal {
  if (!isRead(request)) return wrongMethod("GET, HEAD");
  return new Response(good ? "ok\n" : "not ready\n", {
    status: good ? 200 : 503,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
}

/** Whether a request asks for a page and no more. */
export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** 405, with the methods that are allowed. */
export function wrongMethod(allow: string): HttpRefusal {
  return refuseHttp(405, "Method not allowed", { Allow: allow });
}
