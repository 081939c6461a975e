/**
 * A server of its own process for `environ_test.ts`: starts the declared server
 * of a scene and prints what that says of the environments it could read.
 */

import { Kernel } from "../../src/os/kernel.ts";
import { makeUpstream } from "./scene.ts";

const [mode = "off", unfenced, secret = "", open] = Deno.args;
if (open !== undefined) {
  // A control: hiding this process does not work here.
  Object.defineProperty(Kernel.prototype, "call", {
    value: () => 0,
  });
}

await using scene = await makeUpstream({
  mode: mode as "off",
  server: "parent.mjs",
  row: { unfenced: unfenced === "unfenced", net: true },
  files: {
    "root/hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: node }\n---\n",
    "root/hostile/a.mjs":
      'await Deno.writeTextFile(`${Deno.env.get("SKILL_OUT")}/o`, "o"); console.log("ran");',
  },
});
await scene.pin();
const said = await scene.call("look", { secret });
// What reads its own /proc afterwards has to go on working here.
const own = {
  environ: await Deno.readTextFile("/proc/self/environ").then(
    () => true,
    () => false,
  ),
  limits: (await Deno.readTextFile("/proc/self/limits")).length > 0,
  runs: await run(),
  descriptors: [...Deno.readDirSync("/proc/self/fd")].length > 0,
};
const line = JSON.stringify({ ...JSON.parse(said), here: own });
Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

/** A script of another skill, behind the same layer. */
async function run(): Promise<boolean> {
  const { result, stdout } = await scene.fence.run("a.mjs");
  return stdout.trim() === "ran" && result.outputs.length === 1;
}
