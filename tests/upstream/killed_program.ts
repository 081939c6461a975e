/**
 * A server of its own process for `killed_test.ts`: starts a declared server
 * that means to stay, says so, and waits to be killed.
 */

import { makeUpstream } from "./scene.ts";

const [mode = "off", mark = ""] = Deno.args;
const scene = await makeUpstream({
  mode: mode as "off",
  server: "stubborn.mjs",
  args: [mark],
  row: { unfenced: mode === "off" },
});
await scene.pin();
await scene.call("stay");
Deno.stdout.writeSync(new TextEncoder().encode(`${scene.tree.root}\n`));
await new Promise(() => setInterval(() => {}, 1_000));
