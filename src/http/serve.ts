/** The HTTP entry: listens, serves, and ends in good order. */

import { errorName } from "../base/error_name.ts";
import { ok, type Result } from "../base/refusal.ts";
import type { Config, HttpConfig } from "../config/types.ts";
import { createEngine, type FullEngine } from "../server/engine.ts";
import { stderrLogger } from "../server/log.ts";
import { surviveBugs } from "../server/survive_bugs.ts";
import { HTTP_BOUNDS } from "./bounds.ts";
import { HttpApp } from "./compose.ts";
import { consoleToLog } from "./console_log.ts";
import { drain } from "./drain.ts";
import { listen } from "./listen.ts";
import { previewsFor } from "./previews.ts";
import { generatedToken, ownersToken, type Token } from "./token.ts";

/** What the server is started with. */
export interface HttpServeOptions {
  readonly config: Config;
  readonly http: HttpConfig;
  readonly version: string;
  /** Says something to the owner, on stderr. */
  readonly tell: (text: string) => void;
}

/** Between two looks for sessions that nobody uses, in milliseconds. */
const SWEEP_MS = 1000;

/**
 * Serves until a signal comes; what is under way is then answered within a
 * bound. Resolves with the exit code: 0, or 2 when it could not start.
 */
export async function serveHttp(options: HttpServeOptions): Promise<number> {
  const { http, tell, version } = options;
  // Runs are offered over HTTP only where the owner said so.
  const config = {
    ...options.config,
    runTools: options.config.runTools && http.allowRun,
  };
  const log = stderrLogger(config.log);
  surviveBugs(log);
  consoleToLog(log);
  const engine = createEngine(config, { version });
  const cannotStart = (
    { message, hint }: { readonly message: string; readonly hint: string },
  ) => {
    engine.runner.closeSync();
    tell(`${message}. ${hint}`);
    return 2;
  };

  const token = await tokenFor(http, engine);
  if (!token.ok) return cannotStart(token);
  const previews = await previewsFor(http);
  if (!previews.ok) return cannotStart(previews);
  const app = new HttpApp({
    config,
    http,
    version,
    engine,
    bounds: HTTP_BOUNDS,
    token: token.value,
    previews: previews.value,
    log,
  });
  const listening = await listen(http.listen, {
    handlerFor: (port) => {
      const endpoint = app.endpoint(port);
      return (request) => endpoint.handle(request);
    },
    onLost: (error) =>
      log.error(`connections could not be accepted (${errorName(error)})`),
  });
  if (!listening.ok) return cannotStart(listening);
  tell(`listening on ${listening.value.address}, MCP at /mcp`);
  if (token.value !== undefined) {
    tell(`callers show the token that is in ${token.value.file}`);
  }

  app.start();
  const sweeping = setInterval(() => app.mcp.sessions.sweep(), SWEEP_MS);
  await drain({
    listening: listening.value,
    endpoint: app.endpoint(),
    mcp: app.mcp,
    engine,
    drainMs: HTTP_BOUNDS.drainMs,
  });
  clearInterval(sweeping);
  return 0;
}

async function tokenFor(
  http: HttpConfig,
  engine: FullEngine,
): Promise<Result<Token | undefined>> {
  if (http.listen.kind === "unix" || http.tokenless) return ok(undefined);
  if (http.tokenFile !== undefined) return await ownersToken(http.tokenFile);
  const place = await engine.cache.get();
  return place.ok ? await generatedToken(place.value.path) : place;
}
