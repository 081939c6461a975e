import assert from "node:assert/strict";
import { openFence } from "../support/fenced.ts";
import { makeTree } from "../support/tree.ts";

/** The names of the table in docs/fence.md, as a script with `deno` finds them. */
const SCRIPT = `
import { isMainThread } from "node:worker_threads";
import process from "node:process";
process.env.SET_HERE = "1";
let chdir = "works";
try { process.chdir("/"); } catch { chdir = "throws"; }
console.log(JSON.stringify({
  self: typeof self,
  globalThis: [globalThis.constructor.name, typeof globalThis.postMessage],
  localStorage: typeof localStorage,
  sessionStorage: typeof sessionStorage,
  alert: typeof alert,
  mainModule: typeof Deno.mainModule,
  main: import.meta.main,
  args: [Deno.args, process.argv.slice(2)],
  isMainThread,
  chdir,
  setHere: Deno.env.get("SET_HERE") ?? "not seen",
}));
`;

Deno.test("docs/fence.md: what a worker changes for a script with deno is what it says", async () => {
  await using tree = await makeTree({
    "hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
    "hostile/a.mjs": SCRIPT,
  });
  using fence = openFence({
    root: tree.root,
    env: { SKILLFENCE_OS_FENCE: "off" },
  });
  const { stdout, stderr } = await fence.run("a.mjs", { args: ["x y"] });
  assert.deepEqual(JSON.parse(stdout || stderr), {
    self: "undefined",
    globalThis: ["DedicatedWorkerGlobalScope", "function"],
    localStorage: "undefined",
    sessionStorage: "undefined",
    alert: "undefined",
    mainModule: "undefined",
    main: true,
    args: [["x y"], ["x y"]],
    isMainThread: false,
    chdir: "throws",
    setHere: "not seen",
  });
  const page = await Deno.readTextFile(
    new URL("../../docs/fence.md", import.meta.url),
  );
  for (
    const row of [
      /^\| `self` .*\| not defined/m,
      /^\| `globalThis` .*`DedicatedWorkerGlobalScope`/m,
      /^\| `localStorage`, `sessionStorage` .*\| not defined/m,
      /^\| `alert`, `confirm`, `prompt` .*\| not defined/m,
      /^\| `Deno.mainModule` .*\| `undefined`/m,
      /^\| `isMainThread` .*\| `false`/m,
      /^\| `process.chdir` .*\| throws/m,
      /^\| `process.env` .*a copy/m,
    ]
  ) assert.match(page, row);
});
