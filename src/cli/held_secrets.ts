/** What `check` says about variables whose values stay at a run's proxy. */

import type { Declaration } from "../skill/types.ts";

/** One sentence or two for each variable that a skill wants held, in order. */
export function heldSecretNotes(
  skill: string,
  { variables }: Declaration,
): string[] {
  return variables.flatMap(({ name, hosts }) => {
    if (hosts === undefined) return [];
    const where = hosts.length === 0
      ? "but none of its hosts can be used, so nothing gets it."
      : `which puts it only into request header values, over https to ${
        hosts.map(({ text }) => text).join(", ")
      }. A service that wants the key in a URL or in a request body does not work this way, and neither does a client that makes its own TLS connection, as node:https does, or opens a WebSocket: the proxy denies both there. Use fetch.`;
    return [
      `${skill}: the value of ${name} is held back by the run's proxy, ${where}`,
    ];
  });
}
