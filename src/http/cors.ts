/** What a browser is told about pages of this server's own origins. */

const HEADERS = [
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
].join(", ");
const EXPOSED = "Mcp-Session-Id, Retry-After, WWW-Authenticate";
const MAX_AGE_SECONDS = "600";

/**
 * The answer to `OPTIONS` from an origin that was let in. A preflight carries no
 * token; it learns what may be asked, and nothing is done.
 */
export function preflight(request: Request, methods: string): Response {
  const response = new Response(null, {
    status: 204,
    headers: { Allow: methods },
  });
  if (request.headers.get("origin") === null) return response;
  const { headers } = response;
  headers.set("Access-Control-Allow-Methods", methods);
  headers.set("Access-Control-Allow-Headers", HEADERS);
  headers.set("Access-Control-Max-Age", MAX_AGE_SECONDS);
  return allowOrigin(request, response);
}

/** Lets a page of the origin that was let in read the response. */
export function allowOrigin(request: Request, response: Response): Response {
  const origin = request.headers.get("origin");
  if (origin === null) return response;
  response.headers.set("Access-Control-Allow-Origin", origin);
  response.headers.set("Access-Control-Expose-Headers", EXPOSED);
  response.headers.append("Vary", "Origin");
  return response;
}
