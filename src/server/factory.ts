/**
 * The MCP server of one connection, the same for both protocol lines. Tools are
 * listed and called by handlers of our own: the SDK's registry would validate
 * arguments first and answer with text alone, and would announce changes of a
 * tool list that never changes.
 */

import {
  type CacheHint,
  McpServer,
  type McpServerOptions,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool as SdkTool,
} from "@modelcontextprotocol/server";
import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import type { Config } from "../config/types.ts";
import type { CallContext } from "./call_tool.ts";
import type { Engine } from "./engine_types.ts";
import { formsOf } from "./forms.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import type { Logger } from "./log.ts";
import { Progress } from "./progress.ts";
import { serveResources } from "./resources/serve_resources.ts";
import { servePrompts } from "./prompts/serve_prompts.ts";
import type { Session } from "./session.ts";

/** Longer than a client's process lives: it keeps things until told otherwise. */
const DAY_MS = 86_400_000;

/** What a server is built from. */
export interface ServerParts {
  readonly config: Config;
  readonly version: string;
  readonly session: Session;
  readonly log: Logger;
  /** Called by the first tool call at the latest; once is enough for all. */
  readonly engine: () => Promise<Engine>;
  /** How this machine's directories are shown; undefined: as they are. */
  readonly show?: CallContext["show"];
  /** Hears of every answered tool call. */
  readonly meter?: CallContext["meter"];
}

/** Builds the server. Free of side effects: a probe may throw it away. */
export function buildServer(parts: ServerParts): McpServer {
  const cacheHint: CacheHint = {
    // Changes are announced on a pipe; over HTTP nobody may be listening.
    ttlMs: parts.config.http === undefined ? DAY_MS : 0,
    cacheScope: "private",
  };
  const mcp = new McpServer(
    { name: "skillfence", title: "skillfence", version: parts.version },
    { instructions: INSTRUCTIONS, cacheHints: cacheHints(cacheHint) },
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
      forms: formsOf(ctx, mcp.server.getClientCapabilities()),
      signal: ctx.mcpReq.signal,
    });
  });
  serveResources(mcp, {
    engine: parts.engine,
    log: parts.log,
    subscriptions: parts.session.subscriptions,
    cacheHint,
  });
  servePrompts(mcp, parts);
  return mcp;
}

/** The same for everything that may be kept at all. */
function cacheHints(hint: CacheHint): McpServerOptions["cacheHints"] {
  return {
    "tools/list": hint,
    "prompts/list": hint,
    "resources/list": hint,
    "resources/templates/list": hint,
    "resources/read": hint,
    "server/discover": hint,
  };
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
