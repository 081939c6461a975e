/** MCP over a child's standard streams, with bounds on what it may send. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { joinedBytes } from "../base/bytes.ts";
import { isRecord } from "../skill/block_values.ts";
import { RateBound } from "./rate_bound.ts";
import type { ServerChild } from "./server_child.ts";

/** Bytes of one message. */
export const MESSAGE_BYTES = 4 * 1024 * 1024;
/** What a server may send in ten seconds. */
const RATE = { bytes: 64 * 1024 * 1024, messages: 20_000, ms: 10_000 };
/** Lines that are no messages; some programs greet on stdout. */
const MAX_GARBAGE = 100;
/** Requests of the server's that are answered, each with a no, in ten seconds. */
const REQUESTS = { bytes: Infinity, messages: 200, ms: 10_000 };
const NEWLINE = 0x0a;

/** The SDK's transport over a process that is there already. */
export class LineTransport implements Transport {
  readonly #child: ServerChild;
  readonly #rate: RateBound;
  readonly #requests: RateBound;
  #parts: Uint8Array[] = [];
  #length = 0;
  #garbage = 0;
  #closed = false;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why the child was stopped, when it went over a bound. */
  over: string | undefined;

  constructor(child: ServerChild, now: () => number) {
    this.#child = child;
    this.#rate = new RateBound(RATE, now);
    this.#requests = new RateBound(REQUESTS, now);
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error("the server has ended");
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    await this.#child.write(bytes);
  }

  async close(): Promise<void> {
    this.#close();
    await this.#child.stop();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts = [];
    this.onclose?.();
  }

  async #read(): Promise<void> {
    await this.#child.hear((chunk) => {
      if (this.#rate.over(chunk.length)) this.#stop("it wrote without end");
      // What is left in the pipe is drained, and nothing is made of it.
      if (!this.#closed) this.#take(chunk);
    });
    this.#close();
  }

  #take(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && !this.#closed;) {
      this.#keep(chunk.subarray(from, at));
      const line = joinedBytes(this.#parts);
      this.#parts = [];
      this.#length = 0;
      this.#line(line);
      from = at + 1;
      at = chunk.indexOf(NEWLINE, from);
    }
    if (!this.#closed) this.#keep(chunk.subarray(from));
  }

  #keep(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > MESSAGE_BYTES) {
      this.#stop(`a message is longer than ${MESSAGE_BYTES / 1048576} MiB`);
    } else if (bytes.length > 0) this.#parts.push(bytes.slice());
  }

  #line(line: Uint8Array): void {
    if (this.#closed || line.length === 0) return;
    if (this.#rate.over(0, 1)) return this.#stop("it wrote without end");
    const message = parsed(line);
    if (message === undefined) {
      if (++this.#garbage > MAX_GARBAGE) {
        this.#stop("what it writes to stdout is not the protocol");
      }
      return;
    }
    const asks = "method" in message && "id" in message;
    if (asks && this.#requests.over(0, 1)) {
      return this.#stop("it asks for things without end");
    }
    this.onmessage?.(message);
  }

  #stop(why: string): void {
    this.over ??= why;
    this.#child.kill();
    this.#close();
  }
}

/** A message, or undefined for whatever is none. */
function parsed(line: Uint8Array): JSONRPCMessage | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value["jsonrpc"] !== "2.0") return undefined;
    const { id, method } = value;
    const hasId = typeof id === "string" || typeof id === "number";
    if (!hasId && typeof method !== "string") return undefined;
    return value as unknown as JSONRPCMessage;
  } catch {
    return undefined;
  }
}
