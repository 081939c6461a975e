/** A real HTTP server process, and ways to speak to it. */

import { until } from "../support/until.ts";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  answerForms,
  answerRoots,
  capabilities,
  type ServerOptions,
  skillfence,
} from "../support/clients.ts";
import type { Command, Json, Line } from "../support/clients.ts";
import { makeTree, type Tree } from "../support/tree.ts";

/** How the server is started. */
export interface HttpServerOptions {
  /** Root of the skills. */
  readonly skills: string;
  /** After `serve --http 127.0.0.1:0 --skills ROOT`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of `127.0.0.1:0`. */
  readonly http?: string;
  /** For a server that shares it; else one of its own. */
  readonly cacheDir?: string;
  /** Most descriptors that the process may have open. */
  readonly descriptors?: number;
}

/** A server that listens. Dispose of it. */
export interface HttpServer extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  /** `http://127.0.0.1:PORT`; for a unix socket `http://localhost`. */
  readonly origin: string;
  readonly port: number;
  /** Undefined where none is demanded. */
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly status: Promise<Deno.CommandStatus>;
  stderr(): string;
  /** A request with the token, unless the headers say otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts a server and waits until it says where it listens. */
export async function startHttp(
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { skills, args = [], env = {}, http = "127.0.0.1:0" } = options;
  const cache: Tree | undefined = options.cacheDir === undefined
    ? await makeTree()
    : undefined;
  if (cache !== undefined) await Deno.chmod(cache.root, 0o700);
  const cacheDir = options.cacheDir ?? cache!.root;
  const { command, args: words } = limited(
    skillfence(["serve", "--http", http, "--skills", skills, ...args]),
    options.descriptors,
  );
  const child = new Deno.Command(command, {
    args: [...words],
    clearEnv: true,
    env: {
      ...own("PATH", "HOME", "DENO_DIR"),
      SKILLFENCE_CACHE_DIR: cacheDir,
      ...env,
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const { status } = child;
  let ended = false;
  status.then(() => ended = true);
  const stderr = collect(child.stderr);
  const address = await until(
    () => {
      const found = /listening on (\S+), /.exec(stderr())?.[1];
      if (found === undefined && ended) throw new Error(stderr());
      return found;
    },
  );
  const tokenFile = await until(() => {
    if (address.startsWith("unix:") || args.includes("--no-token")) return "";
    return /token that is in (\S+)\n/.exec(stderr())?.[1];
  });
  const token = tokenFile === ""
    ? undefined
    : (await Deno.readTextFile(tokenFile)).trim();
  const origin = address.startsWith("unix:") ? "http://localhost" : address;
  return {
    child,
    origin,
    port: Number(new URL(origin).port),
    token,
    tokenFile: tokenFile === "" ? undefined : tokenFile,
    status,
    stderr,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (token !== undefined && !headers.has("authorization")) {
        headers.set("authorization", `Bearer ${token}`);
      }
      return fetch(`${origin}${path}`, { ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await status;
      await cache?.[Symbol.asyncDispose]();
    },
  };
}

/** The command, started by a shell that lets it open so much and no more. */
function limited(
  { command, args }: Command,
  descriptors: number | undefined,
): Command {
  if (descriptors === undefined) return { command, args };
  const script = `ulimit -n ${descriptors} && exec "$@"`;
  return { command: "sh", args: ["-c", script, "sh", command, ...args] };
}

/** A connected client, over HTTP. Dispose of it. */
export interface HttpClient extends AsyncDisposable {
  readonly line: Line;
  /** `tools/list`, `tools/call`: any method with its parameters. */
  request(method: string, params?: Record<string, unknown>): Promise<Json>;
  /** Notifications of this method are put into `heard`. */
  onNotification(method: string, heard: (params: Json) => void): void;
  // deno-lint-ignore no-explicit-any
  readonly raw: any;
}

const IDENTITY = { name: "skillfence-tests", version: "1.0.0" };

/** Connects a client of that line. */
export async function connectHttp(
  line: Line,
  { origin, token }: Pick<HttpServer, "origin" | "token">,
  options: Pick<ServerOptions, "fillIn" | "roots"> = {},
): Promise<HttpClient> {
  const url = new URL(`${origin}/mcp`);
  const requestInit = token === undefined
    ? {}
    : { headers: { authorization: `Bearer ${token}` } };
  if (line === "v1") {
    const client = new OldClient(IDENTITY, {
      capabilities: capabilities(options),
    });
    answerForms(line, client, options);
    answerRoots(line, client, options);
    await client.connect(new OldHttp(url, { requestInit }));
    const { anything, notification } = await oldSchemas();
    return {
      line,
      raw: client,
      request: (method, params) => client.request({ method, params }, anything),
      onNotification: (method, heard) =>
        client.setNotificationHandler(
          notification(method),
          ({ params }: Json) => heard(params),
        ),
      [Symbol.asyncDispose]: () => client.close(),
    };
  }
  const client = new ModernClient(
    IDENTITY,
    {
      capabilities: capabilities(options),
      ...(line === "v2"
        ? { versionNegotiation: { mode: { pin: "2026-07-28" } } }
        : {}),
    },
  );
  answerForms(line, client, options);
  answerRoots(line, client, options);
  await client.connect(new ModernHttp(url, { requestInit }));
  // deno-lint-ignore no-explicit-any
  const loose = client as any;
  return {
    line,
    raw: client,
    request: (method, params) => loose.request({ method, params }),
    onNotification: (method, heard) =>
      loose.setNotificationHandler(method, ({ params }: Json) => heard(params)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function oldSchemas() {
  const z = await import("zod");
  return {
    anything: z.looseObject({}),
    notification: (method: string) =>
      z.looseObject({ method: z.literal(method) }),
  };
}

function own(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  const decoder = new TextDecoder();
  (async () => {
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
    }
  })().catch(() => {});
  return () => text;
}
