/**
 * Calls a tool over HTTP from several clients at once, each waiting for its
 * answer, and prints what came of it: `http_client.ts URL CLIENTS SECONDS`.
 */

import { say } from "../say.ts";
import { median } from "./timing.ts";

/** What was answered. */
export interface HttpLoad {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const VERSION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol";
const REQUEST: RequestInit = {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": "tools/call",
    "mcp-name": "skill_load",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "skill_load",
      arguments: { name: "skill-00003" },
      _meta: {
        [`${PREFIX}/protocolVersion`]: VERSION,
        [`${PREFIX}/clientCapabilities`]: {},
      },
    },
  }),
};

async function call(url: string): Promise<void> {
  const answer = await fetch(url, REQUEST);
  const text = await answer.text();
  if (!answer.ok || !text.includes("skill-00003")) {
    throw new Error(`${answer.status}: ${text.slice(0, 500)}`);
  }
}

async function main(url: string, clients: number, ms: number): Promise<void> {
  // The first call of each connection is not counted.
  await Promise.all(Array.from({ length: clients }, () => call(url)));
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, async () => {
    while (performance.now() - start < ms) {
      const asked = performance.now();
      await call(url);
      times.push(performance.now() - asked);
    }
  }));
  const took = performance.now() - start;
  const sorted = times.toSorted((a, b) => a - b);
  const load: HttpLoad = {
    perSecond: times.length / (took / 1000),
    medianMs: median(times),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)]!,
  };
  say(JSON.stringify(load));
}

if (import.meta.main) {
  const [url = "", clients, seconds] = Deno.args;
  await main(url, Number(clients), Number(seconds) * 1000);
}
