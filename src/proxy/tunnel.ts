/** `CONNECT`: host and port are checked, the bytes are counted, not read. */

import { answer, MALFORMED } from "./answers.ts";
import { tunnelDestination } from "./destination.ts";
import { requestFraming } from "./http_body.ts";
import { type RequestHead, valuesOf, writeHead } from "./http_head.ts";
import type { RunState } from "./run_state.ts";
import { joinWires, type Wire } from "./wire.ts";

/** Serves a CONNECT; afterwards the connection is over. Never rejects. */
export async function serveTunnel(
  client: Wire,
  head: RequestHead,
  run: RunState,
): Promise<void> {
  const to = tunnelDestination(head.target);
  const plain = requestFraming(head)?.by === "none" &&
    valuesOf(head.headers, "host").length <= 1;
  if (to === undefined || !plain) return await answer(client, MALFORMED);
  const refusal = run.refusal(to, "tunnel");
  if (refusal !== undefined) return await answer(client, refusal);
  const reached = await run.reach(to, "tunnel");
  if (!("wire" in reached)) return await answer(client, reached);
  try {
    await client.write(writeHead("HTTP/1.1 200 Connection Established", []));
  } catch {
    return reached.wire.close();
  }
  await joinWires(client, reached.wire);
}
