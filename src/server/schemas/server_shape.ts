/** A declared MCP server, as every answer shows it. */

import * as z from "zod";

/** What would start or be reached, and whether it may. */
export const ServerShape = z.object({
  server: z.string(),
  state: z.enum(["not-granted", "suspended", "unavailable", "ready"]).describe(
    "Only a ready one can be called.",
  ),
  why: z.string().optional().describe("Why it is not ready."),
  fence: z.string().optional().describe("What holds it."),
  transport: z.enum(["stdio", "http"]),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.array(z.string()).optional().describe("Names of variables."),
  url: z.string().optional(),
  headers: z.array(z.string()).optional().describe("Names."),
  digest: z.string().optional().describe(
    "Of what is declared and of the skill's files.",
  ),
});
