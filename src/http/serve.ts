/** The HTTP entry: puts the parts together, listens, and ends in good order. */

import { ok, type Result } from "../base/refusal.ts";
import type { Config, HttpConfig } from "../config/types.ts";
import { createEngine, type FullEngine } from "../server/engine.ts";
import { internalRefusal } from "../server/errors.ts";
import { buildServer } from "../server/factory.ts";
import { type Logger, stderrLogger } from "../server/log.ts";
import type { Session } from "../server/session.ts";
import { reportStart } from "../server/start_report.ts";
import { surviveBugs } from "../server/survive_bugs.ts";
import { HTTP_BOUNDS, type HttpBounds } from "./bounds.ts";
import { consoleToLog } from "./console_log.ts";
import { drain } from "./drain.ts";
import { Endpoint } from "./endpoint.ts";
import { Limiter } from "./limiter.ts";
import { listen } from "./listen.ts";
import { Mcp } from "./mcp.ts";
import { ownNames } from "./names.ts";
import { type PreviewsFor, previewsFor } from "./previews.ts";
import {
  generatedToken,
  ownersToken,
  type Token,
  tokenDigest,
} from "./token.ts";

/** What the server is started with. */
export interface HttpServeOptions {
  readonly config: Config;
  readonly http: HttpConfig;
  readonly version: string;
  /** Says something to the owner, on stderr. */
  readonly tell: (text: string) => void;
  readonly bounds?: HttpBounds;
}

/**
 * Serves until a signal comes; what is under way is then answered within a
 * bound. Resolves with the exit code: 0, or 2 when it could not start.
 */
export async function serveHttp(options: HttpServeOptions): Promise<number> {
  const { http, tell, bounds = HTTP_BOUNDS } = options;
  const config = offered(options.config, http);
  const log = stderrLogger(config.log);
  surviveBugs(log);
  consoleToLog(log);
  const engine = createEngine(config);
  const token = await tokenFor(http, engine);
  if (!token.ok) return cannotStart(engine, tell, token);
  const previews = await previewsFor(http);
  if (!previews.ok) return cannotStart(engine, tell, previews);

  const now = () => performance.now();
  let ready = false;
  const mcp = new Mcp({
    ...serverBuilders({
      config,
      version: options.version,
      log,
      engine,
      previews: previews.value,
    }),
    ...bounds,
    maxBodyBytes: bounds.body.bytes,
    now,
    log,
  });
  let endpoint: Endpoint | undefined;
  const listening = await listen(http.listen, (port) => {
    endpoint = new Endpoint({
      rules: {
        names: ownNames(http.listen, http.hosts, port),
        token: token.value && tokenDigest(token.value.text),
        tokenlessCaller: http.listen.kind,
      },
      limiter: new Limiter(bounds.caller, now),
      strangers: new Limiter(bounds.strangers, now),
      body: bounds.body,
      reader: bounds.reader,
      mcp,
      isReady: () => ready,
      metrics: () => "",
      log,
    });
    return (request) => endpoint!.handle(request);
  });
  if (!listening.ok) return cannotStart(engine, tell, listening);
  tell(`listening on ${listening.value.address}, MCP at /mcp`);
  if (token.value !== undefined) {
    tell(`callers show the token that is in ${token.value.file}`);
  }

  engine.live.start();
  startUp(engine, log).then(() => ready = true)
    .catch((error) => internalRefusal(error, log));
  const sweeping = setInterval(() => mcp.sessions.sweep(), 1000);
  const code = await drain({
    listening: listening.value,
    endpoint: endpoint!,
    mcp,
    engine,
    drainMs: bounds.drainMs,
  });
  clearInterval(sweeping);
  return code;
}

/** Runs are offered over HTTP only where the owner said so. */
function offered(config: Config, http: HttpConfig): Config {
  return { ...config, runTools: config.runTools && http.allowRun };
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

interface Parts {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly engine: FullEngine;
  readonly previews: PreviewsFor;
}

/** A 2025 session has its own previews; a 2026 caller has one memory. */
function serverBuilders({ engine, previews, ...parts }: Parts) {
  const callers = new Map<string, Session>();
  const build = (session: Session) =>
    buildServer({ ...parts, session, engine: () => Promise.resolve(engine) });
  return {
    forCaller: (caller: string) => {
      const session = callers.get(caller) ?? { previews: previews(caller) };
      callers.set(caller, session);
      return build(session);
    },
    forSession: (caller: string) => build({ previews: previews(caller) }),
  };
}

async function startUp(engine: FullEngine, log: Logger): Promise<void> {
  await engine.runner.sweep();
  reportStart(engine, await engine.catalog.snapshot(), log);
}

function cannotStart(
  engine: FullEngine,
  tell: (text: string) => void,
  { message, hint }: { readonly message: string; readonly hint: string },
): number {
  engine.runner.closeSync();
  tell(`${message}. ${hint}`);
  return 2;
}
