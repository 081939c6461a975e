/** Hosts and ports as the runtime writes them, and what admits them. */

import { inRange } from "../skill/ip_address.ts";
import { bareHost } from "../skill/private_hosts.ts";

/** Where something leads on the network. */
export interface Destination {
  /** Lower-case name or bare address; a socket's path as `unix:/path`. */
  readonly host: string;
  /** Undefined where only the name matters, as when it is resolved. */
  readonly port: number | undefined;
}

/**
 * Reads `host:port`, `host`, `[v6]:port` or `unix:/path`, as the runtime and
 * its flags write them.
 */
export function readDestination(text: string): Destination {
  if (text.startsWith("unix:")) return { host: text, port: undefined };
  const match = /^(.*?)(?::(\d{1,5}))?$/s.exec(text);
  const [, host = text, port] = match ?? [];
  return {
    host: bareHost(host),
    port: port === undefined ? undefined : Number(port),
  };
}

/** Where a URL leads; undefined for what is none. */
export function destinationOfUrl(text: string): Destination | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, protocol } = new URL(text);
  if (hostname === "") return undefined;
  const secure = protocol === "https:" || protocol === "wss:";
  return {
    host: bareHost(hostname),
    port: port === "" ? (secure ? 443 : 80) : Number(port),
  };
}

/** As people write it: `api.example.com:443`, `[::1]:80`. */
export function destinationText({ host, port }: Destination): string {
  const shown = host.includes(":") && !host.startsWith("unix:")
    ? `[${host}]`
    : host;
  return port === undefined ? shown : `${shown}:${port}`;
}

/**
 * Whether an item of `--allow-net` or `--deny-net` covers a destination: a
 * name, `*.name` (which covers the name too), an address or an IPv4 range, each
 * with a port or for all of them.
 */
export function covers(item: string, destination: Destination): boolean {
  const { host, port } = readDestination(item);
  if (port !== undefined && port !== destination.port) return false;
  if (host.includes("/") && !host.startsWith("unix:")) {
    return inRange(destination.host, host);
  }
  if (!host.startsWith("*.")) return host === destination.host;
  const base = host.slice(2);
  return destination.host === base || destination.host.endsWith(`.${base}`);
}
