/** Connections towards the network: checked, pinned to an address, bounded. */

import type { ProxyRules } from "./types.ts";
import { addressesOf, isOpenAddress, type Resolve } from "./addresses.ts";
import { addressBits } from "../skill/ip_address.ts";
import type { Destination } from "./destination.ts";
import { readResponseHead, writeHead } from "./http_head.ts";
import { PRIVATE } from "./reasons.ts";
import type { Routes, Upstream } from "./route.ts";
import { Wire } from "./wire.ts";

/** A connection, or why there is none. */
export type Dialed =
  | {
    readonly ok: true;
    readonly conn: Deno.Conn;
    /** The other side is a proxy that wants the whole URL, with these. */
    readonly absolute: Upstream | undefined;
  }
  | {
    readonly ok: false;
    /** Refused by the rules, as opposed to not reached. */
    readonly denied: boolean;
    readonly reason: string;
  };

/** What a dialer works with. */
export interface DialerOptions {
  readonly rules: ProxyRules;
  readonly routes: Routes;
  readonly resolve: Resolve;
  /** Certificates (PEM) trusted beside the usual ones. */
  readonly caCerts: readonly string[];
  /** For resolving, connecting and the handshake together; milliseconds. */
  readonly connectMs: number;
  /** The run is over. */
  readonly over: AbortSignal;
}

const MAX_UPSTREAM_HEAD = 16_384;
const FAILED = "it cannot be reached";

/** Connects to destinations whose host and port were admitted already. */
export class Dialer {
  readonly #options: DialerOptions;

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  /**
   * Connects, over TLS where the destination is secure; never rejects.
   * `tunnel`: for bytes of the client's own, not for a request of this proxy.
   */
  async dial(to: Destination, tunnel: boolean): Promise<Dialed> {
    const { connectMs, over } = this.#options;
    const late = new AbortController();
    const giveUp = () => late.abort();
    const timer = setTimeout(giveUp, connectMs);
    over.addEventListener("abort", giveUp);
    if (over.aborted) giveUp();
    try {
      return await this.#dial(to, tunnel, late.signal);
    } finally {
      clearTimeout(timer);
      over.removeEventListener("abort", giveUp);
    }
  }

  async #dial(
    to: Destination,
    tunnel: boolean,
    late: AbortSignal,
  ): Promise<Dialed> {
    const upstream = this.#options.routes.to(to, tunnel);
    const reached =
      await (upstream === undefined
        ? this.#direct(to, late)
        : this.#byUpstream(to, upstream, { late, tunnel }));
    if (!("conn" in reached)) return { ok: false, ...reached };
    const conn = to.secure
      ? await this.#secured(reached.conn, to.host, late)
      : reached.conn;
    if (conn === undefined) {
      const reason = "its TLS handshake or certificate is not good";
      return { ok: false, denied: false, reason };
    }
    return { ok: true, conn, absolute: reached.absolute };
  }

  async #direct(to: Destination, late: AbortSignal): Promise<Reached> {
    const { rules, resolve } = this.#options;
    const all = await until(late, addressesOf(to, resolve)) ?? [];
    if (all.length === 0) return { denied: false, reason: "it has no address" };
    const open = all.filter((one) => isOpenAddress(rules, one, to.port));
    if (open.length === 0) return { denied: true, reason: PRIVATE };
    for (const hostname of open) {
      const conn = await connect({ hostname, port: to.port }, late);
      if (conn !== undefined) return { conn, absolute: undefined };
    }
    return { denied: false, reason: FAILED };
  }

  /** The name is the upstream's to resolve; an address is still checked. */
  async #byUpstream(
    to: Destination,
    upstream: Upstream,
    { late, tunnel }: { late: AbortSignal; tunnel: boolean },
  ): Promise<Reached> {
    const { rules } = this.#options;
    const literal = addressBits(to.host) !== undefined;
    if (literal && !isOpenAddress(rules, to.host, to.port)) {
      return { denied: true, reason: PRIVATE };
    }
    const { host: hostname, port } = upstream;
    const conn = await connect({ hostname, port }, late);
    const reason = "the server's own proxy does not lead there";
    if (conn === undefined) return { denied: false, reason };
    if (!to.secure && !tunnel) return { conn, absolute: upstream };
    return await this.#throughConnect(conn, { to, upstream, late })
      ? { conn, absolute: undefined }
      : { denied: false, reason };
  }

  async #throughConnect(
    conn: Deno.Conn,
    { to, upstream, late }: {
      to: Destination;
      upstream: Upstream;
      late: AbortSignal;
    },
  ): Promise<boolean> {
    const shown = to.host.includes(":") ? `[${to.host}]` : to.host;
    const target = `${shown}:${to.port}`;
    const wire = new Wire(conn, {});
    const asked = (async () => {
      await wire.write(writeHead(`CONNECT ${target} HTTP/1.1`, [
        ["Host", target],
        ...authorization(upstream),
      ]));
      // Byte by byte: what follows the head belongs to the tunnel.
      const head = await headAlone(conn);
      return readResponseHead(head)?.status;
    })().catch(() => undefined);
    const status = await until(late, asked);
    if (status !== undefined && status >= 200 && status < 300) return true;
    wire.close();
    return false;
  }

  async #secured(
    conn: Deno.Conn,
    hostname: string,
    late: AbortSignal,
  ): Promise<Deno.Conn | undefined> {
    const tls = await startTls(conn, {
      hostname,
      caCerts: [...this.#options.caCerts],
      alpnProtocols: ["http/1.1"],
    });
    if (tls === undefined) return undefined;
    const shaken = tls.handshake().then(() => true, () => false);
    if (await until(late, shaken)) return tls;
    tls.close();
    return undefined;
  }
}

/** The header that an upstream wants, if any. */
export function authorization(
  upstream: Upstream,
): [name: string, value: string][] {
  return upstream.credentials === undefined
    ? []
    : [["Proxy-Authorization", upstream.credentials]];
}

type Reached =
  | { readonly conn: Deno.Conn; readonly absolute: Upstream | undefined }
  | { readonly denied: boolean; readonly reason: string };

async function connect(
  to: { hostname: string; port: number },
  late: AbortSignal,
): Promise<Deno.Conn | undefined> {
  const conn = Deno.connect(to).then((conn) => {
    conn.setNoDelay(true);
    return conn;
  }).catch(() => undefined);
  return await until(late, conn, (conn) => conn?.close());
}

async function headAlone(conn: Deno.Conn): Promise<Uint8Array> {
  const head: number[] = [];
  const one = new Uint8Array(1);
  while (head.length < MAX_UPSTREAM_HEAD) {
    if (await conn.read(one) === null) break;
    head.push(one[0]!);
    if (head.slice(-4).join() === "13,10,13,10") break;
  }
  return new Uint8Array(head);
}

/** The promise's value, or undefined when it is late; then `discard` gets it. */
function until<T>(
  late: AbortSignal,
  promise: Promise<T>,
  discard: (value: T) => void = () => {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      promise.then(discard, () => {});
      resolve(undefined);
    };
    if (late.aborted) return giveUp();
    late.addEventListener("abort", giveUp, { once: true });
    promise.then(resolve, reject).finally(() =>
      late.removeEventListener("abort", giveUp)
    );
  });
}

async function startTls(
  conn: Deno.Conn,
  options: Deno.StartTlsOptions,
): Promise<Deno.TlsConn | undefined> {
  try {
    return await Deno.startTls(conn as Deno.TcpConn, options);
  } catch {
    // For example a name that no certificate can be for.
    try {
      conn.close();
    } catch {
      // It was taken over before that was noticed.
    }
    return undefined;
  }
}
