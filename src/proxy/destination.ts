/** Where a request or a tunnel goes, read from its target. */

import { bareHost } from "../skill/private_hosts.ts";

/** One place on the network. */
export interface Destination {
  /** Lower-case punycode name without a trailing dot, or a bare address. */
  readonly host: string;
  readonly port: number;
  /** Over TLS, with a verified certificate. */
  readonly secure: boolean;
  /** What `Host` says: the host, in brackets if need be, and an unusual port. */
  readonly authority: string;
  /** Path and query; empty for a tunnel. */
  readonly path: string;
}

/**
 * Reads an absolute `http:` or `https:` URL. Names and addresses are normalised
 * as the URL standard does, so that each is spelled in one way. Undefined when
 * it is something else or holds credentials.
 */
export function urlDestination(target: string): Destination | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const url = new URL(target);
  if (url.username !== "" || url.password !== "") return undefined;
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const path = url.pathname + url.search;
  return destination({ host: url.hostname, port, secure, path });
}

/** Reads `host:port`, the target of a CONNECT; undefined as above. */
export function tunnelDestination(target: string): Destination | undefined {
  const parts = /^(\[[^\s/?#@\\[\]]+\]|[^\s/?#@\\[\]:]+):([0-9]{1,5})$/.exec(
    target,
  );
  const port = Number(parts?.[2]);
  if (parts === null || port < 1 || port > 65_535) return undefined;
  if (!URL.canParse(`http://${parts[1]}/`)) return undefined;
  const url = new URL(`http://${parts[1]}/`);
  return destination({ host: url.hostname, port, secure: false, path: "" });
}

function destination(
  read: Omit<Destination, "authority">,
): Destination | undefined {
  const host = bareHost(read.host);
  if (host === "" || read.port === 0) return undefined;
  const shown = host.includes(":") ? `[${host}]` : host;
  const usual = read.path !== "" && read.port === (read.secure ? 443 : 80);
  return { ...read, host, authority: usual ? shown : `${shown}:${read.port}` };
}
