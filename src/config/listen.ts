/** Where an HTTP server is told to listen. */

import { resolve } from "node:path";
import { isIpv4, isIpv6 } from "../base/ip_text.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { Listen } from "./types.ts";
import { quoted, tildeComplaint } from "./values.ts";

/** What Linux takes as the path of a socket, without its last NUL. */
const SOCKET_PATH_MAX = 107;

/**
 * Reads `127.0.0.1:8787`, `[::1]:0`, `localhost:8787` or `unix:/path`. Names
 * other than `localhost` are refused: what they mean can change, and with it
 * who reaches the server.
 */
export function readListen(text: string, cwd: string): Result<Listen> {
  return text.startsWith("unix:")
    ? readSocket(text, text.slice("unix:".length).trim(), cwd)
    : readAddress(text);
}

/** Whether only this machine reaches it. */
export function isLocal(listen: Listen): boolean {
  if (listen.kind === "unix") return true;
  const { hostname } = listen;
  if (isIpv4(hostname)) return hostname.startsWith("127.");
  return hostname === "localhost" || hostname === "::1" ||
    // 127.0.0.0/8 mapped, in the one spelling that is kept.
    /^::ffff:7f[0-9a-f]{2}:/.test(hostname);
}

/**
 * A Host name as requests are compared with it: lower case, in ASCII, an IPv6
 * address in brackets, no port. Undefined: not one.
 */
export function hostName(text: string): string | undefined {
  if (!/^(?:\[[0-9a-fA-F:.]+\]|[^\s:/\\?#@[\]%*]+)$/.test(text)) {
    return undefined;
  }
  return URL.parse(`http://${text}`)?.hostname;
}

function readSocket(text: string, path: string, cwd: string): Result<Listen> {
  if (path === "") return refused(text, "it names no file");
  const absolute = resolve(cwd, path);
  if (new TextEncoder().encode(absolute).length > SOCKET_PATH_MAX) {
    return refused(
      text,
      `the path of a socket has at most ${SOCKET_PATH_MAX} bytes`,
    );
  }
  return tildeComplaint("--http", path) ?? ok({ kind: "unix", path: absolute });
}

function readAddress(text: string): Result<Listen> {
  const [, host = "", digits] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return refused(text, "it has no port");
  const port = Number(digits);
  if (port > 65_535) return refused(text, "its port is over 65535");
  const inner = /^\[(.*)\]$/.exec(host)?.[1];
  if (inner !== undefined && isIpv6(inner)) {
    const { hostname } = new URL(`http://[${inner}]`);
    return ok({ kind: "tcp", hostname: hostname.slice(1, -1), port });
  }
  const name = host.toLowerCase();
  return isIpv4(name) || name === "localhost"
    ? ok({ kind: "tcp", hostname: name, port })
    : refused(text, "it has no address");
}

function refused(text: string, why: string): Refusal {
  return refuse(
    "CONFIG",
    `--http is ${quoted(text)}: ${why}`,
    "Accepted: 127.0.0.1:8787, [::1]:8787, localhost:8787, another address of this machine, or unix:/path; port 0 takes a free one.",
  );
}
