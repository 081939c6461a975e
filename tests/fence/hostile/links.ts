/** What somebody else puts on disk: shipped, planted, or swapped in time. */

import { join } from "node:path";
import { type Attack, attempt } from "./attack.ts";
import type { Scene } from "./scene.ts";

const READ = attempt(
  `Deno.readTextFileSync(new URL("./lib/secret.txt", import.meta.url).pathname)`,
);

/** The directory that the skill has below the data directory. */
async function ownData({ dataDir }: Scene): Promise<string> {
  for await (const { name } of Deno.readDir(dataDir)) {
    return join(dataDir, name);
  }
  throw new Error("the skill has no data directory");
}

/** Puts a link to the target there, once. */
function plant(
  link: (from: string, to: string) => Promise<void>,
): Attack["after"] {
  return async (at) => {
    const place = join(await ownData(at), "l");
    const there = await Deno.lstat(place).then(() => true, () => false);
    if (!there) await link(at.target, place);
  };
}

function linkTo(path: string): Attack["before"] {
  return ({ target, skillDir }) => Deno.symlink(target, join(skillDir, path));
}

/** Attacks with links, special files and names. */
export const LINK_ATTACKS: readonly Attack[] = [
  {
    id: "h70",
    linux: true,
    kind: "link-shipped",
    title: "a link shipped in the skill that leads out",
    file: "a.mjs",
    source: attempt(
      `Deno.readTextFileSync(new URL("./notes.txt", import.meta.url).pathname)`,
    ),
    target: "file",
    control: "inside",
    before: linkTo("notes.txt"),
    refused: ["PREFLIGHT"],
  },
  {
    id: "h70-oldroot",
    linux: true,
    kind: "link-shipped",
    title: "a link shipped in the skill that only leads out in a sandbox",
    file: "a.mjs",
    source: attempt(`Deno.readTextFileSync("/oldroot__TARGET__")`),
    target: "file",
    control: { none: "the path exists while a sandbox is set up, if at all" },
    before: ({ skillDir, target }) =>
      Deno.symlink(`/oldroot${target}`, join(skillDir, "x")),
    refused: ["PREFLIGHT"],
  },
  {
    id: "hard-link",
    linux: true,
    kind: "hard-link-shipped",
    title: "a hard link in the skill to a file of the skill's own owner",
    file: "a.mjs",
    source: attempt(
      `Deno.readTextFileSync(new URL("./notes.txt", import.meta.url).pathname)`,
    ),
    target: "file",
    control: "bare",
    before: ({ target, skillDir }) =>
      Deno.link(target, join(skillDir, "notes.txt")),
  },
  {
    id: "hard-link-data",
    linux: true,
    kind: "link-planted",
    title: "a hard link planted in the data directory between runs",
    file: "a.mjs",
    source: attempt(
      `Deno.readTextFileSync(Deno.env.get("MCP_DATA_DIR") + "/l")`,
    ),
    target: "file",
    control: {
      none: "swap-hard-link shows that such a link is read through",
    },
    runs: 2,
    words: /NotFound/,
    after: plant(Deno.link),
    refused: ["PREFLIGHT"],
  },
  {
    id: "fifo",
    linux: true,
    kind: "file-special",
    title: "a FIFO in the skill, on which a reader hangs",
    file: "a.mjs",
    source: attempt(
      `Deno.statSync(new URL("./pipe", import.meta.url).pathname).isFifo ? "a FIFO" : undefined`,
    ),
    target: "none",
    control: "bare",
    before: async ({ skillDir }) => {
      await new Deno.Command("mkfifo", { args: [join(skillDir, "pipe")] })
        .output();
    },
    refused: ["PREFLIGHT"],
  },
  {
    id: "socket-shipped",
    linux: true,
    kind: "file-special",
    title: "a unix socket in the skill",
    file: "a.mjs",
    source: attempt(
      `Deno.statSync(new URL("./s", import.meta.url).pathname).isSocket ? "a socket" : undefined`,
    ),
    target: "none",
    control: "bare",
    before: ({ skillDir }) => {
      const at = join(skillDir, "s");
      const listener = Deno.listen({ transport: "unix", path: `${at}1` });
      // A socket is removed when it is closed, if it still has its name.
      Deno.renameSync(`${at}1`, at);
      listener.close();
      return Promise.resolve();
    },
    refused: ["PREFLIGHT"],
  },
  {
    id: "h45",
    linux: true,
    kind: "link-planted",
    title: "a link planted in the data directory between runs",
    file: "a.mjs",
    source: attempt(
      `Deno.readTextFileSync(Deno.env.get("MCP_DATA_DIR") + "/l")`,
    ),
    target: "file",
    control: {
      none: "link-race shows that the flags alone would follow such a link",
    },
    runs: 2,
    words: /NotFound/,
    after: plant(Deno.symlink),
    refused: ["PREFLIGHT"],
  },
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
    source: attempt(
      `Deno.readTextFileSync(new URL("./secret.txt", import.meta.url).pathname)`,
    ),
    target: "file",
    // Landlock's launcher follows no link to what it opens.
    refused: ["SPAWN_FAILED"],
    control: "bare",
    between: async ({ skillDir, outside }) => {
      await Deno.copyFile(join(skillDir, "a.mjs"), join(outside, "a.mjs"));
      await Deno.rename(skillDir, `${skillDir}-was`);
      await Deno.symlink(outside, skillDir);
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
