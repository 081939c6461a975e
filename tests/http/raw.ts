/** HTTP as bytes on a connection, for what no client would send. */

/** What came back. */
export interface RawAnswer {
  /** Undefined when the connection ended without an answer. */
  readonly status: number | undefined;
  readonly head: string;
  readonly text: string;
}

/**
 * Sends `bytes` and reads until the answer's head is there, the connection ends
 * or `ms` are over.
 */
export async function raw(
  port: number,
  bytes: string | readonly string[],
  ms = 15_000,
): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const encoder = new TextEncoder();
  const parts = typeof bytes === "string" ? [bytes] : bytes;
  for (const part of parts) {
    await connection.write(encoder.encode(part)).catch(() => {});
  }
  return await readAnswer(connection, ms);
}

/** Reads what a connection has to say. */
export async function readAnswer(
  connection: Deno.Conn,
  ms = 15_000,
): Promise<RawAnswer> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) =>
    timer = setTimeout(() => resolve(null), ms)
  );
  try {
    while (!text.includes("\r\n\r\n")) {
      const read = await Promise.race([
        connection.read(buffer).catch(() => null),
        late,
      ]);
      if (read === null) break;
      text += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  return {
    status: status === undefined ? undefined : Number(status),
    head,
    text: rest.join("\r\n\r\n"),
  };
}

/** A `tools/list` of a 2025 client, without a session. */
export const LIST = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
});

/** An `initialize` of a 2025 client. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
});

/** A `tools/list` or `tools/call` of a 2026 client. */
export function modernBody(
  method: string,
  params: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
}

/** The headers that such a request carries. */
export function modernHeaders(
  method: string,
  name?: string,
): Record<string, string> {
  return {
    ...JSON_HEADERS,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  };
}

/** What every POST to `/mcp` says of itself. */
export const JSON_HEADERS: Record<string, string> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
