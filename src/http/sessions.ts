/**
 * Sessions of 2025 clients: one server each, as many as are allowed, ended when
 * nobody uses them, and usable by nobody but the caller that opened them.
 */

import {
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Logger } from "../server/log.ts";
import { refusalResponse, refuseHttp, SESSION_LOST } from "./refusals.ts";

/** Bounds on all sessions together. */
export interface SessionBounds {
  readonly count: number;
  /** Milliseconds without a request or an open stream. */
  readonly idleMs: number;
  /** A session idle for less is never ended to make room for another. */
  readonly evictMs: number;
}

/** What sessions are made of. */
export interface SessionsOptions {
  readonly bounds: SessionBounds;
  /** Builds the server of one session, for its caller. */
  readonly build: (caller: string) => SessionServer;
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  readonly log: Logger;
}

/** What serves one session. */
export interface SessionServer {
  readonly server: McpServer;
  /** Whether its client wants to hear of updates of an address. */
  readonly wants: (uri: string) => boolean;
}

/** A response, and what must be called when its body has ended. */
export interface Served {
  readonly response: Response;
  ended(): void;
}

interface Session extends SessionServer {
  readonly caller: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Responses whose body has not ended. */
  open: number;
  usedAt: number;
}

const HEADER = "mcp-session-id";

/** The sessions of one server. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** How many there are. */
  get size(): number {
    return this.#open.size;
  }

  /** What serves each session, for what is announced to all. */
  servers(): readonly SessionServer[] {
    return [...this.#open.values()];
  }

  /** Answers one request of a 2025 client; `body` is its parsed body. */
  async serve(
    request: Request,
    caller: string,
    body: unknown,
  ): Promise<Served> {
    const id = request.headers.get(HEADER);
    if (id === null) {
      return request.method === "POST" && isInitializeRequest(body)
        ? await this.#initialize(request, caller, body)
        : unserved(refusalResponse(refuseHttp(
          400,
          "Mcp-Session-Id header is required",
        )));
    }
    const session = this.#open.get(id);
    // Another's session and no session look the same.
    if (session?.caller !== caller) return unserved(lost());
    return await this.#visit(session, request, body);
  }

  /** Ends sessions that were idle for too long. */
  sweep(): void {
    const { bounds: { idleMs }, now } = this.#options;
    for (const [id, session] of this.#open) {
      if (session.open === 0 && now() - session.usedAt > idleMs) this.#end(id);
    }
  }

  /** Closes the streams that wait for news; calls are answered on. */
  closeStreams(): void {
    for (const { transport } of this.#open.values()) {
      transport.closeStandaloneSSEStream();
    }
  }

  /** Ends all. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#end(id);
  }

  async #initialize(
    request: Request,
    caller: string,
    body: unknown,
  ): Promise<Served> {
    if (!this.#makeRoom()) {
      return unserved(refusalResponse(
        refuseHttp(503, "Too many sessions", { "Retry-After": "60" }),
      ));
    }
    const { build, maxBodyBytes, keepAliveMs, now, log } = this.#options;
    const { server, wants } = build(caller);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        this.#open.set(id, session);
      },
      onsessionclosed: (id) => {
        this.#open.delete(id);
      },
      maxRequestBodySize: maxBodyBytes,
      keepAliveMs,
    });
    transport.onerror = (error) => log.debug(error.message);
    const session = {
      caller,
      server,
      wants,
      transport,
      open: 0,
      usedAt: now(),
    };
    await server.connect(transport);
    const served = await this.#visit(session, request, body);
    if (transport.sessionId === undefined) await server.close();
    return served;
  }

  async #visit(
    session: Session,
    request: Request,
    body: unknown,
  ): Promise<Served> {
    const { now } = this.#options;
    session.open += 1;
    session.usedAt = now();
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      session.open -= 1;
      session.usedAt = now();
    };
    try {
      const response = await session.transport.handleRequest(request, {
        parsedBody: body,
      });
      return { response, ended: end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Whether there is room for one more; the longest idle one makes it. */
  #makeRoom(): boolean {
    const { bounds: { count, evictMs }, now } = this.#options;
    if (this.#open.size < count) return true;
    let oldest: [string, Session] | undefined;
    for (const each of this.#open) {
      const [, { open, usedAt }] = each;
      if (open === 0 && usedAt < (oldest?.[1].usedAt ?? Infinity)) {
        oldest = each;
      }
    }
    if (oldest === undefined || now() - oldest[1].usedAt < evictMs) {
      return false;
    }
    this.#end(oldest[0]);
    return true;
  }

  #end(id: string): void {
    const session = this.#open.get(id);
    this.#open.delete(id);
    session?.server.close().catch((error: unknown) =>
      this.#options.log.debug(String(error))
    );
  }
}

function unserved(response: Response): Served {
  return { response, ended: () => {} };
}

function lost(): Response {
  return refusalResponse(
    refuseHttp(404, "Session not found", {}, SESSION_LOST),
  );
}
