/** The parts of an HTTP server, put together around one engine. */

import type { Config, HttpConfig } from "../config/types.ts";
import type { FullEngine } from "../server/engine.ts";
import { buildServer } from "../server/factory.ts";
import { internalRefusal } from "../server/errors.ts";
import type { Logger } from "../server/log.ts";
import type { Session } from "../server/session.ts";
import { readSize } from "../server/resources/read_size.ts";
import { SeenTexts } from "../server/seen_texts.ts";
import { Subscriptions } from "../server/resources/subscriptions.ts";
import { reportStart } from "../server/start_report.ts";
import { AnswerRoom } from "./answer_room.ts";
import type { HttpBounds } from "./bounds.ts";
import { Endpoint } from "./endpoint.ts";
import { Limiter } from "./limiter.ts";
import { Mcp } from "./mcp.ts";
import { Metrics } from "./metrics.ts";
import { ownNames } from "./names.ts";
import { showFor } from "./places.ts";
import type { PreviewsFor } from "./previews.ts";
import { type Token, tokenDigest } from "./token.ts";
import { weigh } from "./weigh.ts";

/** What a server is put together from. */
export interface HttpParts {
  readonly config: Config;
  readonly http: HttpConfig;
  readonly version: string;
  readonly engine: FullEngine;
  readonly bounds: HttpBounds;
  /** Undefined: none is demanded. */
  readonly token: Token | undefined;
  readonly previews: PreviewsFor;
  readonly log: Logger;
}

/** One server, before and while it listens. */
export class HttpApp {
  readonly mcp: Mcp;
  readonly #parts: HttpParts;
  readonly #metrics = new Metrics();
  readonly #start = performance.now();
  #endpoint: Endpoint | undefined;
  #ready = false;

  constructor(parts: HttpParts) {
    const { bounds, log } = parts;
    this.#parts = parts;
    this.mcp = new Mcp({
      ...this.#builders(),
      ...bounds,
      maxBodyBytes: bounds.body.bytes,
      now: () => performance.now(),
      log,
    });
  }

  /** What answers requests, once the port is known; made once. */
  endpoint(port?: number): Endpoint {
    return this.#endpoint ??= this.#makeEndpoint(port);
  }

  /** Scans; from then on the server is ready. Never rejects. */
  async start(): Promise<void> {
    const { engine, log } = this.#parts;
    try {
      engine.live.onChange((_, announcement) => {
        this.mcp.announce(announcement);
      });
      engine.live.start();
      await engine.runner.sweep();
      reportStart(engine, await engine.catalog.snapshot(), log);
      this.#ready = true;
    } catch (error) {
      internalRefusal(error, log);
    }
  }

  /** A 2025 session has its own previews; a 2026 caller has one memory. */
  #builders() {
    const { config, version, log, engine, previews } = this.#parts;
    const callers = new Map<string, Session>();
    const build = (session: Session) =>
      buildServer({
        config,
        version,
        log,
        session,
        engine: () => Promise.resolve(engine),
        show: (_, snapshot) => showFor(engine, snapshot),
        meter: (call) => this.#metrics.call(call),
      });
    const fresh = (caller: string): Session => ({
      previews: previews(caller),
      subscriptions: new Subscriptions(),
      seen: new SeenTexts(),
    });
    return {
      forCaller: (caller: string) => {
        const session = callers.get(caller) ?? fresh(caller);
        callers.set(caller, session);
        return build(session);
      },
      forSession: (caller: string) => {
        const session = fresh(caller);
        return {
          server: build(session),
          wants: (uri: string) => session.subscriptions.has(uri),
        };
      },
    };
  }

  #makeEndpoint(port: number | undefined): Endpoint {
    const { http, bounds, token, log, engine } = this.#parts;
    const now = () => performance.now();
    return new Endpoint({
      rules: {
        names: ownNames(http.listen, http.hosts, port),
        token: token && tokenDigest(token.text),
        tokenlessCaller: http.listen.kind,
      },
      limiter: new Limiter(bounds.caller, now),
      strangers: new Limiter(bounds.strangers, now),
      body: bounds.body,
      reader: bounds.reader,
      answers: new AnswerRoom(bounds.answers),
      weigh: (body) => weigh(body, (uri) => readSize(engine, uri)),
      mcp: this.mcp,
      isReady: () => this.#ready,
      metrics: () => this.#metricsText(),
      turnedAway: (status) => this.#metrics.turnedAway(status),
      log,
    });
  }

  async #metricsText(): Promise<string> {
    const { engine, version } = this.#parts;
    return this.#metrics.text({
      version,
      ready: this.#ready,
      skills: this.#ready
        ? (await engine.catalog.snapshot()).skills.size
        : undefined,
      sessions: this.mcp.sessions.size,
      subscriptions: this.mcp.subscriptions,
      underWay: this.#endpoint?.underWay ?? 0,
      watch: engine.live.states(),
      rss: Deno.memoryUsage().rss,
      uptime: (performance.now() - this.#start) / 1000,
    });
  }
}
