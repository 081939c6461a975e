/**
 * Granted names whose records are private addresses, answered by a resolver of
 * our own, in a private mount namespace with its own resolv.conf.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { makeTree } from "../support/tree.ts";
import { FLAG_WORDS } from "../../src/cli/attack_verdict.ts";
import { isAlone, type Mode, modesHere } from "./hostile/modes.ts";

/** Another resolv.conf for one process needs a mount namespace. */
const AS_ROOT = Deno.build.os === "linux" && Deno.uid() === 0;
const SCENE = fileURLToPath(
  new URL("hostile/rebinding_scene.ts", import.meta.url),
);

interface Played {
  readonly mode: string;
  readonly said: string;
  readonly reached: number;
  readonly asked: readonly string[];
}

async function play(modes: readonly string[]): Promise<Played[]> {
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
      SCENE,
      ...modes,
    ],
  }).output();
  const decoder = new TextDecoder();
  const lines = decoder.decode(stdout).trim().split("\n");
  assert.equal(lines.length, modes.length, decoder.decode(stderr));
  return lines.map((line) => JSON.parse(line));
}

/** What a denied name meets: the flags, the proxy, or nobody in the sandbox. */
const REFUSED =
  /status 403|fetch failed|ConnectionRefused|ECONNREFUSED|EAFNOSUPPORT|EPERM|name resolution|EAI_AGAIN|ENODATA|ENOTFOUND|[Nn]o address/;

Deno.test({
  name:
    "fence: rebinding a granted name that resolves to a private address leads nowhere, in each mode",
  ignore: !AS_ROOT,
  async fn() {
    const modes = modesHere().filter((mode: Mode) => !isAlone(mode));
    for (const { mode, said, reached } of await play(modes)) {
      assert.equal(reached, 0, `${mode}: ${said}`);
      const held = /^HELD (.*)$/m.exec(said)?.[1];
      assert.ok(held, `${mode}: ${said}`);
      for (const part of held.split(" | ")) {
        assert.ok(
          FLAG_WORDS.test(part) || REFUSED.test(part),
          `${mode}: ${part}`,
        );
      }
      assert.doesNotMatch(said, /^GOT/m, mode);
    }
  },
});

Deno.test({
  name:
    "fence: rebinding is answered once for each connection that a proxy makes",
  ignore: !AS_ROOT || !modesHere().includes("bwrap"),
  async fn() {
    const [played] = await play(["bwrap"]);
    // Deno asks nobody itself: only fetch gets as far as the proxy.
    const times = (question: string) =>
      played!.asked.filter((one) => one === question).length;
    assert.equal(times("loopback/1"), 1, JSON.stringify(played));
    assert.equal(times("metadata/1"), 1);
  },
});

Deno.test({
  name: "fence: rebinding control: with nothing around it loopback is reached",
  ignore: !AS_ROOT,
  async fn() {
    const [played] = await play(["bare"]);
    assert.ok(played!.reached > 0, played!.said);
    assert.match(played!.said, /^GOT/m);
  },
});
