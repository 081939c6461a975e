/** Storage that could carry something from one run, or one skill, to the next. */

import { type Attack, attempt } from "./attack.ts";

/** Attacks by way of state the runtime keeps for a program. */
export const STORAGE_ATTACKS: readonly Attack[] = [
  {
    id: "h38",
    title: "a key-value store",
    file: "a.mjs",
    source: attempt(`await Deno.openKv("__TARGET__/kv")`),
    target: "directory",
    control: { none: "the API is absent without its unstable flag" },
  },
  {
    id: "h40",
    title: "the cache API between runs",
    file: "a.mjs",
    source:
      `try { const c = await caches.open("x"); const before = await c.match("http://x.invalid/a");
console.log(before ? "GOT " + await before.text() : "HELD nothing was kept");
await c.put("http://x.invalid/a", new Response("kept")); } catch (error) { console.log("HELD " + error.message); }
`,
    target: "none",
    control: "bare",
    runs: 2,
  },
  {
    id: "h41",
    title: "local storage between runs",
    file: "a.mjs",
    source: `try { const before = globalThis.localStorage?.getItem("x");
console.log(before ? "GOT " + before : "HELD nothing was kept");
globalThis.localStorage?.setItem("x", "kept"); } catch (error) { console.log("HELD " + error.message); }
`,
    target: "none",
    control: "bare",
    runs: 2,
  },
  {
    id: "tmp",
    title: "a file left in the temporary directory",
    file: "a.mjs",
    source: `const at = Deno.env.get("TMPDIR") + "/kept";
let before; try { before = Deno.readTextFileSync(at); } catch { /* the first run finds none */ }
console.log(before ? "GOT " + before : "HELD nothing was kept");
Deno.writeTextFileSync(at, "kept");
`,
    target: "none",
    control: "bare",
    runs: 2,
  },
];
