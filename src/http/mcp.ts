/** `/mcp`: both protocol lines behind one address. */

import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
} from "@modelcontextprotocol/server";
import {
  type Announcement,
  connectionNotifier,
  send,
} from "../server/announce.ts";
import type { Logger } from "../server/log.ts";
import {
  type Served,
  type SessionBounds,
  Sessions,
  type SessionServer,
} from "./sessions.ts";

/** What both lines are made of. */
export interface McpOptions {
  /** Builds the server of a 2026 request, by its caller. */
  readonly forCaller: (caller: string) => McpServer;
  /** Builds the server of a 2025 session. */
  readonly forSession: (caller: string) => SessionServer;
  readonly sessions: SessionBounds;
  readonly maxSubscriptions: number;
  readonly maxBodyBytes: number;
  readonly keepAliveMs: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** Serves requests whose head was let in and whose body was read. */
export class Mcp {
  readonly sessions: Sessions;
  readonly #modern: McpHttpHandler;
  readonly #maxBodyBytes: number;
  readonly #log: Logger;
  #subscriptions = 0;

  constructor(options: McpOptions) {
    const { maxSubscriptions, maxBodyBytes, keepAliveMs, log } = options;
    this.#maxBodyBytes = maxBodyBytes;
    this.#log = log;
    this.sessions = new Sessions({
      ...options,
      bounds: options.sessions,
      build: options.forSession,
    });
    this.#modern = createMcpHandler(
      ({ authInfo }) => options.forCaller(authInfo?.clientId ?? ""),
      {
        legacy: "reject",
        maxSubscriptions,
        maxRequestBodySize: maxBodyBytes,
        keepAliveMs,
        onerror: (error) => log.debug(error.message),
      },
    );
  }

  /** Tells every subscription and every session. Never rejects. */
  async announce(announcement: Announcement): Promise<void> {
    await send(announcement, this.#modern.notify, isShared);
    for (const { server, wants } of this.sessions.servers()) {
      await send(
        announcement,
        connectionNotifier(server),
        (uri) => isShared(uri) && wants(uri),
      ).catch((error: unknown) => this.#log.debug(String(error)));
    }
  }

  /** Streams of `subscriptions/listen` that are open. */
  get subscriptions(): number {
    return this.#subscriptions;
  }

  /** Answers a request; `body` is its parsed body. */
  async serve(
    request: Request,
    caller: string,
    body: unknown,
  ): Promise<Served> {
    const bounds = { maxRequestBodySize: this.#maxBodyBytes };
    if (await isLegacyRequest(request, body, bounds)) {
      return await this.sessions.serve(request, caller, body);
    }
    const response = await this.#modern.fetch(request, {
      parsedBody: body,
      // The token itself stays outside.
      authInfo: { token: "", clientId: caller, scopes: [] },
    });
    if (!isListening(body) || response.body === null) {
      return { response, ended: () => {} };
    }
    this.#subscriptions += 1;
    return { response, ended: () => this.#subscriptions -= 1 };
  }

  /** Ends everything that is open. */
  async close(): Promise<void> {
    this.sessions.close();
    await this.#modern.close();
  }
}

/** Whether a request opens a stream that has no end of its own. */
export function isListening(body: unknown): boolean {
  return (body as { method?: unknown } | null | undefined)?.method ===
    "subscriptions/listen";
}

/** Addresses of files are this machine's own: there are none over HTTP. */
function isShared(uri: string): boolean {
  return !uri.startsWith("file:");
}
