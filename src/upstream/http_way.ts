/** The way to a declared address: one host and port, through a proxy of its own. */

import { chmodSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Listen } from "../config/types.ts";
import {
  addressesOf,
  type Resolve,
  systemAddresses,
} from "../proxy/addresses.ts";
import { type Destination, urlDestination } from "../proxy/destination.ts";
import { startProxy } from "../proxy/proxy.ts";
import type { UpstreamSettings } from "../proxy/route.ts";
import { parseHostPattern } from "../skill/host_pattern.ts";
import { isPrivateHost } from "../skill/private_hosts.ts";
import { MESSAGE_BYTES } from "./line_transport.ts";

/** What the way depends on. */
export interface WayOptions {
  /** With its values put in. */
  readonly url: string;
  /** The owner's row repeats it: it may be private or plain http. */
  readonly meant: boolean;
  /** The server's own proxy, to go through. */
  readonly upstream: UpstreamSettings;
  /** Certificates (PEM) trusted beside the usual ones. */
  readonly certificates: readonly string[];
  /** Where this server itself listens. */
  readonly listen: Listen | undefined;
  readonly resolve?: Resolve;
}

/** An open way. */
export interface HttpWay {
  readonly url: URL;
  readonly fetch: (
    url: string | URL,
    init?: RequestInit,
  ) => Promise<Response>;
  closeSync(): void;
}

/** Bytes of all that one stream of events carries. */
const STREAM_BYTES = 256 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * The place that an address names: https and public by its own spelling, unless
 * meant. Asks nobody.
 */
export function admittedAddress(
  url: string,
  meant: boolean,
): Result<Destination> {
  const to = urlDestination(url);
  if (to === undefined) {
    return no("its address is no http or https URL without credentials");
  }
  if (!meant && !to.secure) return no("its address is not https");
  if (!meant && isPrivateHost(to.host)) return no("its address is not public");
  return ok(to);
}

/** The same, and none where this server listens itself. */
export async function checkAddress(
  { url, meant, listen, resolve = systemAddresses }: WayOptions,
): Promise<Result<Destination>> {
  const admitted = admittedAddress(url, meant);
  if (!admitted.ok) return admitted;
  const to = admitted.value;
  const addresses = await addressesOf(to, resolve);
  if (
    listen?.kind === "tcp" && listen.port === to.port &&
    addresses.some(isOwnAddress)
  ) {
    return refuse(
      "PATH_REFUSED",
      "its address is this server's own",
      "Declare another server: this one serves the skill already.",
    );
  }
  return ok(to);
}

/**
 * Opens the way in a directory that is private. A proxy resolves the name,
 * refuses private addresses that are not meant, connects to the very address it
 * checked, and knows no other host: a redirect elsewhere leads nowhere.
 */
export async function openWay(
  options: WayOptions,
  run: string,
): Promise<Result<HttpWay>> {
  const checked = await checkAddress(options);
  if (!checked.ok) return checked;
  const { host, port } = checked.value;
  const shown = host.includes(":") ? `[${host}]` : host;
  const pattern = parseHostPattern(`${shown}:${port}`);
  if (!pattern.ok) return no("its address names no host that can be reached");
  const resolve = options.resolve ?? systemAddresses;
  const meant = options.meant ? await addressesOf(checked.value, resolve) : [];
  const socket = join(run, "way.sock");
  chmodSync(run, 0o700);
  const proxy = await startProxy({
    socket,
    rules: {
      hosts: [pattern.value],
      openAddresses: meant,
      closedPorts: [],
      secrets: [],
    },
    upstream: options.upstream,
    resolve,
    caCerts: options.certificates,
  });
  if (!proxy.ok) return proxy;
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: socket },
  });
  let closed = false;
  return ok({
    url: new URL(options.url),
    fetch: async (url, init) =>
      bounded(await fetch(url, { ...init, client } as RequestInit)),
    closeSync: () => {
      if (closed) return;
      closed = true;
      client.close();
      proxy.value.closeSync();
    },
  });
}

function isOwnAddress(address: string): boolean {
  if (/^127\.|^::1$|^0\.0\.0\.0$|^::$/.test(address)) return true;
  try {
    return Object.values(networkInterfaces()).some((list) =>
      list?.some((one) => one.address === address)
    );
  } catch {
    return false;
  }
}

/** The response, whose body breaks where a message in it is too long. */
function bounded(response: Response): Response {
  if (response.body === null) return response;
  const events = response.headers.get("content-type")
    ?.includes("text/event-stream");
  let all = 0;
  let message = 0;
  let last = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        all += chunk.length;
        if (events) {
          for (const byte of chunk) {
            message++;
            // An empty line ends an event.
            if (byte === NEWLINE && last === NEWLINE) message = 0;
            if (byte !== RETURN) last = byte;
          }
        } else message += chunk.length;
        if (message > MESSAGE_BYTES || all > STREAM_BYTES) {
          controller.error(new Error("the answer is too long"));
        } else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(body, { status, statusText, headers });
  for (const name of ["url", "redirected", "type"] as const) {
    Object.defineProperty(copy, name, { value: response[name] });
  }
  return copy;
}

function no(why: string): Result<never> {
  return refuse(
    "PATH_REFUSED",
    why,
    "A row of MCP_SKILL_MCP that repeats the very address as `url` admits private addresses and plain http; `skillfence mcp pin --this-url` prints one.",
  );
}
