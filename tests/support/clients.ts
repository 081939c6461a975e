/**
 * Real clients of both protocol lines, over stdio, against the server from
 * source or, with `SKILLFENCE_TEST_BINARY`, against that executable.
 */

import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { fileURLToPath } from "node:url";

/** v1 SDK; v2 SDK speaking 2025-11-25; v2 SDK pinned to 2026-07-28. */
export type Line = "v1" | "v2-legacy" | "v2";

/** All of them: most tests hold for each. */
export const LINES: readonly Line[] = ["v1", "v2-legacy", "v2"];

/** JSON that a test looks into. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a server is started. */
export interface ServerOptions {
  /** Arguments of skillfence, after `serve`. */
  readonly args?: readonly string[];
  /** Added to the few variables that clients pass on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the client says it is. */
  readonly identity?: { readonly name: string; readonly version: string };
  /** How the user fills in forms; undefined: the client shows none. */
  readonly fillIn?: (form: Json) => Json;
  /** The client's own roots, as `file:` addresses; undefined: it has none. */
  readonly roots?: readonly string[];
  /** Started instead of the usual command and its `args`. */
  readonly command?: Command;
}

/** A tool's answer, as far as tests look at it. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** Text of each content block. */
  readonly text: readonly string[];
  readonly structured: Json;
  /** The whole result, as the client gave it. */
  readonly raw: unknown;
}

/** What a call may carry. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string, progress: number) => void;
}

/** A tool as the client got it. */
export type ListedTool = Record<string, Json>;

/** One connected client and its server process. Dispose of it. */
export interface TestClient extends AsyncDisposable {
  readonly line: Line;
  readonly instructions: string | undefined;
  readonly capabilities: unknown;
  /** Of the server process. */
  readonly pid: number;
  /** Everything the server wrote to stderr so far. */
  stderr(): string;
  /** What reached stdout and was not JSON-RPC, and other client errors. */
  readonly errors: readonly string[];
  /** The SDK's own client: both lines name prompts and resources alike. */
  readonly sdk: Json;
  listTools(): Promise<readonly ListedTool[]>;
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<ToolAnswer>;
}

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** The command that runs skillfence: the executable under test, or the source. */
export function skillfence(args: readonly string[]): Command {
  const binary = Deno.env.get("SKILLFENCE_TEST_BINARY");
  if (binary !== undefined) return { command: binary, args };
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--no-prompt", `${REPOSITORY}main.ts`, ...args],
  };
}

/** The command that serves stdio with these arguments. */
export function serveCommand(args: readonly string[] = []): Command {
  return skillfence(["serve", ...args]);
}

/** Connects a client of that line to a fresh server. */
export async function connect(
  line: Line,
  options: ServerOptions = {},
): Promise<TestClient> {
  return line === "v1"
    ? await connectOld(options)
    : await connectModern(line, options);
}

function parameters(options: ServerOptions) {
  const { command, args } = options.command ?? serveCommand(options.args);
  return {
    command,
    args: [...args],
    env: { ...options.env },
    cwd: options.cwd,
    stderr: "pipe" as const,
    maxBufferSize: 64 * 1024 * 1024,
  };
}

/** Lets a client of that line answer forms, where a way to do so is given. */
export function answerForms(
  line: Line,
  client: Json,
  { fillIn }: Pick<ServerOptions, "fillIn">,
): void {
  if (fillIn === undefined) return;
  client.setRequestHandler(
    line === "v1" ? ElicitRequestSchema : "elicitation/create",
    ({ params }: Json) => Promise.resolve(fillIn(params)),
  );
}

/** Lets a client of that line tell its roots, where it has any. */
export function answerRoots(
  line: Line,
  client: Json,
  { roots }: Pick<ServerOptions, "roots">,
): void {
  if (roots === undefined) return;
  client.setRequestHandler(
    line === "v1" ? ListRootsRequestSchema : "roots/list",
    () => Promise.resolve({ roots: roots.map((uri) => ({ uri })) }),
  );
}

/** What a client says it can do. */
export function capabilities(
  { fillIn, roots }: Pick<ServerOptions, "fillIn" | "roots">,
): Json {
  return {
    ...(fillIn === undefined ? {} : { elicitation: { form: {} } }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
}

const IDENTITY = { name: "skillfence-tests", version: "1.0.0" };
/** Calls in tests end sooner or are stuck. */
const TIMEOUT_MS = 120_000;

/** The v1 package publishes no types that Deno finds. */
interface OldProgress {
  readonly progress: number;
  readonly message?: string;
}

async function connectOld(options: ServerOptions): Promise<TestClient> {
  const transport = new OldStdio(parameters(options));
  const stderr = collect(transport.stderr);
  const errors: string[] = [];
  const client = new OldClient(options.identity ?? IDENTITY, {
    capabilities: capabilities(options),
  });
  answerForms("v1", client, options);
  answerRoots("v1", client, options);
  client.onerror = (error: Error) => errors.push(error.message);
  await client.connect(transport);
  return {
    line: "v1",
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    pid: transport.pid!,
    stderr,
    errors,
    sdk: client,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args, { signal, onProgress } = {}) =>
      answerOf(
        await client.callTool({ name, arguments: args }, undefined, {
          signal,
          timeout: TIMEOUT_MS,
          ...(onProgress && {
            onprogress: ({ message, progress }: OldProgress) =>
              onProgress(message ?? "", progress),
          }),
        }),
      ),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectModern(
  line: "v2" | "v2-legacy",
  options: ServerOptions,
): Promise<TestClient> {
  const transport = new ModernStdio(parameters(options));
  const stderr = collect(transport.stderr);
  const errors: string[] = [];
  const client = new ModernClient(
    options.identity ?? IDENTITY,
    {
      capabilities: capabilities(options),
      ...(line === "v2"
        ? { versionNegotiation: { mode: { pin: "2026-07-28" } } }
        : {}),
    },
  );
  answerForms(line, client, options);
  answerRoots(line, client, options);
  client.onerror = (error) => errors.push(error.message);
  await client.connect(transport);
  return {
    line,
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    pid: transport.pid!,
    stderr,
    errors,
    sdk: client,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args, { signal, onProgress } = {}) =>
      answerOf(
        await client.callTool({ name, arguments: args }, {
          signal,
          timeout: TIMEOUT_MS,
          ...(onProgress && {
            onprogress: ({ message, progress }) =>
              onProgress(message ?? "", progress),
          }),
        }),
      ),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function answerOf(result: unknown): ToolAnswer {
  const { isError, content, structuredContent } = result as {
    isError?: boolean;
    content: { type: string; text?: string }[];
    structuredContent?: unknown;
  };
  return {
    isError: isError === true,
    text: content.map(({ text }) => text ?? ""),
    structured: structuredContent,
    raw: result,
  };
}

/** Drains a stream into a string that can be read at any time. */
function collect(stream: unknown): () => string {
  let text = "";
  const source = stream as {
    on(event: "data", heard: (chunk: Uint8Array) => void): void;
  };
  const decoder = new TextDecoder();
  source.on("data", (chunk) => text += decoder.decode(chunk, { stream: true }));
  return () => text;
}

/** Options for tests that start processes: the SDK's timers outlive a close. */
export const processTest = {
  sanitizeOps: false,
  sanitizeResources: false,
} as const;
