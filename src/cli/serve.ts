/** `skillfence serve`: MCP on standard input and output. */

import type { Flags } from "../config/read_config.ts";
import { serveStdio } from "../server/stdio.ts";
import type { CliHost } from "./host.ts";
import { startConfig } from "./start.ts";

/** Serves until the client goes away. Returns 2 when it could not start. */
export async function serve(host: CliHost, flags: Flags): Promise<number> {
  const config = startConfig(host, flags);
  if (config === undefined) return 2;
  if (host.screen.inIsTerminal) {
    const { greet } = await import("./greet.ts");
    greet(host, config);
  }
  return await serveStdio({ config, version: host.version });
}
