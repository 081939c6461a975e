/**
 * Run by hostile_rebinding_test.ts in a namespace whose resolver is 127.0.0.153:
 * answers names with private addresses, serves on loopback, and runs a script
 * that was granted the names. Prints what the script said, and what was asked.
 */

import { createSocket } from "node:dgram";
import { attempt } from "../../../src/cli/attack_text.ts";
import { captured, openFence } from "../../support/fenced.ts";
import { makeTree } from "../../support/tree.ts";
import { BARE, type Mode, modeEnv } from "./modes.ts";

const A = 1;
const AAAA = 28;
const MAPPED = [...Array(10).fill(0), 255, 255];
const LOOPBACK = [127, 0, 0, 1];

/** First label -> record type -> address; every name is below `example.com`. */
const RECORDS: Readonly<Record<string, Readonly<Record<number, number[]>>>> = {
  loopback: { [A]: LOOPBACK },
  metadata: { [A]: [169, 254, 169, 254] },
  private: { [A]: [10, 0, 0, 1] },
  mapped: { [AAAA]: [...MAPPED, ...LOOPBACK] },
  nat64: { [AAAA]: [0, 100, 255, 155, ...Array(8).fill(0), ...LOOPBACK] },
  both: { [A]: LOOPBACK, [AAAA]: [...MAPPED, ...LOOPBACK] },
};

const asked: string[] = [];

/** The answer to one query (RFC 1035): a record, or none of that type. */
function answer(query: Uint8Array): Uint8Array<ArrayBuffer> {
  let end = 12;
  while (query[end] !== 0) end += query[end]! + 1;
  end += 5;
  const label = new TextDecoder().decode(query.slice(13, 13 + query[12]!));
  const type = query[end - 3]!;
  asked.push(`${label}/${type}`);
  const address = RECORDS[label]?.[type];
  const head = [...query.slice(0, 2), 0x81, 0x80, 0, 1, 0, address ? 1 : 0];
  const record = address === undefined
    ? []
    : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address];
  const rest = [0, 0, 0, 0, ...query.slice(12, end), ...record];
  return new Uint8Array([...head, ...rest]);
}

const dns = createSocket("udp4");
dns.on(
  "message",
  (query, from) => dns.send(answer(query), from.port, from.address),
);
await new Promise<void>((bound) => dns.bind(53, "127.0.0.153", bound));
let reached = 0;
const web = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  () => {
    reached++;
    return new Response("canary");
  },
);

const { port } = web.addr;
const names = Object.keys(RECORDS).map((label) => `${label}.example.com`);
/** Where nothing holds a script, it must not get further than this machine. */
const OWN = names.filter((name) => /^(?:loopback|mapped|both)\./.test(name));
/** Waits for nobody: an address that is not there must not take the deadline. */
const SOON = `import net from "node:net";
const soon = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error("nobody answered")), 1500))]);
const read = async (answer) => { const text = await answer.text(); if (text !== "canary") throw new Error("status " + answer.status + ": " + text); return text; };
`;
const source = (hosts: readonly string[]) =>
  SOON + attempt(
    ...hosts.flatMap((name) => [
      `soon(fetch("http://${name}:${port}/")).then(read)`,
      `soon(Deno.connect({ hostname: "${name}", port: ${port} })).then(() => "connected to ${name}")`,
      `soon(new Promise((yes, no) => net.connect(${port}, "${name}", () => yes("node:net")).on("error", no)))`,
    ]),
  );
await using tree = await makeTree({
  "root/hostile/SKILL.md": `---
name: hostile
description: Reaches names that lead elsewhere.
mcp-host:
  version: 1
  run:
    - { script: a.mjs, interpreter: deno, timeout: 60 }
  egress: ${JSON.stringify(names.map((name) => `${name}:${port}`))}
---
`,
  "root/hostile/a.mjs": source(names),
  "own.mjs": source(OWN),
});

async function run(mode: string): Promise<string> {
  if (mode === "bare") {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...BARE, tree.path("own.mjs")],
    }).output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  }
  using fence = openFence({
    root: tree.path("root"),
    grant: [{
      skill: "hostile",
      script: "a.mjs",
      egress: names.map((name) => `${name}:${port}`),
    }],
    env: modeEnv(mode as Mode),
  });
  const prepared = await fence.prepare("a.mjs");
  if (!prepared.ok) return `${prepared.code}: ${prepared.message}`;
  asked.length = 0;
  const ran = await fence.engine.runner.run(prepared.value, {});
  if (!ran.ok) return `${ran.code}: ${ran.message}`;
  return captured(ran.value.stdout) + captured(ran.value.stderr);
}

for (const mode of Deno.args) {
  reached = 0;
  asked.length = 0;
  const said = await run(mode);
  const line = JSON.stringify({ mode, said, reached, asked });
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
}
await web.shutdown();
dns.close();
