/**
 * The stdio entry: answers first, loads the rest afterwards, and leaves nothing
 * behind at the end.
 */

import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import type { Config } from "../config/types.ts";
import { ClientName } from "./client_name.ts";
import { ClientRoots } from "./client_roots.ts";
import type { Engine } from "./engine_types.ts";
import { internalRefusal } from "./errors.ts";
import { buildServer } from "./factory.ts";
import { type Logger, stderrLogger } from "./log.ts";
import { createSession } from "./session.ts";
import { StdioConnection } from "./stdio_connection.ts";
import { reportStart } from "./start_report.ts";
import { type StdioStreams, StdioTransport } from "./stdio_transport.ts";
import { surviveBugs } from "./survive_bugs.ts";

/** What the server is started with. */
export interface ServeOptions {
  readonly config: Config;
  readonly version: string;
  /** Makes the engine; called once. Default: `createEngine` of the product. */
  readonly loadEngine?: (config: Config) => Promise<Engine>;
}

/**
 * Serves until the input ends or a signal comes; runs are then killed and
 * scratch directories gone. Resolves with the exit code, always 0.
 */
export async function serveStdio(options: ServeOptions): Promise<number> {
  const log = stderrLogger(options.config.log);
  const session = createSession();
  const client = new ClientName();
  // What the owner names stands, and nobody else is asked.
  const roots: ClientRoots | undefined = options.config.workspaces.length > 0
    ? undefined
    : new ClientRoots(() => engine.workspacesMoved());
  const connection = new StdioConnection(session, log, roots);
  const engine = new LazyEngine({ ...options, client, roots }, log, connection);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  surviveBugs(log);
  onSignals(() => {
    engine.closeSync();
    engine.endRecordSync();
    Deno.exit(0);
  });

  const transport = new StdioTransport(processStreams(), {
    // The scan starts when the first answer is out, not before it.
    onSent: () => engine.startSoon(),
    onRequest: (request) => {
      client.hear(request);
      roots?.hear(request);
    },
    onEnd: () => engine.closeSync(),
    onClosed: () => end(0),
  });
  serveConnection(
    ({ era }) =>
      connection.opened(
        era,
        buildServer({
          config: options.config,
          version: options.version,
          session,
          log,
          engine: () => engine.get(),
        }),
      ),
    { transport, onerror: (error) => log.debug(error.message) },
  );
  const code = await ended;
  await engine.close();
  return code;
}

/** What the engine is made from. */
interface EngineOptions extends ServeOptions {
  readonly client: ClientName;
  readonly roots: ClientRoots | undefined;
}

/** The engine, made once and as late as it may be. */
class LazyEngine {
  readonly #options: EngineOptions;
  readonly #log: Logger;
  readonly #connection: StdioConnection;
  #made: Promise<Engine> | undefined;
  #ready: Engine | undefined;
  #closed = false;
  #begun = false;

  constructor(
    options: EngineOptions,
    log: Logger,
    connection: StdioConnection,
  ) {
    this.#options = options;
    this.#log = log;
    this.#connection = connection;
  }

  get(): Promise<Engine> {
    return this.#made ??= this.#make();
  }

  /** Makes it and starts the scan, after what is already waiting. */
  startSoon(): void {
    if (this.#begun || this.#closed) return;
    this.#begun = true;
    setTimeout(() => {
      this.#scan().catch((error) => internalRefusal(error, this.#log));
    }, 0);
  }

  /** Looks again, where the client works now. */
  workspacesMoved(): void {
    this.#ready?.live.reload()
      .catch((error) => internalRefusal(error, this.#log));
  }

  async #scan(): Promise<void> {
    const engine = await this.get();
    reportStart(engine, await engine.catalog.snapshot(), this.#log);
  }

  /** Kills runs and removes scratch directories, now. */
  closeSync(): void {
    this.#closed = true;
    this.#ready?.runner.closeSync();
  }

  /** Writes down what cannot be waited for. */
  endRecordSync(): void {
    this.#ready?.record.endSync();
  }

  /** Waits for what is still being written down. */
  async close(): Promise<void> {
    await this.#ready?.record.close();
  }

  async #make(): Promise<Engine> {
    const load = this.#options.loadEngine ?? (async (config: Config) => {
      const { createEngine } = await import("./engine.ts");
      const { client, roots } = this.#options;
      return createEngine(config, {
        client: () => client.get(),
        version: this.#options.version,
        workspaces: roots && (() => roots.current()),
      });
    });
    const engine = await load(this.#options.config);
    this.#ready = engine;
    engine.live.onChange((_, announcement) =>
      this.#connection.tell(announcement)
    );
    if (this.#closed) {
      engine.runner.closeSync();
      return engine;
    }
    // Watched before it is first looked at, so that no edit falls in between.
    engine.live.start();
    await engine.runner.sweep();
    return engine;
  }
}

function processStreams(): StdioStreams {
  return {
    input: Deno.stdin.readable,
    write: async (bytes) => {
      // One write may take less than it was given.
      for (let at = 0; at < bytes.length;) {
        at += await Deno.stdout.write(bytes.subarray(at));
      }
    },
  };
}

function onSignals(handler: () => void): void {
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) Deno.addSignalListener(signal, handler);
}
