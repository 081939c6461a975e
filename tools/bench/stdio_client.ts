/** The smallest MCP client that can be timed: one call at a time over stdio. */

/** How to start the server that is measured. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** An answered `tools/call`, as far as measuring needs it. */
export interface ToolAnswer {
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** A running server that has answered `initialize`. */
export class StdioClient implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#lines = linesOf(child.stdout);
  }

  /** Starts a server in `/` and returns when `initialize` is answered. */
  static async start(server: ServerCommand): Promise<StdioClient> {
    const client = new StdioClient(
      new Deno.Command(server.command, {
        args: [...server.args],
        env: { ...server.env },
        clearEnv: true,
        cwd: "/",
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn(),
    );
    await client.#request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "0" },
    });
    await client.#send({ method: "notifications/initialized" });
    return client;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Calls a tool and waits for its answer. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<ToolAnswer> {
    return await this.#request("tools/call", {
      name,
      arguments: args,
    }) as ToolAnswer;
  }

  /** Any method and its parameters. */
  async ask(
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    return await this.#request(method, params) as Record<string, unknown>;
  }

  /** Waits for the next notification of this method, with no request under way. */
  async notified(method: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the server ended before it sent ${method}`);
      if (JSON.parse(value).method === method) return;
    }
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#id;
    await this.#send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) {
        throw new Error(`the server ended before it answered ${method}`);
      }
      const message = JSON.parse(value);
      if (message.id !== id) continue;
      if (message.error) {
        throw new Error(`${method}: ${JSON.stringify(message.error)}`);
      }
      return message.result;
    }
  }

  async #send(message: Record<string, unknown>): Promise<void> {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
  }

  /** Ends stdin, which ends the server, and waits for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#lines.return?.();
    await this.#child.status;
  }
}

async function* linesOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
