/** What somebody else puts on disk: shipped, planted, or swapped in time. */

import { join } from "node:path";
import { type Attack, attempt } from "./attack.ts";
import { ownData } from "./scene.ts";

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
];
