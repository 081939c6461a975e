/** A server process spoken to line by line, for what clients hide. */

import { type Command, type Json, serveCommand } from "./clients.ts";

/** How it is started: exactly these variables. */
export interface RawOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: Command;
}

type Message = Record<string, Json>;

/** The process. Dispose of it: it is killed if it still runs. */
export class RawServer implements AsyncDisposable {
  /** Every line of stdout so far. */
  readonly lines: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #drained: Promise<unknown>;
  #stderr = "";
  /** Resolves with the next lines; all who wait hear of them. */
  #news: PromiseWithResolvers<void> = Promise.withResolvers();
  #nextId = 1;

  constructor({ args, env, command = serveCommand(args) }: RawOptions = {}) {
    this.#child = new Deno.Command(command.command, {
      args: [...command.args],
      clearEnv: true,
      env: { HOME: Deno.env.get("HOME") ?? "/", PATH: "/usr/bin:/bin", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#drained = Promise.all([this.#readLines(), this.#readStderr()]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Writes raw bytes. */
  async write(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Sends a notification. */
  async notify(method: string, params: unknown = {}): Promise<void> {
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Sends a request without waiting; returns its id. */
  async send(method: string, params: unknown = {}): Promise<number> {
    const id = this.#nextId++;
    await this.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`,
    );
    return id;
  }

  /** Sends a request and waits for its answer. */
  async request(method: string, params: unknown = {}): Promise<Message> {
    const id = await this.send(method, params);
    return await this.message((message) =>
      message.id === id && !("method" in message)
    );
  }

  /** A 2025-11-25 handshake. */
  async initialize(): Promise<Message> {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    await this.notify("notifications/initialized");
    return answer;
  }

  /** The first message that passes, waiting up to `boundMs` for it. */
  async message(
    wanted: (message: Message) => boolean,
    boundMs = 30_000,
  ): Promise<Message> {
    const deadline = performance.now() + boundMs;
    for (let seen = 0;;) {
      for (; seen < this.lines.length; seen++) {
        const message = JSON.parse(this.lines[seen]!);
        if (wanted(message)) return message;
      }
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`no such message; stderr: ${this.stderr}`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) =>
        timer = setTimeout(resolve, left)
      );
      await Promise.race([this.#news.promise, late]);
      clearTimeout(timer);
    }
  }

  /** Ends its stdin. */
  async hangUp(): Promise<void> {
    await this.#input.close();
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for its end and for all of its output. */
  async ended(): Promise<Deno.CommandStatus> {
    const status = await this.#child.status;
    await this.#drained;
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // Ended already.
    }
    await this.#input.abort().catch(() => {});
    await this.ended();
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #readLines(): Promise<void> {
    let rest = "";
    const text = this.#child.stdout.pipeThrough(new TextDecoderStream());
    for await (const chunk of text) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      this.lines.push(...lines);
      this.#wake();
    }
    if (rest !== "") this.lines.push(rest);
    this.#wake();
  }

  async #readStderr(): Promise<void> {
    const text = this.#child.stderr.pipeThrough(new TextDecoderStream());
    for await (const chunk of text) this.#stderr += chunk;
  }
}
