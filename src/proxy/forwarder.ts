/**
 * How a script's clients find the proxy of their run. `fetch` and `WebSocket`
 * speak to its socket themselves. `node:http` and `node:https` only know TCP:
 * where a sandbox has a loopback of its own, a small module of ours listens
 * there and carries their bytes to the socket.
 */

import { PROXY_SOCKET_AT } from "../os/mounts.ts";

/** Where the proxy is, as seen by a script. */
export interface ProxyWay {
  /** Absolute path of the socket. */
  readonly socket: string;
  /** Port on a loopback that is the sandbox's own; undefined without one. */
  readonly port: number | undefined;
}

/** The way in a sandbox with network namespaces of its own. */
export const SANDBOX_WAY: ProxyWay = {
  socket: PROXY_SOCKET_AT,
  port: 3128,
};

/** What `node:http` says where it has no way; the runtime puts words before it. */
export const NO_NODE_HTTP =
  "(node:http and node:https have no network here: use fetch, or declare `sockets: true` for the script)";

/** Permissions that a way takes, in the grammar of the runtime's flags. */
export interface ProxyPermissions {
  /** For `--allow-net`; nothing here may be covered by `--deny-net`. */
  readonly net: readonly string[];
  /** For `--allow-read` and for `--allow-write`. */
  readonly paths: readonly string[];
}

/**
 * What a script must be allowed so that its clients reach the proxy. It may
 * then talk to the proxy itself, which is why the proxy trusts nobody.
 */
export function proxyPermissions({ socket, port }: ProxyWay): ProxyPermissions {
  const loopback = port === undefined ? [] : [`127.0.0.1:${port}`];
  return { net: [...loopback, `unix:${socket}`], paths: [socket] };
}

/** Variables of a script's process; the script itself need not see them. */
export function proxyVariables(
  { socket, port }: ProxyWay,
): Record<string, string> {
  // The runtime's own clients read the upper case first, its Node the lower.
  const node = port === undefined ? NO_NODE_HTTP : `http://127.0.0.1:${port}`;
  return {
    HTTP_PROXY: `unix:${socket}`,
    HTTPS_PROXY: `unix:${socket}`,
    NODE_USE_ENV_PROXY: "1",
    http_proxy: node,
    https_proxy: node,
  };
}

/** Flags of a script's process beyond its permissions. */
export function proxyFlags(way: ProxyWay): string[] {
  return way.port === undefined ? [] : [`--preload=${forwarderUrl(way)}`];
}

/**
 * A `data:` URL of the module that carries connections from loopback to the
 * socket. It keeps no script alive, and ends none when it cannot listen.
 */
export function forwarderUrl(way: ProxyWay = SANDBOX_WAY): string {
  const { socket, port = 0 } = way;
  const text = FORWARDER.replace("PORT", String(port))
    .replace("PATH", () => JSON.stringify(socket));
  // Only the characters that the URL standard leaves alone in a path stay bare.
  const escaped = encodeURIComponent(text).replaceAll("'", "%27");
  return `data:text/javascript,${escaped}`;
}

/** Runs in the script's own realm, hence a scope and no names of its own. */
const FORWARDER = `{
const { connect, listen } = Deno;
const carry = async (from, to) => {
  const bytes = new Uint8Array(65536);
  for (let count; (count = await from.read(bytes)) !== null;) {
    for (let sent = 0; sent < count;) {
      sent += await to.write(bytes.subarray(sent, count));
    }
  }
  await to.closeWrite();
};
const serve = async (client) => {
  let proxy;
  try {
    client.unref();
    proxy = await connect({ transport: "unix", path: PATH });
    proxy.unref();
    await Promise.all([carry(client, proxy), carry(proxy, client)]);
  } catch {}
  for (const conn of [client, proxy]) try { conn?.close(); } catch {}
};
try {
  const listener = listen({ hostname: "127.0.0.1", port: PORT });
  listener.unref();
  (async () => { for await (const client of listener) serve(client); })()
    .catch(() => {});
} catch {}
}`;
