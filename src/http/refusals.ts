/** The one place that turns an HTTP-level "no" into a response. */

/** Why a request goes no further, before any MCP message was looked at. */
export interface HttpRefusal {
  readonly ok: false;
  readonly status: number;
  /** Fixed words: nothing of the request stands in it. */
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON-RPC's. */
  readonly code: number;
}

/** JSON-RPC's code for a text that is not JSON. */
export const PARSE_ERROR = -32700;
/** What clients know as a session that is gone. */
export const SESSION_LOST = -32001;
/** First of the codes that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/** Builds a refusal. */
export function refuseHttp(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = SERVER_ERROR,
): HttpRefusal {
  return { ok: false, status, message, headers, code };
}

/** The response: a JSON-RPC error that belongs to no request. */
export function refusalResponse(refusal: HttpRefusal): Response {
  const { status, message, headers, code } = refusal;
  return Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, headers: { ...headers, "Cache-Control": "no-store" } },
  );
}
