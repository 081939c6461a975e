/** `skillfence serve`: MCP on standard input and output, or over HTTP. */

import { visible } from "../base/text.ts";
import type { Flags } from "../config/read_config.ts";
import { serveStdio } from "../server/stdio.ts";
import type { CliHost } from "./host.ts";
import { startConfig } from "./start.ts";

/**
 * Serves until the client goes away, over HTTP until a signal comes. Returns 2
 * when it could not start.
 */
export async function serve(host: CliHost, flags: Flags): Promise<number> {
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  if (config.http !== undefined) {
    // Loaded when it is used: on stdio the first answer waits for nothing.
    const { serveHttp } = await import("../http/serve.ts");
    return await serveHttp({
      config,
      http: config.http,
      version: host.version,
      tell: (text) => host.screen.err(`skillfence: ${visible(text, 800)}\n`),
    });
  }
  if (host.screen.inIsTerminal) {
    const { greet } = await import("./greet.ts");
    greet(host, config);
  }
  return await serveStdio({ config, version: host.version });
}
