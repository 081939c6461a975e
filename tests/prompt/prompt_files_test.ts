import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import type { Directory, PromptSource } from "../../src/config/types.ts";
import { changedPrompts } from "../../src/prompt/diff.ts";
import {
  PromptFiles,
  type PromptFilesOptions,
} from "../../src/prompt/prompt_files.ts";
import type { PromptSnapshot } from "../../src/prompt/types.ts";
import { makeTree } from "../support/tree.ts";

const file = (path: string): PromptSource => ({ kind: "file", file: path });

function directory(
  path: string,
  filters: Partial<Directory> = {},
): PromptSource {
  return {
    kind: "directory",
    directory: { path, include: [], ignore: [], watch: true, ...filters },
  };
}

async function scan(
  sources: readonly PromptSource[],
  options?: PromptFilesOptions,
): Promise<PromptSnapshot> {
  return await new PromptFiles(sources, options).snapshot();
}

const names = ({ prompts }: PromptSnapshot) => [...prompts.keys()];
const told = ({ problems }: PromptSnapshot) =>
  problems.map(({ reason, path }) => [reason, path]);

Deno.test("PromptFiles: a directory gives its direct *.md, not hidden, in the order of their paths", async () => {
  await using tree = await makeTree({
    "b.md": "B",
    "a.md": "A",
    "Z.md": "Z",
    ".hidden.md": "no",
    "note.txt": "no",
    "UPPER.MD": "no",
    "below/c.md": "no",
  });
  const snapshot = await scan([directory(tree.root)]);
  deepEqual(names(snapshot), ["Z", "a", "b"]);
  deepEqual(snapshot.problems, []);
  const a = snapshot.prompts.get("a")!;
  deepEqual([a.body, a.realPath, a.stamp.size], ["A", tree.path("a.md"), 1]);
});

Deno.test("PromptFiles: the first claim of a name wins, and the later ones are told", async () => {
  await using tree = await makeTree({
    "system.md": "---\nname: agents\n---\nfirst",
    "one/agents.md": "second",
    "one/x.md": "x of one",
    "two/x.md": "x of two",
  });
  const snapshot = await scan([
    file(tree.path("system.md")),
    directory(tree.path("one")),
    directory(tree.path("two")),
  ]);
  deepEqual(
    [...snapshot.prompts].map(([name, { body }]) => [name, body]),
    [["agents", "first"], ["x", "x of one"]],
  );
  deepEqual(
    snapshot.problems.map(({ reason, source, path }) => [
      reason,
      source,
      path,
    ]),
    [
      ["prompt-taken", tree.path("one"), "agents.md"],
      ["prompt-taken", tree.path("two"), "x.md"],
    ],
  );
});

Deno.test("PromptFiles: a file that is named and lies in a directory too is one prompt", async () => {
  await using tree = await makeTree({ "a.md": "A" });
  const snapshot = await scan([file(tree.path("a.md")), directory(tree.root)]);
  deepEqual([names(snapshot), snapshot.problems], [["a"], []]);
});

Deno.test("PromptFiles: include and ignore are about the name, and what is left out claims nothing", async () => {
  await using tree = await makeTree({
    "one/a.md": "---\nname: team.review\n---\nfiltered",
    "one/team.x.md": "---\nname: other\n---\nnot included",
    "one/team.y.md": "kept",
    "two/b.md": "---\nname: team.review\n---\nserved",
  });
  const snapshot = await scan([
    directory(tree.path("one"), { include: ["team*"], ignore: ["*review"] }),
    directory(tree.path("two")),
  ]);
  deepEqual(names(snapshot), ["team.y", "team.review"]);
  equal(snapshot.prompts.get("team.review")!.body, "served");
  deepEqual(snapshot.problems, []);
});

Deno.test("PromptFiles: links in a directory are not followed, a link that is named is", async () => {
  await using tree = await makeTree({
    "real.txt": "text",
    "dir/link.md": { link: "../real.txt" },
    "named.md": { link: "real.txt" },
    "dirlink": { link: "dir" },
  });
  const inDirectory = await scan([directory(tree.path("dirlink"))]);
  deepEqual(names(inDirectory), []);
  deepEqual(told(inDirectory), [["prompt-link", "link.md"]]);
  const named = await scan([file(tree.path("named.md"))]);
  deepEqual(names(named), ["named"]);
  equal(named.prompts.get("named")!.realPath, tree.path("real.txt"));
});

Deno.test("PromptFiles: what cannot be served is told, and the rest is served", async () => {
  await using tree = await makeTree({
    "bad name.md": "x",
    "empty.md": "---\nname: e\n---\n",
    "bytes.md": new Uint8Array([0xff, 0xfe, 0x00]),
    "large.md": "x".repeat(256 * 1024 + 1),
    "exact.md": "x".repeat(256 * 1024),
    "folder.md": { dir: true },
    "ok.md": "ok",
  });
  const snapshot = await scan([
    directory(tree.root),
    directory(tree.path("no-such")),
    file(tree.path("no-such.md")),
    file(tree.path("folder.md")),
    directory(tree.path("ok.md")),
  ]);
  deepEqual(names(snapshot), ["exact", "ok"]);
  deepEqual(told(snapshot), [
    ["prompt-name", "bad name.md"],
    ["prompt-utf8", "bytes.md"],
    ["prompt-empty", "empty.md"],
    ["prompt-unreadable", "folder.md"],
    ["prompt-size", "large.md"],
    ["prompt-unreadable", "."],
    ["prompt-unreadable", "."],
    ["prompt-unreadable", "."],
    ["prompt-unreadable", "."],
  ]);
});

Deno.test({
  name: "PromptFiles: a pipe is no prompt and holds nobody up",
  // There is no such file on Windows.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree();
    const { success } = await new Deno.Command("mkfifo", {
      args: [tree.path("p.md")],
    }).output();
    ok(success);
    const snapshot = await scan([
      directory(tree.root),
      file(tree.path("p.md")),
    ]);
    deepEqual(told(snapshot), [
      ["prompt-unreadable", "p.md"],
      ["prompt-unreadable", "."],
    ]);
  },
});

Deno.test("PromptFiles: as many prompts, entries, text and problems as the bounds say", async () => {
  await using tree = await makeTree(Object.fromEntries(
    [...Array(6)].flatMap((_, i) => [
      [`a${i}.md`, "12345"],
      [`z ${i}.md`, "bad name"],
    ]),
  ));
  const few = await scan([directory(tree.root)], { limits: { prompts: 4 } });
  deepEqual(names(few), ["a0", "a1", "a2", "a3"]);
  const limit = few.problems.find(({ reason }) => reason === "prompt-limit")!;
  deepEqual([limit.path, limit.source], ["a4.md", tree.root]);
  match(limit.detail, /^2 prompts from here on/);

  const text = await scan([directory(tree.root)], { limits: { total: 12 } });
  deepEqual(names(text), ["a0", "a1"]);
  const entries = await scan([directory(tree.root)], {
    limits: { entries: 3 },
  });
  equal(entries.problems.at(0)!.reason, "prompt-limit");
  const quiet = await scan([directory(tree.root)], { limits: { problems: 2 } });
  equal(quiet.problems.length, 3);
  match(quiet.problems.at(-1)!.detail, /^4 more problems/);
});

/** The real file system, with the files that are read written down. */
function counting(): { readonly fs: ScanFs; readonly reads: string[] } {
  const disk = diskFs();
  const reads: string[] = [];
  return {
    reads,
    fs: {
      ...disk,
      readStart(path, cap) {
        reads.push(path.slice(path.lastIndexOf("/") + 1));
        return disk.readStart(path, cap);
      },
    },
  };
}

Deno.test("PromptFiles: a rescan reads only what has moved, and settles for it", async () => {
  await using tree = await makeTree({ "a.md": "A", "b.md": "B" });
  const { fs, reads } = counting();
  let late = 0;
  const files = new PromptFiles([directory(tree.root)], {
    fs,
    now: () => Date.now() + late,
  });
  const first = await files.snapshot();
  await files.rescan();
  deepEqual(reads.splice(0), ["a.md", "b.md", "a.md", "b.md"], "just written");
  late = 10_000;
  await files.rescan();
  deepEqual(reads.splice(0), ["a.md", "b.md"]);
  const settled = await files.rescan();
  deepEqual(reads.splice(0), [], "nothing has moved");
  deepEqual(changedPrompts(first, settled), []);

  await tree.write({ "b.md": "B again", "c.md": "C" });
  const after = await files.rescan();
  deepEqual(reads.splice(0), ["b.md", "c.md"]);
  equal(after.prompts.get("b")!.body, "B again");
  deepEqual(changedPrompts(settled, after), ["b", "c"]);
  await Deno.remove(tree.path("a.md"));
  deepEqual(changedPrompts(after, await files.rescan()), ["a"]);
});

Deno.test("PromptFiles: any edits, and the rescan is what a fresh scan finds", async () => {
  const edit = fc.record({
    name: fc.constantFrom("a.md", "b.md", "c.md", "d.txt"),
    text: fc.oneof(
      fc.constant(undefined),
      fc.constantFrom(
        "",
        "x",
        "---\nname: a\n---\ny",
        "---\nname: b c\n---\nz",
      ),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit), { maxLength: 4 }),
      async (rounds) => {
        await using tree = await makeTree({ "a.md": "start" });
        const files = new PromptFiles([directory(tree.root)]);
        let before = await files.snapshot();
        for (const edits of rounds) {
          for (const { name, text } of edits) {
            if (text !== undefined) await tree.write({ [name]: text });
            else await Deno.remove(tree.path(name)).catch(() => {});
          }
          const after = await files.rescan();
          deepEqual(after, await scan([directory(tree.root)]));
          const bodies = (of: PromptSnapshot, name: string) =>
            of.prompts.get(name)?.body;
          const moved = changedPrompts(before, after);
          for (const name of ["a", "b", "c"]) {
            if (bodies(before, name) !== bodies(after, name)) {
              ok(moved.includes(name), name);
            }
          }
          before = after;
        }
      },
    ),
    { numRuns: 60 },
  );
});
