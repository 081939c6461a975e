/** What another process swaps between the checks and the run, and names that would end an item. */

import { join } from "node:path";
import { type Attack, attempt } from "./attack.ts";
import { ownData } from "./scene.ts";

const READ = attempt(
  `Deno.readTextFileSync(new URL("./lib/secret.txt", import.meta.url).pathname)`,
);

const READ_BESIDE = attempt(
  `Deno.readTextFileSync(new URL("./secret.txt", import.meta.url).pathname)`,
);

/** What another process swaps between the checks and the run, and names that would end an item. */
export const SWAP_ATTACKS: readonly Attack[] = [
  {
    id: "link-race",
    linux: true,
    kind: "swap-link",
    title: "a directory of the skill swapped for a link once it was checked",
    file: "a.mjs",
    source: READ,
    target: "file",
    also: { "lib/secret.txt": "harmless" },
    control: "bare",
    between: async ({ skillDir, outside }) => {
      await Deno.remove(join(skillDir, "lib"), { recursive: true });
      await Deno.symlink(outside, join(skillDir, "lib"));
    },
  },
  {
    id: "link-race-import",
    linux: true,
    kind: "swap-link",
    title: "a module of the skill swapped for a link once it was checked",
    file: "a.mjs",
    source:
      `import { secret } from "./lib.mjs";\nconsole.log("GOT " + secret);\n`,
    target: "module",
    also: { "lib.mjs": "export const secret = 1;\n" },
    control: "bare",
    between: async ({ skillDir, target }) => {
      await Deno.remove(join(skillDir, "lib.mjs"));
      await Deno.symlink(target, join(skillDir, "lib.mjs"));
    },
  },
  {
    id: "script-race",
    linux: true,
    kind: "swap-script",
    title: "the script itself written anew once it was checked",
    file: "a.mjs",
    source: `console.log("HELD NotCapable: it is what was checked");\n`,
    target: "none",
    control: "bare",
    between: ({ skillDir }) =>
      Deno.writeTextFile(join(skillDir, "a.mjs"), `console.log("GOT to run");`),
  },
  {
    id: "hard-link-race",
    linux: true,
    kind: "swap-hard-link",
    title: "a file of the skill swapped for a hard link once it was checked",
    file: "a.mjs",
    source: READ,
    target: "file",
    also: { "lib/secret.txt": "harmless" },
    control: "bare",
    between: async ({ skillDir, target }) => {
      await Deno.remove(join(skillDir, "lib", "secret.txt"));
      await Deno.link(target, join(skillDir, "lib", "secret.txt"));
    },
  },
  {
    id: "root-race",
    linux: true,
    kind: "swap-root",
    title: "the skill's directory swapped for a link once it was checked",
    file: "a.mjs",
    source: READ_BESIDE,
    target: "file",
    refused: ["PREFLIGHT"],
    control: "bare",
    between: async ({ skillDir, outside }) => {
      await Deno.copyFile(join(skillDir, "a.mjs"), join(outside, "a.mjs"));
      await Deno.rename(skillDir, `${skillDir}-was`);
      await Deno.symlink(outside, skillDir);
    },
  },
  {
    id: "root-race-moved",
    linux: true,
    kind: "swap-root",
    title: "another directory moved to the place of the skill's",
    file: "a.mjs",
    source: READ_BESIDE,
    target: "file",
    refused: ["PREFLIGHT"],
    control: "bare",
    between: async ({ skillDir, outside }) => {
      await Deno.copyFile(join(skillDir, "a.mjs"), join(outside, "a.mjs"));
      await Deno.rename(skillDir, `${skillDir}-was`);
      await Deno.rename(outside, skillDir);
    },
  },
  {
    id: "root-race-above",
    linux: true,
    kind: "swap-root",
    title: "the directory above the skill's swapped for a link",
    file: "a.mjs",
    source: READ_BESIDE,
    target: "file",
    refused: ["PREFLIGHT"],
    control: "bare",
    between: async ({ root, skillDir, outside }) => {
      const there = join(outside, "hostile");
      await Deno.mkdir(there);
      await Deno.copyFile(join(skillDir, "a.mjs"), join(there, "a.mjs"));
      await Deno.rename(join(outside, "secret.txt"), join(there, "secret.txt"));
      await Deno.rename(root, `${root}-was`);
      await Deno.symlink(outside, root);
    },
  },
  {
    id: "data-race",
    linux: true,
    kind: "swap-root",
    title: "the data directory swapped for a link once it was checked",
    file: "a.mjs",
    source: `const dir = Deno.env.get("MCP_DATA_DIR");\n` + attempt(
      `Deno.readTextFileSync(dir + "/secret.txt")`,
      `(Deno.writeTextFileSync(dir + "/planted", "x"), "written")`,
    ),
    target: "file",
    control: {
      none: "bare there is no data directory to swap; root-race is its twin",
    },
    runs: 2,
    between: async (at) => {
      const dir = await ownData(at).catch(() => undefined);
      if (dir === undefined) return;
      await Deno.rename(dir, `${at.outside}/was`);
      await Deno.symlink(at.outside, dir);
    },
    refused: ["PREFLIGHT"],
  },
  {
    id: "data-race-moved",
    linux: true,
    kind: "swap-root",
    title: "another directory moved to the place of the data directory",
    file: "a.mjs",
    source: `const dir = Deno.env.get("MCP_DATA_DIR");\n` + attempt(
      `Deno.readTextFileSync(dir + "/secret.txt")`,
    ),
    target: "file",
    control: {
      none: "bare there is no data directory to swap; root-race is its twin",
    },
    runs: 2,
    between: async (at) => {
      const dir = await ownData(at).catch(() => undefined);
      if (dir === undefined) return;
      await Deno.rename(dir, `${at.outside}-was`);
      await Deno.rename(at.outside, dir);
    },
    refused: ["PREFLIGHT"],
  },
  {
    id: "mount-below",
    linux: true,
    kind: "swap-mount",
    title: "a link in the skill that a sandbox's mounts would follow",
    file: "a.mjs",
    source: attempt(`Deno.readTextFileSync("/oldroot__TARGET__")`),
    target: "file",
    control: { none: "what is looked for is an effect outside" },
    between: async ({ skillDir, outside }) => {
      await Deno.symlink(`/oldroot${outside}`, join(skillDir, "x"));
    },
    breached: async ({ outside }) => {
      const names = await Array.fromAsync(Deno.readDir(outside));
      return names.some(({ name }) => name !== "secret.txt");
    },
  },
  {
    id: "comma",
    linux: true,
    kind: "path-injection",
    title: "a comma in a path, which would part a list of the flags",
    file: "a.mjs",
    source: attempt(`Deno.readTextFileSync("__TARGET__")`),
    target: "file",
    root: "ro,ot",
    control: "bare",
    refused: ["PREFLIGHT"],
  },
  {
    id: "placeholder",
    linux: true,
    kind: "path-injection",
    title: "a name that looks like a placeholder of the Plan",
    file: "a.mjs",
    source: attempt(`Deno.readTextFileSync(Deno.args[0] + "/secret.txt")`),
    target: "directory",
    root: "<run>",
    args: ["<scratch>"],
    control: { none: "a word in angle brackets means nothing to the runtime" },
    words: /secret\.txt/,
  },
];
