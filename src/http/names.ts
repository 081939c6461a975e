/**
 * Which Host and Origin headers belong to this server. A page in a browser may
 * point a name of its own at a loopback address; what it cannot choose is the
 * name that its browser then sends. Pure; what is not exactly right is refused.
 */

import type { Listen } from "../config/types.ts";

/** The names under which this server is asked for. */
export interface OwnNames {
  /** Lower case, IPv6 in brackets, without ports. */
  readonly hosts: readonly string[];
  /** Of those, the loopback ones: their origins carry the bound port. */
  readonly loopback: readonly string[];
  /** Undefined on a unix socket. */
  readonly port: number | undefined;
}

const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}))?$/;

/** Whether a bind is reached from this machine alone. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * The names of a server. On loopback and on a unix socket those of this machine
 * are among them; beyond, only what the owner listed.
 */
export function ownNames(
  listen: Listen,
  hosts: readonly string[],
  port: number | undefined,
): OwnNames {
  const local = listen.kind === "unix" || isLoopback(listen.hostname);
  const bound = listen.kind === "tcp" && local
    ? [listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname]
    : [];
  const loopback = local ? [...new Set([...LOOPBACK_NAMES, ...bound])] : [];
  const listed = hosts.map((host) => host.toLowerCase());
  return { hosts: [...loopback, ...listed], loopback, port };
}

/** Whether a `Host` header names this server, with any port. */
export function isOwnHost(header: string | null, names: OwnNames): boolean {
  const host = HOST.exec(header?.toLowerCase() ?? "")?.[1];
  return host !== undefined && names.hosts.includes(host);
}

/**
 * Whether an `Origin` header is this server's own. None at all passes: only
 * browsers send it, and they always do. A loopback name must carry the bound
 * port, since other servers of this machine have pages too.
 */
export function isOwnOrigin(header: string | null, names: OwnNames): boolean {
  if (header === null) return true;
  const [, scheme, authority] = /^(https?):\/\/(.+)$/.exec(
    header.toLowerCase(),
  ) ?? [];
  const [, host, port] = HOST.exec(authority ?? "") ?? [];
  if (host === undefined || !names.hosts.includes(host)) return false;
  if (!names.loopback.includes(host)) return true;
  const usual = scheme === "https" ? 443 : 80;
  return names.port !== undefined && Number(port ?? usual) === names.port;
}
