/**
 * A declared name whose AAAA record spells loopback. The name is answered by a
 * resolver of our own, in a private mount namespace with its own resolv.conf.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { makeTree } from "../support/tree.ts";

const AS_ROOT = Deno.build.os === "linux" && Deno.uid() === 0;

async function inside(mode: "fenced" | "control"): Promise<string> {
  await using tree = await makeTree({
    "resolv.conf": "nameserver 127.0.0.153\noptions timeout:1 attempts:1\n",
    "nsswitch.conf": "hosts: dns\n",
  });
  const { stdout, stderr } = await new Deno.Command("unshare", {
    args: [
      "--mount",
      "sh",
      "-c",
      'mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"',
      "sh",
      tree.path("resolv.conf"),
      tree.path("nsswitch.conf"),
      Deno.execPath(),
      "run",
      "-A",
      "--cached-only",
      fileURLToPath(new URL("./resolver_scene.ts", import.meta.url)),
      mode,
    ],
  }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

Deno.test({
  name: "fence: an AAAA record that spells loopback leads nowhere",
  // Another resolv.conf for one process needs a mount namespace.
  ignore: !AS_ROOT,
  async fn() {
    const said = await inside("fenced");
    assert.match(said, /^HELD/m, said);
    assert.doesNotMatch(said, /^GOT/m, said);
  },
});

Deno.test({
  name:
    "fence: control: without the resolver option the same record reaches loopback",
  // Another resolv.conf for one process needs a mount namespace.
  ignore: !AS_ROOT,
  async fn() {
    const said = await inside("control");
    assert.match(said, /^GOT/m, said);
  },
});
