/** The one client of a stdio server, and how it hears of changes. */

import type { McpServer } from "@modelcontextprotocol/server";
import { type Announcement, connectionNotifier, send } from "./announce.ts";
import type { ClientRoots } from "./client_roots.ts";
import type { Logger } from "./log.ts";
import type { Session } from "./session.ts";

/** The server that talks to the client now. */
export class StdioConnection {
  readonly #session: Pick<Session, "subscriptions">;
  readonly #log: Logger;
  readonly #roots: ClientRoots | undefined;
  #current: { readonly era: string; readonly server: McpServer } | undefined;
  #sending: Promise<void> = Promise.resolve();

  /** `roots`: where the client's own roots are wanted. */
  constructor(
    session: Pick<Session, "subscriptions">,
    log: Logger,
    roots?: ClientRoots,
  ) {
    this.#session = session;
    this.#log = log;
    this.#roots = roots;
  }

  /** Notes the newest server: one that only answered a probe is thrown away. */
  opened(era: string, server: McpServer): McpServer {
    this.#current = { era, server };
    if (era === "legacy") this.#askForRoots(server);
    return server;
  }

  #askForRoots({ server }: McpServer): void {
    const roots = this.#roots;
    if (roots === undefined) return;
    const ask = () => {
      if (server.getClientCapabilities()?.roots === undefined) return;
      void roots.ask(() => server.listRoots());
    };
    server.oninitialized = ask;
    server.setNotificationHandler("notifications/roots/list_changed", ask);
  }

  /**
   * Tells the client. On 2026-07-28 the SDK hands each message to the streams
   * that asked for it and to no other; before, only updates of single resources
   * are asked for.
   */
  tell(announcement: Announcement): void {
    const current = this.#current;
    if (current === undefined) return;
    const wanted = current.era === "modern"
      ? () => true
      : (uri: string) => this.#session.subscriptions.has(uri);
    this.#sending = this.#sending.then(async () => {
      try {
        const to = connectionNotifier(current.server);
        await send(announcement, to, wanted);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        this.#log.debug(`a client was not told of changes: ${text}`);
      }
    });
  }
}
