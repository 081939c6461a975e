/** What could carry something from one run, or one skill, to the next. */

import { join } from "node:path";
import { type Attack, attempt, deep, followedBy } from "./attack.ts";
import { SECRET } from "./scene.ts";

/** Attacks by way of what is kept. */
export const STORAGE_ATTACKS: readonly Attack[] = [
  {
    id: "h38",
    kind: "key-value-store",
    title: "a key-value store",
    file: "a.mjs",
    source: attempt(`await Deno.openKv("__TARGET__/kv")`),
    target: "directory",
    control: { none: "the API is absent without its unstable flag" },
    words: /openKv is not a function|--unstable-kv/,
  },
  { ...deep("h40"), kind: "kept-between-runs", control: "bare" },
  {
    id: "h41",
    kind: "kept-between-runs",
    title: "files and databases left in the run's own directories",
    file: "a.mjs",
    source: `import { DatabaseSync } from "node:sqlite";
const out = Deno.env.get("SKILL_OUT"), home = Deno.env.get("HOME");
` + followedBy(
        attempt(
          `Deno.readTextFileSync(out + "/kept")`,
          `Deno.readTextFileSync(home + "/kept")`,
          `new DatabaseSync(out + "/db").prepare("SELECT a FROM t").get().a`,
        ),
        `  for (const dir of [out, home]) Deno.writeTextFileSync(dir + "/kept", "kept");
  new DatabaseSync(out + "/db").exec("CREATE TABLE t (a); INSERT INTO t VALUES ('kept')");
`,
      ),
    target: "none",
    control: "bare",
    runs: 2,
    words: /NotFound|no such table/,
  },
  {
    id: "h74",
    kind: "kept-between-skills",
    title: "the data directory of another skill, and its neighbours",
    file: "a.mjs",
    source: `const data = Deno.env.get("MCP_DATA_DIR");\n` + attempt(
      `[...Deno.readDirSync(data + "/..")].map(({ name }) => name).find((name) => name.includes("other"))`,
      `Deno.readTextFileSync(data + "/../other/kept")`,
      `Deno.readTextFileSync(new URL("../other/kept", import.meta.url).pathname)`,
      `(Deno.writeTextFileSync(data + "/../planted", "x"), "written")`,
    ),
    target: "none",
    control: {
      none: "h60 shows that a skill's own directory is kept for its next run",
    },
    words: /nothing came of it/,
    before: async ({ dataDir, root }) => {
      for (const dir of [join(dataDir, "other"), join(root, "other")]) {
        await Deno.mkdir(dir, { recursive: true });
        await Deno.chmod(dir, 0o777);
        await Deno.writeTextFile(join(dir, "kept"), SECRET);
      }
    },
  },
  {
    id: "run-dir",
    kind: "run-directory",
    title: "what the server keeps beside the scratch, and other runs'",
    file: "a.mjs",
    source: `const run = Deno.env.get("TMPDIR") + "/..";\n` + attempt(
      `Deno.readTextFileSync(run + "/audit.jsonl").length`,
      `(Deno.writeTextFileSync(run + "/audit.jsonl", ""), "emptied the record")`,
      `(Deno.truncateSync(run + "/audit.jsonl"), "cut the record")`,
      `Deno.readTextFileSync(run + "/status").length`,
      `(Deno.removeSync(run + "/proxy", { recursive: true }), "removed the proxy")`,
      `(Deno.renameSync(run + "/audit.jsonl", run + "/scratch/out/a"), "moved the record")`,
    ),
    target: "none",
    control: { none: "bare there is no run's directory" },
  },
  {
    id: "run-others",
    kind: "run-directory",
    title: "the directories of other runs",
    file: "a.mjs",
    source:
      `const own = [import.meta.url, ...["TMPDIR", "MCP_DATA_DIR"].map((name) => Deno.env.get(name))].join();
const others = (dir) => [...Deno.readDirSync(dir)].map(({ name }) => name).find((name) => !own.includes(name));
` + attempt(
        `others(Deno.env.get("TMPDIR") + "/../..")`,
        `others("/tmp")`,
        `others("/var/tmp")`,
      ),
    target: "none",
    control: "bare",
    words: /nothing came of it/,
  },
];
