/** The proxy of one run: the only way out of its sandbox. */

import { lchownSync } from "node:fs";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Account } from "../os/types.ts";
import { type Resolve, systemAddresses } from "./addresses.ts";
import { answer, MALFORMED } from "./answers.ts";
import { Dialer } from "./dialer.ts";
import { serveRequest } from "./exchange.ts";
import { MAX_HEAD, readRequestHead } from "./http_head.ts";
import { Routes, type UpstreamSettings } from "./route.ts";
import { RunState } from "./run_state.ts";
import { Secrets } from "./secrets.ts";
import { serveTunnel } from "./tunnel.ts";
import type { ProxyRecord, ProxyRules, RunProxy } from "./types.ts";
import type { Wire } from "./wire.ts";

/** What a proxy is started with. */
export interface ProxyOptions {
  /** Absolute path to make the socket at, in a directory that is private. */
  readonly socket: string;
  readonly rules: ProxyRules;
  /** The server's own proxy, from its environment. */
  readonly upstream: UpstreamSettings;
  /** Who may connect, where it is not the server's own account. */
  readonly owner?: Account;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Certificates (PEM) trusted beside the usual ones. */
  readonly caCerts?: readonly string[];
  /** For one connection to be made; milliseconds, default 10,000. */
  readonly connectMs?: number;
  /** Clients served at a time, default 64; others wait. */
  readonly clients?: number;
}

const CONNECT_MS = 10_000;
const MAX_CLIENTS = 64;
/** How long a client may say nothing while others wait. */
const IDLE_MS = 250;
/** After a failed accept, for example without free descriptors. */
const ACCEPT_PAUSE_MS = 100;

/**
 * Starts the proxy of one run. `CONFIG` for a secret that cannot be held and
 * for an upstream that cannot be used, `FENCE_UNAVAILABLE` without a socket.
 */
export function startProxy(options: ProxyOptions): Promise<Result<RunProxy>> {
  return Promise.resolve(start(options));
}

function start(options: ProxyOptions): Result<RunProxy> {
  const secrets = Secrets.of(options.rules.secrets);
  if (!secrets.ok) return secrets;
  const routes = Routes.of(options.upstream);
  if (!routes.ok) return routes;
  const listener = listen(options);
  if (!listener.ok) return listener;
  const over = new AbortController();
  const dialer = new Dialer({
    rules: options.rules,
    routes: routes.value,
    resolve: options.resolve ?? systemAddresses,
    caCerts: options.caCerts ?? [],
    connectMs: options.connectMs ?? CONNECT_MS,
    over: over.signal,
  });
  const run = new RunState({
    rules: options.rules,
    secrets: secrets.value,
    dialer,
    over: over.signal,
  });
  const clients = options.clients ?? MAX_CLIENTS;
  return ok(
    new Proxy({ listener: listener.value, run, over, clients }, options.socket),
  );
}

function listen(
  { socket, owner }: ProxyOptions,
): Result<Deno.Listener<Deno.UnixConn>> {
  try {
    const listener = Deno.listen({ transport: "unix", path: socket });
    try {
      Deno.chmodSync(socket, 0o600);
      if (owner !== undefined) lchownSync(socket, owner.uid, owner.gid);
      return ok(listener);
    } catch (error) {
      listener.close();
      throw error;
    }
  } catch (error) {
    return refuse(
      "FENCE_UNAVAILABLE",
      `the run's proxy cannot listen: ${
        visible(error instanceof Error ? error.message : String(error))
      }`,
      "The path of a socket holds at most 107 bytes: a shorter TMPDIR for the server may help.",
    );
  }
}

interface Parts {
  readonly listener: Deno.Listener<Deno.UnixConn>;
  readonly run: RunState;
  readonly over: AbortController;
  readonly clients: number;
}

class Proxy implements RunProxy {
  readonly #parts: Parts;
  readonly #socket: string;
  readonly #serving: Promise<void>;
  readonly #clients = new Set<Promise<void>>();
  /** Clients between two requests, since when, the longest idle first. */
  readonly #waiting = new Map<Wire, number>();
  #ending: Promise<ProxyRecord> | undefined;

  constructor(parts: Parts, socket: string) {
    this.#parts = parts;
    this.#socket = socket;
    this.#serving = this.#accept();
  }

  get placeholders(): ReadonlyMap<string, string> {
    return this.#parts.run.secrets.placeholders;
  }

  close(): Promise<ProxyRecord> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  closeSync(): void {
    const { over, listener } = this.#parts;
    if (over.signal.aborted) return;
    over.abort();
    listener.close();
    try {
      Deno.removeSync(this.#socket);
    } catch {
      // Whoever took the directory away took it along.
    }
  }

  async #end(): Promise<ProxyRecord> {
    this.closeSync();
    await this.#serving;
    await Promise.all(this.#clients);
    return this.#parts.run.contacts.record();
  }

  async #accept(): Promise<void> {
    const { listener, run, over, clients } = this.#parts;
    while (!over.signal.aborted) {
      let conn: Deno.Conn;
      try {
        conn = await listener.accept();
      } catch {
        await pause(ACCEPT_PAUSE_MS, over.signal);
        continue;
      }
      const wire = run.adopt(conn);
      while (this.#clients.size >= clients) {
        run.crowded = true;
        await this.#makeRoom();
      }
      run.crowded = false;
      const served = this.#serve(wire)
        .finally(() => this.#clients.delete(served));
      this.#clients.add(served);
    }
  }

  /** Waits for a client to end, and ends one that has nothing to say. */
  async #makeRoom(): Promise<void> {
    const [idle] = this.#waiting;
    if (idle !== undefined && performance.now() - idle[1] >= IDLE_MS) {
      idle[0].close();
    }
    const turn = pause(IDLE_MS, this.#parts.over.signal);
    await Promise.race([...this.#clients, turn]);
  }

  async #serve(client: Wire): Promise<void> {
    while (await this.#next(client));
    client.close();
  }

  async #next(client: Wire): Promise<boolean> {
    const { run } = this.#parts;
    this.#waiting.set(client, performance.now());
    await client.reader.ready();
    this.#waiting.delete(client);
    const bytes = await client.reader.head(MAX_HEAD);
    if (bytes === "end") return false;
    const head = bytes === "bad" ? undefined : readRequestHead(bytes);
    if (head === undefined) await answer(client, MALFORMED);
    else if (head.method === "CONNECT") await serveTunnel(client, head, run);
    else return await serveRequest(client, head, run);
    return false;
  }
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    over.addEventListener("abort", done);
    if (over.aborted) done();
  });
}
