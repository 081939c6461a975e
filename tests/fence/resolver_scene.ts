/**
 * Run by resolver_test.ts in its namespace: answers `rebound.example.com` with
 * `::ffff:127.0.0.1`, serves on loopback, and runs a script that declares the
 * name. With `control` the child is not told to leave AAAA records alone.
 */

import { createSocket } from "node:dgram";
import { captured, openFence } from "../support/fenced.ts";
import { makeTree } from "../support/tree.ts";

const LOOPBACK_IN_IPV6 = [...Array(10).fill(0), 255, 255, 127, 0, 0, 1];

/** The answer to one DNS query: the record for AAAA, nothing for other types. */
function answer(query: Uint8Array): Uint8Array<ArrayBuffer> {
  let end = 12;
  while (query[end] !== 0) end += query[end]! + 1;
  end += 5;
  const isAaaa = query[end - 3] === 28;
  const head = [...query.slice(0, 2), 0x81, 0x80, 0, 1, 0, isAaaa ? 1 : 0];
  const record = [0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 1, 0, 16];
  return new Uint8Array([
    ...head,
    0,
    0,
    0,
    0,
    ...query.slice(12, end),
    ...(isAaaa ? [...record, ...LOOPBACK_IN_IPV6] : []),
  ]);
}

const dns = createSocket("udp4");
dns.on(
  "message",
  (query, from) => dns.send(answer(query), from.port, from.address),
);
await new Promise<void>((bound) => dns.bind(53, "127.0.0.153", bound));
const web = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  () => new Response("reached"),
);
await using tree = await makeTree({
  "root/hostile/SKILL.md": `---
name: hostile
description: Reaches a name that leads elsewhere.
mcp-host:
  version: 1
  run:
    - { script: a.mjs, interpreter: deno, timeout: 20 }
  egress: ["rebound.example.com:${web.addr.port}"]
---
`,
  "root/hostile/a.mjs":
    `import net from "node:net"; const port = ${web.addr.port}; const why = [];
for (const way of [
  async () => await (await fetch("http://rebound.example.com:" + port)).text(),
  async () => { (await Deno.connect({ hostname: "rebound.example.com", port })).close(); return "connected"; },
  () => new Promise((res, rej) => net.connect(port, "rebound.example.com", () => res("net")).on("error", rej)),
]) { try { console.log("GOT " + await way()); Deno.exit(0); } catch (error) { why.push(error.message); } }
console.log("HELD " + why.join(" | "));
`,
});
{
  using fence = openFence({
    root: tree.path("root"),
    // The permission flags alone: a sandbox asks no resolver.
    env: { SKILLFENCE_OS_FENCE: "off" },
  });
  const prepared = await fence.prepare("a.mjs");
  if (!prepared.ok) throw new Error(prepared.message);
  const { RES_OPTIONS: _, ...values } = prepared.value.values;
  const ran = await fence.engine.runner.run(
    Deno.args[0] === "control" ? { ...prepared.value, values } : prepared.value,
    {},
  );
  if (!ran.ok) throw new Error(ran.message);
  await Deno.stdout.write(
    new TextEncoder().encode(
      captured(ran.value.stdout) + captured(ran.value.stderr),
    ),
  );
}
await web.shutdown();
dns.close();
