/**
 * MCP over two byte streams, one JSON message a line. Own code because the end
 * of the input must end runs first and then the process, because handed-in
 * files make messages larger than the SDK's buffer, and because one line that
 * is too long or no JSON must not end the connection.
 */

import type {
  JSONRPCMessage,
  JSONRPCNotification,
  Transport,
} from "@modelcontextprotocol/server";

/** Where messages come from and go to. */
export interface StdioStreams {
  readonly input: ReadableStream<Uint8Array>;
  /** Writes all of the bytes; rejects when nobody reads any more. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** What the owner of the connection is told. */
export interface StdioEvents {
  /** A message was written. */
  readonly onSent?: () => void;
  /** A request came. */
  readonly onRequest?: (
    request: { readonly method?: unknown; readonly params?: unknown },
  ) => void;
  /** The input ended, or nobody reads the output. Answers may still go out. */
  readonly onEnd?: () => void;
  /** Everything that could be answered is. */
  readonly onClosed?: () => void;
}

/** Handed-in files of 8 MiB are 11 MiB as base64, and text may double. */
const MAX_MESSAGE_BYTES: number = 32 * 1024 * 1024;

/** How long requests may still be answered after the input has ended. */
const LAST_ANSWERS_MS = 5000;

const NEWLINE = 0x0a;

/** The transport. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  readonly #streams: StdioStreams;
  readonly #events: StdioEvents;
  readonly #maxBytes: number;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #ending = false;
  #closed = false;
  /** Requests taken and not yet answered. */
  readonly #pending = new Set<unknown>();
  #allAnswered: () => void = () => {};

  constructor(
    streams: StdioStreams,
    events: StdioEvents = {},
    maxBytes = MAX_MESSAGE_BYTES,
  ) {
    this.#streams = streams;
    this.#events = events;
    this.#maxBytes = maxBytes;
  }

  start(): Promise<void> {
    this.#reader = this.#streams.input.getReader();
    void this.#pump(this.#reader);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) {
      return Promise.reject(new Error("the connection is closed"));
    }
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    const sent = this.#sending.then(() => this.#streams.write(bytes));
    this.#sending = sent.then(
      () => this.#events.onSent?.(),
      (error: unknown) => this.#lost(error),
    ).then(() => {
      if (!("method" in message)) this.#settle(message.id);
    });
    return sent;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#sending;
    await this.#reader?.cancel().catch(() => {});
    this.onclose?.();
    this.#events.onClosed?.();
  }

  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const lines = new LineSplitter(this.#maxBytes, (line) => this.#take(line));
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const skipped = lines.push(value);
        if (skipped > 0) {
          this.onerror?.(
            new Error(`skipped a message over ${this.#maxBytes} bytes`),
          );
        }
      }
    } catch (error) {
      this.onerror?.(asError(error));
    }
    await this.#end();
  }

  #take(line: Uint8Array): void {
    const text = new TextDecoder().decode(line).trim();
    if (text === "") return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.onerror?.(new Error("skipped a line that is not JSON"));
      return;
    }
    if (!isMessage(message)) {
      this.onerror?.(new Error("skipped a line that is not JSON-RPC 2.0"));
      return;
    }
    if ("method" in message && "id" in message) {
      this.#note(message);
      this.#events.onRequest?.(message);
    } else if ("method" in message) this.#noteCancelled(message);
    this.onmessage?.(message);
  }

  /** A stream of changes is answered when the connection ends, not before. */
  #note({ id, method }: { id: unknown; method: string }): void {
    if (method !== "subscriptions/listen") this.#pending.add(id);
  }

  /** A cancelled request gets no answer. */
  #noteCancelled({ method, params }: JSONRPCNotification): void {
    if (method === "notifications/cancelled") this.#settle(params?.requestId);
  }

  #settle(id: unknown): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#allAnswered();
  }

  #lost(error: unknown): void {
    if (this.#closed) return;
    this.onerror?.(asError(error));
    this.#pending.clear();
    void this.#end();
  }

  async #end(): Promise<void> {
    if (this.#ending || this.#closed) return;
    this.#ending = true;
    this.#events.onEnd?.();
    await this.#lastAnswers();
    await this.close();
  }

  async #lastAnswers(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allAnswered = resolve;
    const timer = setTimeout(resolve, LAST_ANSWERS_MS);
    await promise;
    clearTimeout(timer);
  }
}

/** Cuts a byte stream into lines; what is longer than the bound is skipped. */
class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #skipping = false;

  constructor(maxBytes: number, onLine: (line: Uint8Array) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Takes a chunk; returns how many lines it gave up. */
  push(chunk: Uint8Array): number {
    let skipped = 0;
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      if (!this.#add(rest.subarray(0, at))) skipped++;
      if (!this.#skipping) this.#onLine(this.#line());
      this.#reset();
      rest = rest.subarray(at + 1);
    }
    if (!this.#add(rest)) skipped++;
    return skipped;
  }

  /** False when this part made the line too long. */
  #add(part: Uint8Array): boolean {
    if (this.#skipping || part.length === 0) return true;
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) {
      this.#parts.push(part);
      return true;
    }
    this.#parts = [];
    this.#skipping = true;
    return false;
  }

  #line(): Uint8Array {
    if (this.#parts.length === 1) return this.#parts[0]!;
    const line = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      line.set(part, at);
      at += part.length;
    }
    return line;
  }

  #reset(): void {
    this.#parts = [];
    this.#size = 0;
    this.#skipping = false;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value &&
    value.jsonrpc === "2.0" && ("method" in value || "id" in value);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
