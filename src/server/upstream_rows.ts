/** Declared MCP servers as answers show them: a stranger's words, bounded. */

import type { ServerState, UpstreamTool } from "../upstream/types.ts";
import { boundedText, structuredLength } from "./fit.ts";
import type { ServerRow, ToolRow } from "./schemas/outputs.ts";

const MAX_NAME = 200;
const MAX_WORDS = 600;
const MAX_ARGS = 50;
const MAX_DESCRIPTION = 1024;
/** Encoded characters of a schema that is shown. */
const MAX_SCHEMA = 6000;

/** A server: what would start, with names of variables and never values. */
export function serverRow(
  { declared, state, why, fence }: ServerState,
): ServerRow {
  const { name, transport, digest } = declared;
  return {
    server: boundedText(name, MAX_NAME),
    state,
    ...(why === undefined ? {} : { why: boundedText(why, MAX_WORDS) }),
    ...(fence === undefined ? {} : { fence: boundedText(fence, MAX_WORDS) }),
    transport: transport.kind,
    ...(transport.kind === "stdio"
      ? {
        command: boundedText(transport.command, MAX_WORDS),
        args: transport.args.slice(0, MAX_ARGS)
          .map((each) => boundedText(each, MAX_NAME)),
        env: Object.keys(transport.env).slice(0, MAX_ARGS)
          .map((each) => boundedText(each, MAX_NAME)),
      }
      : {
        url: boundedText(transport.url, MAX_WORDS),
        headers: Object.keys(transport.headers).slice(0, MAX_ARGS)
          .map((each) => boundedText(each, MAX_NAME)),
      }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** A tool with the schema of its arguments, where that is not too long. */
export function toolRow(
  { name, description, inputSchema, trusted }: UpstreamTool,
): ToolRow {
  const shown = structuredLength(inputSchema ?? {}) <= MAX_SCHEMA;
  return {
    tool: boundedText(name, MAX_NAME),
    ...(description === undefined
      ? {}
      : { description: boundedText(description, MAX_DESCRIPTION) }),
    ...(shown
      ? { inputSchema: JSON.stringify(inputSchema ?? {}) }
      : { hint: "The schema of its arguments is too long to be shown." }),
    trusted,
  };
}
