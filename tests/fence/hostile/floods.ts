/** Scripts that would use up the machine or outlive their call. */

import type { RunResult } from "../../../src/fence/types.ts";
import { type Attack, attempt } from "./attack.ts";

const MIB = 1024 * 1024;
/** What a run may take after its deadline: SIGTERM, SIGKILL, giving up. */
const AFTER_DEADLINE_MS = 4_000;

interface Flood {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly limits?: string;
  readonly heldBy: (result: RunResult) => boolean;
  readonly kind?: string;
  readonly words?: RegExp;
}

function flood(
  { id, title, source, timeout = 15, limits, heldBy, kind = id, words }: Flood,
): Attack {
  return {
    id,
    kind,
    title,
    file: "a.mjs",
    source,
    target: "none",
    declares: {
      timeout,
      egress: [],
      ...(limits === undefined ? {} : { limits }),
    },
    control: {
      none: "what is seen is the bound; without one the machine would suffer",
    },
    words,
    // They bound what the flags are about; without these there is no bound.
    notIn: ["bwrap alone", "landlock alone"],
    heldBy: (result) =>
      result.durationMs < timeout * 1000 + AFTER_DEADLINE_MS && heldBy(result),
  };
}

/** It ended by itself or was ended before its deadline. */
function bounded({ timedOut, exitCode }: RunResult): boolean {
  return !timedOut && exitCode !== 0;
}

/** Attacks on memory, time, disk and the reader of their output. */
export const FLOOD_ATTACKS: readonly Attack[] = [
  flood({
    id: "flood-heap",
    title: "a heap that grows",
    source: `const all = []; for (;;) all.push(new Array(100000).fill({}));`,
    limits: "{ memory: 64 }",
    heldBy: bounded,
  }),
  flood({
    id: "flood-buffers",
    title: "buffers of 4 GB",
    source: attempt(
      `(() => { const all = []; for (let i = 0; i < 64; i++) all.push(new Uint8Array(64 * 1024 * 1024)); return all.length; })()`,
      `(() => { const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); while (m.grow(1024) >= 0); if (m.buffer.byteLength > 3e9) return m.buffer.byteLength; throw new RangeError("grown to a bound"); })()`,
    ),
    limits: "{ memory: 128 }",
    words: /RangeError/,
    heldBy: bounded,
  }),
  flood({
    id: "flood-workers",
    title: "200 workers",
    source:
      `for (let i = 0; i < 200; i++) new Worker("data:application/javascript,setInterval(()=>{},1e3)", { type: "module" });
setTimeout(() => { console.log("GOT 200 workers"); Deno.exit(0); }, 5000);`,
    heldBy: bounded,
  }),
  flood({
    id: "h43",
    kind: "outlives-deadline",
    title: "SIGTERM trapped and a loop at exit",
    source: `import process from "node:process";
try { Deno.addSignalListener("SIGTERM", () => {}); } catch { /* no signals here */ }
process.on("exit", () => { while (true); });
setTimeout(() => {}, 1);`,
    timeout: 1,
    heldBy: ({ timedOut }) => timedOut,
  }),
  flood({
    id: "await-forever",
    kind: "outlives-deadline",
    title: "an await that never settles, kept alive by a timer",
    source: `setInterval(() => {}, 1000); await new Promise(() => {});`,
    timeout: 1,
    heldBy: ({ timedOut }) => timedOut,
  }),
  flood({
    id: "flood-output",
    title: "output without end",
    source:
      `const line = new TextEncoder().encode("x".repeat(65535) + "\\n"); for (;;) { Deno.stdout.writeSync(line); Deno.stderr.writeSync(line); }`,
    timeout: 1,
    heldBy: ({ timedOut, stdout, overLimit }) =>
      (timedOut || overLimit !== null) &&
      stdout.head.length + stdout.tail.length <= 2 * MIB,
  }),
  flood({
    id: "flood-disk",
    title: "files that fill the disk",
    source:
      `const out = Deno.env.get("SKILL_OUT"), chunk = new Uint8Array(1024 * 1024);
` + attempt(
        `(() => { for (let i = 0; i < 400; i++) Deno.writeFileSync(out + "/" + i, chunk); return "400 MB in outputs"; })()`,
        `(() => { const tmp = Deno.env.get("TMPDIR"); for (let i = 0; i < 400; i++) Deno.writeFileSync(tmp + "/" + i, chunk); return "400 MB in scratch"; })()`,
      ),
    limits: "{ disk: 50 }",
    heldBy: ({ overLimit }) => overLimit !== null,
  }),
  flood({
    id: "flood-file",
    title: "one file that grows",
    source: attempt(
      `(() => { const f = Deno.openSync(Deno.env.get("SKILL_OUT") + "/f", { write: true, create: true }); const chunk = new Uint8Array(1024 * 1024); for (let i = 0; i < 400; i++) f.writeSync(chunk); return "400 MB"; })()`,
    ),
    // A script that is process 1 gets an error instead of the signal.
    words: /EFBIG|File too large|os error 27/,
    limits: "{ file: 10 }",
    heldBy: bounded,
  }),
  flood({
    id: "flood-files",
    title: "files without number",
    source: attempt(
      `(() => { for (let i = 0; i < 3000; i++) Deno.writeTextFileSync(Deno.env.get("SKILL_OUT") + "/" + i, ""); return "3,000 files"; })()`,
    ),
    limits: "{ files: 200 }",
    heldBy: ({ overLimit }) => overLimit !== null,
  }),
  flood({
    id: "flood-descriptors",
    title: "descriptors without number",
    source: attempt(
      `(() => { const all = []; for (let i = 0; i < 5000; i++) all.push(Deno.openSync(new URL(import.meta.url).pathname)); return all.length; })()`,
    ),
    words: /EMFILE/,
    heldBy: bounded,
  }),
  flood({
    id: "flood-record",
    title: "a record of what was tried, flooded",
    source:
      `for (let i = 0; i < 3000; i++) { try { Deno.statSync("/none/" + i); } catch { /* denied */ } }\nconsole.log("HELD done");`,
    heldBy: ({ evidence, exitCode }) => exitCode === 0 && evidence.more > 0,
  }),
];
