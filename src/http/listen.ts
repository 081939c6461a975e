/** Where the server listens, and the socket file that it leaves behind. */

import { chmodSync } from "node:fs";
import { errorName } from "../base/error_name.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { Listen } from "../config/types.ts";
import { Accepting } from "./accepting.ts";

/** Answers requests until it is shut down. */
export type Handler = (request: Request) => Promise<Response>;

/** A server that accepts connections. */
export interface Listening {
  /** `http://127.0.0.1:8787` or `unix:/run/skillfence.sock`. */
  readonly address: string;
  /** The bound port; undefined on a unix socket. */
  readonly port: number | undefined;
  /** Accepts nothing more; resolves when what is under way has ended. */
  shutdown(): Promise<void>;
  /** Removes the socket file. For signal handlers. */
  removeSync(): void;
}

/** What answers, and who hears of trouble. */
export interface ListenOptions {
  /** Told the bound port first. */
  readonly handlerFor: (port: number | undefined) => Handler;
  /** Hears why connections were not accepted for a while. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Starts to accept connections. Refuses with `CONFIG` an address that cannot be
 * had.
 */
export async function listen(
  at: Listen,
  options: ListenOptions,
): Promise<Result<Listening>> {
  try {
    return at.kind === "tcp"
      ? ok(listenTcp(at.hostname, at.port, options))
      : await listenUnix(at.path, options);
  } catch (error) {
    return unusable(at, error);
  }
}

function unusable(at: Listen, error: unknown): Refusal {
  const where = at.kind === "unix"
    ? `unix:${at.path}`
    : originOf(at.hostname, at.port);
  return error instanceof Deno.errors.AddrInUse
    ? refuse(
      "CONFIG",
      `--http cannot listen at ${where}: another program does`,
      "Stop that one, or give another port; port 0 takes a free one.",
    )
    : refuse(
      "CONFIG",
      `--http cannot listen at ${where}: ${errorName(error)}`,
      "Give an address of this machine, and a port or path that this account may use.",
    );
}

function originOf(hostname: string, port: number): string {
  return `http://${
    hostname.includes(":") ? `[${hostname}]` : hostname
  }:${port}`;
}

/** A body was ended for its slow reader: the runtime need not print that. */
function cutOff(): Response {
  return new Response(null, { status: 500 });
}

function listenTcp(
  hostname: string,
  port: number,
  { handlerFor, onLost }: ListenOptions,
): Listening {
  const start = (port: number) =>
    Deno.serve(
      { hostname, port, onListen: () => {}, onError: cutOff },
      (request) => handler(request),
    );
  const server = start(port);
  const bound = server.addr.port;
  // No request comes before this function has returned.
  const handler = handlerFor(bound);
  const again = () => start(bound);
  const accepting = new Accepting({ server, again, onLost });
  return {
    address: originOf(hostname, bound),
    port: bound,
    shutdown: () => accepting.shutdown(),
    removeSync: () => {},
  };
}

/**
 * Listens on a socket file of mode 0600. One that a server left which is gone
 * is removed first; anything else at its path is left alone.
 */
async function listenUnix(
  path: string,
  { handlerFor, onLost }: ListenOptions,
): Promise<Result<Listening>> {
  const taken = await clear(path);
  if (taken !== undefined) {
    return refuse(
      "CONFIG",
      `The socket of --http cannot be made: ${taken}`,
      "Name a path where nothing is, or stop the server that listens there.",
    );
  }
  const handler = handlerFor(undefined);
  let { server, ino } = bindUnix(path, handler);
  const again = async () => {
    const taken = await clear(path);
    if (taken !== undefined) throw new Error(taken);
    ({ server, ino } = bindUnix(path, handler));
    return server;
  };
  const accepting = new Accepting({ server, again, onLost });
  return ok({
    address: `unix:${path}`,
    port: undefined,
    shutdown: () => accepting.shutdown(),
    removeSync: () => removeOwn(path, ino),
  });
}

function bindUnix(path: string, handler: Handler) {
  // Made with the right mode: between a bind and a chmod others could connect.
  const before = Deno.umask(0o177);
  let server: Deno.HttpServer<Deno.UnixAddr>;
  try {
    server = Deno.serve({ path, onListen: () => {}, onError: cutOff }, handler);
  } finally {
    Deno.umask(before);
  }
  chmodSync(path, 0o600);
  return { server, ino: Deno.lstatSync(path).ino };
}

/** Removes a dead server's socket. Returns why the path is not free. */
async function clear(path: string): Promise<string | undefined> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (info.isSocket !== true) return "something that is no socket is there";
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return "a server listens there";
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
  }
  await Deno.remove(path);
  return undefined;
}

/** Removes the socket unless another server has taken its place. */
function removeOwn(path: string, ino: number | null): void {
  try {
    if (Deno.lstatSync(path).ino === ino) Deno.removeSync(path);
  } catch {
    // Gone already.
  }
}
