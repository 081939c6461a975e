/** What an HTTP server answers, by how many ask at once. */

import { join } from "node:path";
import type { Bench } from "./bench.ts";
import type { HttpLoad } from "./http_client.ts";
import { ms, type Row, row } from "./row.ts";

const CLIENTS = [1, 10, 100];
const SECONDS = 5;

/** `tools/call` over HTTP: throughput and the slowest hundredth. */
export async function measureHttp(bench: Bench): Promise<Row[]> {
  const { command, args, env } = bench.server("small");
  const child = new Deno.Command(command, {
    args: ["serve", "--http", "127.0.0.1:0", "--no-token", ...args],
    env: { ...env },
    clearEnv: true,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    const [origin, reader] = await address(child.stderr);
    const rows: Row[] = [];
    let alone: number | undefined;
    for (const clients of CLIENTS) {
      const { perSecond, medianMs, p99Ms } = await load(origin, clients);
      alone ??= perSecond;
      rows.push(
        row(
          `HTTP tools/call, ${clients} at once: ${
            perSecond.toFixed(0)
          }/s, median ${ms(medianMs)}, p99 ${ms(p99Ms)}; / one at a time`,
          perSecond / alone,
        ),
      );
    }
    await reader.cancel();
    return rows;
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}

/** Where the server says that it listens. */
async function address(
  stderr: ReadableStream<Uint8Array>,
): Promise<[string, ReadableStreamDefaultReader<string>]> {
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = "";;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server ended: ${said}`);
    said += value;
    const found = said.match(/listening on (http:\S+),/)?.[1];
    if (found !== undefined) return [found, reader];
  }
}

/** The client is a process of its own. */
async function load(origin: string, clients: number): Promise<HttpLoad> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--quiet", join(import.meta.dirname!, "http_client.ts")],
      ...[`${origin}/mcp`, String(clients), String(SECONDS)],
    ],
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(text(stderr));
  return JSON.parse(text(stdout));
}
