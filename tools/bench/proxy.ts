/** What it costs to reach a host through a run's proxy: host, proxy and client are processes of their own. */

import { join } from "node:path";
import { startProxy } from "../../src/proxy/proxy.ts";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import type { ProxyTimes } from "./proxy_client.ts";
import { ms, type Row, row } from "./row.ts";

const ADDRESS = "127.0.0.1";
const MIB = 1024 * 1024;
/** What is downloaded. */
const DOWNLOAD = 64 * MIB;

/** One small request, and one large answer, through the proxy and directly. */
export async function measureProxy(): Promise<Row[]> {
  await using host = await startHost();
  const pattern = parseHostPattern(`${ADDRESS}:${host.port}`);
  if (!pattern.ok) throw new Error(pattern.message);
  const dir = await Deno.makeTempDir();
  const socket = join(dir, "proxy.sock");
  const proxy = await startProxy({
    socket,
    upstream: {},
    rules: {
      hosts: [pattern.value],
      openAddresses: [ADDRESS],
      closedPorts: [],
      secrets: [],
    },
  });
  try {
    if (!proxy.ok) throw new Error(proxy.message);
    const url = `http://${ADDRESS}:${host.port}/`;
    const { small, large } = await askedFrom(socket, url);
    const rate = (time: number) =>
      `${(DOWNLOAD / MIB / (time / 1000)).toFixed(0)} MiB/s`;
    return [
      row(
        `a request through the run's proxy (${ms(small.proxied)}) / direct (${
          ms(small.direct)
        })`,
        small.proxied / small.direct,
      ),
      row(
        `64 MiB through the run's proxy (${rate(large.proxied)}) / direct (${
          rate(large.direct)
        }), time`,
        large.proxied / large.direct,
      ),
    ];
  } finally {
    if (proxy.ok) await proxy.value.close();
    await Deno.remove(dir, { recursive: true });
  }
}

async function askedFrom(socket: string, url: string): Promise<ProxyTimes> {
  const { success, stdout, stderr } = await script("proxy_client.ts", [
    socket,
    url,
    String(DOWNLOAD),
  ]).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** A server of many and few bytes, which ends with its stdin. */
async function startHost(): Promise<AsyncDisposable & { port: number }> {
  const child = script("loopback_host.ts", [], "piped").spawn();
  const { value } = await child.stdout.pipeThrough(new TextDecoderStream())
    .getReader().read();
  return {
    port: Number(value),
    async [Symbol.asyncDispose]() {
      await child.stdin.close();
      await child.stderr.cancel();
      await child.status;
    },
  };
}

function script(
  name: string,
  args: readonly string[],
  stdin: "null" | "piped" = "null",
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", join(import.meta.dirname!, name), ...args],
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
}
