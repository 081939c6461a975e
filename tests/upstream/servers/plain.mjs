// deno-lint-ignore-file explicit-module-boundary-types
// The least an MCP server over stdio can be, without any package. Servers of
// the tests are made from it; each stands in a skill of its own.
import process from "node:process";

export const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

export const text = (words) => ({ content: [{ type: "text", text: words }] });

const handlers = new Map();
export const onAnswer = (id, heard) => handlers.set(id, heard);

/** Serves `tools` ({ name: (args, request) => result | undefined }). */
export function serve(tools, { list, cancelled } = {}) {
  const listed = list ?? (() =>
    Object.keys(tools).map((name) => ({
      name,
      description: `does ${name}`,
      inputSchema: { type: "object" },
    })));
  const answer = async (message) => {
    const { id, method, params } = message;
    if (method === undefined) return handlers.get(id)?.(message);
    switch (method) {
      case "initialize":
        return say({
          id,
          result: {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: "test", version: "1" },
          },
        });
      case "tools/list":
        return say({ id, result: { tools: listed() } });
      case "tools/call": {
        const tool = tools[params.name];
        if (tool === undefined) {
          return say({ id, error: { code: -32602, message: "no such tool" } });
        }
        const result = await tool(params.arguments ?? {}, message);
        return result === undefined ? undefined : say({ id, result });
      }
      case "notifications/cancelled":
        return cancelled?.(params.requestId);
    }
  };
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    rest += chunk;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
      const line = rest.slice(0, at);
      rest = rest.slice(at + 1);
      if (line.trim() !== "") void answer(JSON.parse(line));
    }
  });
}
