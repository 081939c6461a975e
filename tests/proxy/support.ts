/** A proxy of a run, hosts behind it, and clients that say what they like. */

import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import type { HostPattern } from "../../src/skill/types.ts";
import { type ProxyOptions, startProxy } from "../../src/proxy/proxy.ts";
import type {
  HeldSecret,
  ProxyRecord,
  RunProxy,
} from "../../src/proxy/types.ts";
import { makeTree } from "../support/tree.ts";

/*
 * certificates/: an authority and a host's certificate for *.example.test,
 * localhost and 127.0.0.1, valid until 2126. Made once with OpenSSL 3: `req
 * -x509` for the authority, whose key was thrown away, and `x509 -req` with a
 * subjectAltName for the host.
 */
const read = (name: string) =>
  Deno.readTextFileSync(new URL(`./certificates/${name}`, import.meta.url));

/** The authority that test hosts are certified by. */
export const AUTHORITY = read("ca.pem");

/** A request as a host saw it. */
export interface Seen {
  /** Request line and headers, as they came. */
  readonly head: string;
  readonly body: string;
}

/** What a host does with a request. */
export type Respond = (
  seen: Seen,
  conn: Deno.Conn,
) => string | Uint8Array | void | Promise<string | Uint8Array | void>;

/** A host on loopback that speaks exactly what a test wants. */
export interface Host extends AsyncDisposable {
  readonly port: number;
  readonly seen: Seen[];
  /** Connections that were accepted so far. */
  connections: number;
}

/** The answer of a host that nothing else is said about. */
export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Starts a host; over TLS unless `plain`. */
export function startHost(
  respond: Respond = () => OK,
  { plain = false }: { plain?: boolean } = {},
): Host {
  const listener: Deno.Listener<Deno.Conn> = plain
    ? Deno.listen({ hostname: "127.0.0.1", port: 0 })
    : Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert: read("host.pem"),
      key: read("host.key"),
    });
  const open = new Set<Deno.Conn>();
  const seen: Seen[] = [];
  const tasks: Promise<void>[] = [];
  const host = {
    port: (listener.addr as Deno.NetAddr).port,
    seen,
    connections: 0,
    async [Symbol.asyncDispose]() {
      listener.close();
      open.forEach(closeQuietly);
      await Promise.all([accepting, ...tasks]);
    },
  };
  const accepting = (async () => {
    for (;;) {
      let conn: Deno.Conn;
      try {
        conn = await listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource) return;
        if (error instanceof Deno.errors.Interrupted) return;
        continue;
      }
      open.add(conn);
      host.connections++;
      tasks.push(
        serve(conn, respond, seen).finally(() => {
          open.delete(conn);
          closeQuietly(conn);
        }),
      );
    }
  })();
  return host;
}

async function serve(
  conn: Deno.Conn,
  respond: Respond,
  seen: Seen[],
): Promise<void> {
  const text = new TextReader(conn);
  try {
    for (;;) {
      const head = await text.until("\r\n\r\n");
      if (head === undefined) return;
      const one = { head, body: await bodyOf(head, text) };
      seen.push(one);
      const answer = await respond(one, conn);
      if (answer === undefined) return;
      await send(conn, answer);
    }
  } catch {
    // The other side is gone.
  }
}

async function bodyOf(head: string, text: TextReader): Promise<string> {
  const length = /^content-length: *([0-9]+)/im.exec(head);
  if (length !== null) return await text.exactly(Number(length[1]));
  if (!/^transfer-encoding: *chunked/im.test(head)) return "";
  let body = "";
  for (;;) {
    const size = parseInt(await text.until("\r\n") ?? "", 16);
    body += await text.exactly(size);
    await text.until("\r\n");
    if (size === 0) return body;
  }
}

/** Text of one character per byte from a connection. */
class TextReader {
  #held = "";
  constructor(readonly conn: Deno.Conn) {}

  async until(end: string): Promise<string | undefined> {
    while (!this.#held.includes(end)) {
      if (!await this.#more()) return undefined;
    }
    const at = this.#held.indexOf(end) + end.length;
    return this.#take(at).slice(0, -end.length);
  }

  async exactly(count: number): Promise<string> {
    while (this.#held.length < count) {
      if (!await this.#more()) throw new Error("the request ended early");
    }
    return this.#take(count);
  }

  #take(count: number): string {
    const taken = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    const into = new Uint8Array(65_536);
    const count = await this.conn.read(into);
    if (count === null) return false;
    this.#held += textOf(into.subarray(0, count));
    return true;
  }
}

/** A proxy under test. */
export interface Scene extends AsyncDisposable {
  readonly socket: string;
  readonly proxy: RunProxy;
  /** Names that were resolved, in order. */
  readonly resolved: string[];
  /** What a raw client gets back for these bytes, until the proxy is done. */
  raw(request: string | Uint8Array): Promise<string>;
  /** A client that keeps its connection. */
  connect(): Promise<Deno.UnixConn>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  end(): Promise<ProxyRecord>;
}

/** What a scene differs in from a proxy that admits everything on loopback. */
export interface SceneOptions extends Partial<Omit<ProxyOptions, "rules">> {
  /** As in a declaration, e.g. `api.example.test:8443`. */
  readonly hosts: readonly string[];
  readonly secrets?: readonly HeldSecret[];
  readonly openAddresses?: readonly string[];
  readonly closedPorts?: readonly string[];
}

/** Starts a proxy whose names all lead to this machine. */
export async function makeScene(options: SceneOptions): Promise<Scene> {
  const tree = await makeTree({ proxy: { dir: true } });
  await Deno.chmod(tree.path("proxy"), 0o700);
  const socket = tree.path("proxy", "proxy.sock");
  const resolved: string[] = [];
  const { hosts, secrets, openAddresses, closedPorts, ...rest } = options;
  const resolve = options.resolve ?? (() => Promise.resolve(["127.0.0.1"]));
  const started = await startProxy({
    upstream: {},
    caCerts: [AUTHORITY],
    ...rest,
    socket,
    rules: {
      hosts: hosts.map(pattern),
      secrets: secrets ?? [],
      openAddresses: openAddresses ?? ["127.0.0.1"],
      closedPorts: closedPorts ?? [],
    },
    resolve: (name) => {
      resolved.push(name);
      return resolve(name);
    },
  });
  if (!started.ok) throw new Error(started.message);
  const proxy = started.value;
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: socket },
  });
  return {
    socket,
    proxy,
    resolved,
    connect: () => Deno.connect({ transport: "unix", path: socket }),
    async raw(request) {
      const conn = await Deno.connect({ transport: "unix", path: socket });
      try {
        await send(conn, request).catch(() => {});
        return await readAll(conn);
      } finally {
        closeQuietly(conn);
      }
    },
    fetch: (url, init) => fetch(url, { redirect: "manual", ...init, client }),
    end: () => proxy.close(),
    async [Symbol.asyncDispose]() {
      client.close();
      await proxy.close();
      await tree[Symbol.asyncDispose]();
    },
  };
}

/** A pattern of the declaration's grammar. */
export function pattern(text: string): HostPattern {
  const read = parseHostPattern(text);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

/** Writes everything. */
export async function send(
  conn: Deno.Conn,
  data: string | Uint8Array,
): Promise<void> {
  let left = typeof data === "string" ? bytesOf(data) : data;
  while (left.length > 0) left = left.subarray(await conn.write(left));
}

/** Nothing here takes longer. */
const READ_MS = 20_000;

/** Everything until the connection's end, one character per byte. */
export async function readAll(conn: Deno.Conn): Promise<string> {
  let text = "";
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    conn.close();
  }, READ_MS);
  const into = new Uint8Array(65_536);
  try {
    for (;;) {
      const count = await conn.read(into);
      if (count === null) break;
      text += textOf(into.subarray(0, count));
    }
  } catch {
    // What came before a reset counts.
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new Error(`no end after ${text}`);
  return text;
}

/** Reads until the text holds this. */
export async function readUntil(
  conn: Deno.Conn,
  end: string,
): Promise<string> {
  let text = "";
  const timer = setTimeout(() => conn.close(), READ_MS);
  const into = new Uint8Array(65_536);
  try {
    while (!text.includes(end)) {
      const count = await conn.read(into);
      if (count === null) throw new Error(`ended after ${text}`);
      text += textOf(into.subarray(0, count));
    }
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** Bytes of a text whose characters are bytes. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Text of one character per byte. */
export function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Every byte in a chunk of its own, as HTTP/1.1 sends chunks. */
export function byteChunks(bytes: Uint8Array): Uint8Array {
  const parts = [...bytes].map((byte) =>
    `1\r\n${String.fromCharCode(byte)}\r\n`
  );
  return bytesOf(`${parts.join("")}0\r\n\r\n`);
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It was closed from the other side.
  }
}
