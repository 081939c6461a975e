/**
 * Asks a host through a proxy and directly, in turns, and prints the medians:
 * `proxy_client.ts SOCKET URL BYTES`.
 */

import { say } from "../say.ts";
import { inTurns, timed } from "./timing.ts";

/** Milliseconds of a small answer and of a large one, each way. */
export interface ProxyTimes {
  readonly small: { readonly direct: number; readonly proxied: number };
  readonly large: { readonly direct: number; readonly proxied: number };
}

async function main(socket: string, url: string, bytes: number): Promise<void> {
  using client = Deno.createHttpClient({
    proxy: { transport: "unix", path: socket },
  });
  const get = (
    size: number,
    options: RequestInit & { client?: Deno.HttpClient },
  ) =>
    timed(async () => {
      const answer = await fetch(`${url}${size}`, options);
      let got = 0;
      for await (const chunk of answer.body!) got += chunk.length;
      if (!answer.ok || got !== size) {
        throw new Error(`${answer.status}, ${got} bytes of ${size}`);
      }
    });
  const both = (rounds: number, size: number) =>
    inTurns(rounds, {
      direct: () => get(size, {}),
      proxied: () => get(size, { client }),
    });
  const times: ProxyTimes = {
    small: await both(200, 2),
    large: await both(9, bytes),
  };
  say(JSON.stringify(times));
}

if (import.meta.main) {
  const [socket = "", url = "", bytes] = Deno.args;
  await main(socket, url, Number(bytes));
}
