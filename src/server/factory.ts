/**
 * The MCP server of one connection, the same for both protocol lines. Tools are
 * listed and called by handlers of our own: the SDK's registry would validate
 * arguments first and answer with text alone, and would announce changes of a
 * tool list that never changes.
 */

import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool as SdkTool,
} from "@modelcontextprotocol/server";
import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import type { Config } from "../config/types.ts";
import type { Engine } from "./engine_types.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import type { Logger } from "./log.ts";
import { Progress } from "./progress.ts";
import { servePrompts } from "./prompts/serve_prompts.ts";
import type { Session } from "./session.ts";

/** What a server is built from. */
export interface ServerParts {
  readonly config: Config;
  readonly version: string;
  readonly session: Session;
  readonly log: Logger;
  /** Called by the first tool call at the latest; once is enough for all. */
  readonly engine: () => Promise<Engine>;
}

/** Builds the server. Free of side effects: a probe may throw it away. */
export function buildServer(parts: ServerParts): McpServer {
  const mcp = new McpServer(
    { name: "skillfence", title: "skillfence", version: parts.version },
    { instructions: INSTRUCTIONS },
  );
  mcp.server.registerCapabilities({ tools: {} });
  mcp.server.setRequestHandler("tools/list", async () => {
    const { offeredTools, publishTool } = await import("./tool_table.ts");
    const tools = offeredTools(parts.config)
      .map((tool) => publishTool(tool, parts.config));
    // Plain JSON, which the SDK's recursive JSON type does not see in ours.
    return { tools: tools as unknown as SdkTool[] };
  });
  mcp.server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { TOOLS } = await import("./tool_table.ts");
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        unknownTool(params.name, TOOLS.map(({ name }) => name)),
      );
    }
    const { callTool } = await import("./call_tool.ts");
    return await callTool(tool, params.arguments, {
      ...parts,
      progress: progressOf(ctx),
      signal: ctx.mcpReq.signal,
    });
  });
  servePrompts(mcp, parts.engine);
  return mcp;
}

function unknownTool(name: string, names: readonly string[]): string {
  return `Unknown tool "${visible(name, 80)}"; the nearest is ${
    nearest(name, names, 1)[0] ?? names[0]
  }`;
}

/** Reports to the client, when the request carries a token to report under. */
function progressOf({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return new Progress(undefined);
  return new Progress((progress, message) =>
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, message },
    })
  );
}
