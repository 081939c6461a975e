/** One connection to a declared server, over the SDK's client. */

import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { deeperThan } from "../base/depth.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { HttpWay } from "./http_way.ts";
import { LineTransport } from "./line_transport.ts";
import type { ServerChild } from "./server_child.ts";
import type { RawTool } from "./shown_tools.ts";

/** What a connection is made over. */
export type Line =
  | { readonly child: ServerChild; readonly now: () => number }
  | {
    readonly way: HttpWay;
    readonly headers: Readonly<Record<string, string>>;
  };

/** What one call may be told. */
export interface SessionCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?:
    | ((message: string, progress: number, total: number | undefined) => void)
    | undefined;
  readonly timeoutMs: number;
}

/** How a call ended that gave no result. */
export type CallFailure =
  | { readonly failed: "cancelled" | "timeout" | "gone" }
  | { readonly failed: "error"; readonly message: string };

const INITIALIZE_MS = 30_000;
const LIST_MS = 30_000;
/** A call may go on so long, whatever progress it reports. */
const MOST_MS = 30 * 60_000;
const MAX_PAGES = 16;
const MAX_LISTED = 1_024;
/** Levels of a tool as it is listed: no schema of use has more. */
const MAX_LEVELS = 200;
const ANYTHING = z.looseObject({});
const IDENTITY = { name: "skillfence", version: "1" };

/** A server that is connected. */
export class Session {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #line: Line;
  #gone = false;
  #onGone: () => void = () => {};
  /** The server said that its tools changed since they were listed. */
  toolsChanged = false;

  private constructor(client: Client, transport: Transport, line: Line) {
    this.#client = client;
    this.#transport = transport;
    this.#line = line;
    client.onclose = () => {
      this.#gone = true;
      this.#onGone();
    };
    // What is out of order is no reason to stop; bounds are elsewhere.
    client.onerror = () => {};
    client.setNotificationHandler(
      "notifications/tools/list_changed",
      () => {
        this.toolsChanged = true;
      },
    );
  }

  /**
   * Connects. We offer the server nothing, so whatever it asks of us
   * (sampling, forms, roots) is declined. `SPAWN_FAILED` when it does not come
   * to terms with us within 30 s.
   */
  static async open(
    line: Line,
    signal: AbortSignal,
    timeoutMs = INITIALIZE_MS,
  ): Promise<Result<Session>> {
    const transport = "child" in line
      ? new LineTransport(line.child, line.now)
      : new StreamableHTTPClientTransport(line.way.url, {
        fetch: line.way.fetch,
        requestInit: { headers: { ...line.headers } },
        reconnectionOptions: {
          initialReconnectionDelay: 1_000,
          maxReconnectionDelay: 5_000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 1,
        },
      });
    const client = new Client(IDENTITY, { capabilities: {} });
    const session = new Session(client, transport, line);
    try {
      await client.connect(transport, { timeout: timeoutMs, signal });
      return ok(session);
    } catch (error) {
      // Whoever is given up is ended for that.
      const isProcess = "child" in line;
      // An address has no end of its own: what failed says more.
      const gone = isProcess && !isTimeout(error)
        ? session.whyGone()
        : undefined;
      const why = gone ?? whyFailed(error, timeoutMs);
      await session.close();
      return refuse(
        "SPAWN_FAILED",
        `it did not come up as an MCP server: ${why}`,
        isProcess
          ? "Try its command by hand; what it needs may be neither in the skill nor granted."
          : "Check that its address is a Streamable HTTP endpoint, can be reached from here, and takes the headers it is sent.",
      );
    }
  }

  /** Called once the connection is over, for whatever reason. */
  set onGone(heard: () => void) {
    this.#onGone = heard;
    if (this.#gone) heard();
  }

  /** Whether it is over. */
  get gone(): boolean {
    return this.#gone;
  }

  /** The process, for a server that is one. */
  get child(): ServerChild | undefined {
    return "child" in this.#line ? this.#line.child : undefined;
  }

  /** In words, why it ended; undefined when nothing is known. */
  whyGone(): string | undefined {
    const transport = this.#transport;
    if (transport instanceof LineTransport && transport.over !== undefined) {
      return `it was stopped, since ${transport.over}`;
    }
    if (!this.#gone) return undefined;
    const said = this.child?.said() ?? "";
    return said === "" ? "it ended" : `it ended and had said "${said}"`;
  }

  /** All its tools, as it gives them. `TOO_LARGE` beyond 1,024, or too deep. */
  async listTools(): Promise<Result<readonly RawTool[]>> {
    const tools: RawTool[] = [];
    let cursor: string | undefined;
    this.toolsChanged = false;
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const result = await this.#client.request(
          {
            method: "tools/list",
            params: cursor === undefined ? {} : { cursor },
          },
          ANYTHING,
          { timeout: LIST_MS },
        );
        const listed = Array.isArray(result["tools"]) ? result["tools"] : [];
        const read = listed.filter(isTool);
        if (read.some((tool) => deeperThan(tool, MAX_LEVELS))) {
          return refuse(
            "TOO_LARGE",
            `it lists a tool nested more than ${MAX_LEVELS} levels deep`,
            "Such a server cannot be pinned.",
          );
        }
        tools.push(...read);
        if (tools.length > MAX_LISTED) break;
        const next = result["nextCursor"];
        if (typeof next !== "string" || next === "") return ok(tools);
        cursor = next;
      }
      return refuse(
        "TOO_LARGE",
        `it lists more than ${MAX_LISTED} tools or ${MAX_PAGES} pages`,
        "Such a server cannot be pinned.",
      );
    } catch (error) {
      return refuse(
        "SPAWN_FAILED",
        `it does not list its tools: ${
          this.whyGone() ?? whyFailed(error, LIST_MS)
        }`,
        "Try it by hand.",
      );
    }
  }

  /** Calls a tool; what comes back is as the server gave it. */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, onProgress, timeoutMs }: SessionCall,
  ): Promise<{ readonly result: unknown } | CallFailure> {
    try {
      const result = await this.#client.request(
        { method: "tools/call", params: { name, arguments: { ...args } } },
        ANYTHING,
        {
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: Math.max(timeoutMs, MOST_MS),
          ...(signal === undefined ? {} : { signal }),
          // Asked for in any case: it is what keeps a long call alive.
          onprogress: ({ progress, total, message }) =>
            onProgress?.(visible(message ?? "", 200), progress, total),
        },
      );
      return { result };
    } catch (error) {
      if (signal?.aborted) return { failed: "cancelled" };
      if (this.#gone) return { failed: "gone" };
      if (isTimeout(error)) return { failed: "timeout" };
      return { failed: "error", message: textOf(error) };
    }
  }

  /** Ends the connection, and the process with all that came of it. */
  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    if (this.child !== undefined) await this.child.stop();
    if ("way" in this.#line) this.#line.way.closeSync();
  }

  /** The same at once. For signal handlers. */
  closeSync(): void {
    this.child?.kill();
    if ("way" in this.#line) this.#line.way.closeSync();
  }
}

function isTool(value: unknown): value is RawTool {
  return typeof value === "object" && value !== null && "name" in value &&
    typeof value.name === "string";
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError &&
    error.code === SdkErrorCode.RequestTimeout;
}

function whyFailed(error: unknown, timeoutMs: number): string {
  return isTimeout(error)
    ? `it did not answer within ${timeoutMs / 1000} s`
    : textOf(error);
}

function textOf(error: unknown): string {
  return visible(error instanceof Error ? error.message : String(error), 300);
}
