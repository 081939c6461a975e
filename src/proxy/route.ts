/** The server's own proxy, where a run's connections go through it. */

import { Buffer } from "node:buffer";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { addressBits, inRange } from "../skill/ip_address.ts";
import { bareHost } from "../skill/private_hosts.ts";
import type { Destination } from "./destination.ts";

/** The server's proxy variables, as they stand; see `HTTPS_PROXY`. */
export interface UpstreamSettings {
  readonly http?: string;
  readonly https?: string;
  readonly noProxy?: string;
}

/** A proxy between this one and the network. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`. */
  readonly credentials: string | undefined;
}

/** Says by which way a destination is reached. */
export class Routes {
  readonly #http: Upstream | undefined;
  readonly #https: Upstream | undefined;
  readonly #direct: readonly string[];

  private constructor(
    http: Upstream | undefined,
    https: Upstream | undefined,
    direct: readonly string[],
  ) {
    this.#http = http;
    this.#https = https;
    this.#direct = direct;
  }

  /** `CONFIG` for an address that is no HTTP proxy's; it is not shown. */
  static of(settings: UpstreamSettings): Result<Routes> {
    const http = readUpstream("HTTP_PROXY", settings.http);
    if (!http.ok) return http;
    const https = readUpstream("HTTPS_PROXY", settings.https);
    if (!https.ok) return https;
    const direct = (settings.noProxy ?? "").split(",")
      .map((item) => item.trim().toLowerCase()).filter((item) => item !== "");
    return ok(new Routes(http.value, https.value, direct));
  }

  /** The proxy on the way there; undefined when there is none. */
  to(destination: Destination, tunnel: boolean): Upstream | undefined {
    const upstream = destination.secure || tunnel ? this.#https : this.#http;
    if (upstream === undefined) return undefined;
    return this.#direct.some((item) => spares(item, destination))
      ? undefined
      : upstream;
  }
}

function readUpstream(
  name: string,
  text: string | undefined,
): Result<Upstream | undefined> {
  if (text === undefined || text.trim() === "") return ok(undefined);
  const scheme = text.includes("://") || /^(?:unix|vsock):/i.test(text);
  const spelled = scheme ? text : `http://${text}`;
  const url = URL.canParse(spelled) ? new URL(spelled) : undefined;
  // TLS inside TLS is something that the runtime does not do.
  if (url?.protocol !== "http:") {
    return refuse(
      "CONFIG",
      `${name} does not name a proxy that is spoken to in plain HTTP`,
      `Set ${name} to http://HOST:PORT, or unset it for the server.`,
    );
  }
  return ok({
    host: bareHost(url.hostname),
    port: url.port === "" ? 80 : Number(url.port),
    credentials: credentialsOf(url),
  });
}

function credentialsOf(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  const plain = [url.username, url.password].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return `Basic ${Buffer.from(plain.join(":")).toString("base64")}`;
}

/** Whether an item of `NO_PROXY` covers the destination, as Deno reads it. */
function spares(item: string, { host, port }: Destination): boolean {
  if (item === "*") return true;
  const [, name = item, only] = /^(.+?|\[.+\]):([0-9]{1,5})$/.exec(item) ?? [];
  if (addressBits(item) === undefined && only !== undefined) {
    return Number(only) === port && sparesHost(name, host);
  }
  return sparesHost(item, host);
}

function sparesHost(item: string, host: string): boolean {
  if (item.includes("/")) return inRange(host, item);
  const bare = bareHost(item.replace(/^\*?\./, ""));
  if (addressBits(host) !== undefined) return host === bare;
  return host === bare || host.endsWith(`.${bare}`);
}
