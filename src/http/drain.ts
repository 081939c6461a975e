/** How the HTTP server ends: in good order on one signal, at once on a second. */

import type { FullEngine } from "../server/engine.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Listening } from "./listen.ts";
import type { Mcp } from "./mcp.ts";

/** What has to end. */
export interface Draining {
  readonly listening: Listening;
  readonly endpoint: Endpoint;
  readonly mcp: Mcp;
  readonly engine: FullEngine;
  /** Milliseconds that what is under way may take. */
  readonly drainMs: number;
}

const SIGNALS: readonly (readonly [Deno.Signal, number])[] =
  Deno.build.os === "windows"
    ? [["SIGINT", 130], ["SIGBREAK", 149]]
    : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]];
/** After runs were killed, for their answers to go out. */
const LAST_MS = 1000;

/** Waits for a signal, then ends everything. */
export async function drain(parts: Draining): Promise<void> {
  const { listening, endpoint, mcp, engine, drainMs } = parts;
  await firstSignal(parts);
  endpoint.drain();
  const closed = listening.shutdown();
  engine.live.closeSync();
  mcp.sessions.closeStreams();
  await within(drainMs, endpoint.idle());
  engine.runner.closeSync();
  await within(LAST_MS, endpoint.idle());
  await within(LAST_MS, mcp.close());
  await within(LAST_MS, closed);
  listening.removeSync();
  await engine.record.close();
}

function firstSignal({ engine, listening }: Draining): Promise<void> {
  return new Promise((resolve) => {
    let heard = false;
    for (const [signal, code] of SIGNALS) {
      Deno.addSignalListener(signal, () => {
        if (heard) {
          engine.runner.closeSync();
          engine.record.endSync();
          listening.removeSync();
          Deno.exit(code);
        }
        heard = true;
        resolve();
      });
    }
  });
}

/** Waits for `work`, but no longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, ms));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
