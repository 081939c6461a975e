import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { findNative, type NativeSkills } from "../../src/catalog/native.ts";
import { nativeFolders } from "../../src/catalog/native_folders.ts";
import { scanRoots } from "../../src/catalog/scan.ts";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import { plainDirectory } from "../../src/config/directory.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const skill = (name: string, body = "") =>
  `---\nname: ${name}\ndescription: d\n---\n${body}`;

const labels = (client: string | undefined) =>
  nativeFolders(client, { home: "/home/u", cwd: "/work" })
    .map(({ label }) => label);

Deno.test("nativeFolders: each client's own, all for one that is not known, none for one that reads none", () => {
  deepEqual(labels("claude-code"), ["./.claude/skills", "~/.claude/skills"]);
  deepEqual(labels("codex-mcp-client"), [
    "./.agents/skills",
    "~/.agents/skills",
    "~/.codex/skills",
    "/etc/codex/skills",
  ]);
  deepEqual(labels("claude-ai"), []);
  const all = labels(undefined);
  deepEqual(labels("somebody-else"), all);
  for (
    const client of [
      "claude-code",
      "codex",
      "gemini-cli-mcp-client",
      "opencode",
      "Cursor",
      "Visual Studio Code",
      "copilot-cli",
      "Cline",
      "goose",
    ]
  ) {
    const own = labels(client);
    ok(own.length > 0 && own.length < all.length, client);
    ok(own.every((label) => all.includes(label)), client);
  }
  equal(new Set(all).size, all.length);
  deepEqual(
    nativeFolders("claude-code", { home: undefined, cwd: undefined }),
    [],
  );
});

Deno.test("prompts.md: its table of folders is the program's own", () => {
  const text = Deno.readTextFileSync(
    new URL("../../docs/prompts.md", import.meta.url),
  );
  const rows = text.split("\n").filter((line) => /^\| .*skills`/.test(line))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const folders = (cell: string) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder!);
  const all = new Set<string>();
  for (const [clients, project, user] of rows) {
    for (const client of clients!.split(", ")) {
      const documented = [
        ...folders(project!).map((folder) => `./${folder}`),
        ...folders(user!).map((folder) =>
          folder.startsWith("/") ? folder : `~/${folder}`
        ),
      ];
      const name = client === "VS Code" ? "Visual Studio Code" : client;
      deepEqual(documented, labels(name), client);
      for (const label of documented) all.add(label);
    }
  }
  deepEqual([...all].sort(), labels(undefined).sort());
});

function find(tree: Tree, fs: ScanFs = diskFs()): NativeSkills {
  const folders = nativeFolders("claude-code", {
    home: tree.path("home"),
    cwd: tree.path("work"),
  });
  return findNative(folders, fs);
}

async function scan(tree: Tree, skipNative: boolean) {
  const { skills, problems, aliases } = await scanRoots(
    [plainDirectory(tree.path("served"))],
    { native: () => find(tree), skipNative },
  );
  return {
    names: [...skills.keys()],
    aliases: [...aliases.keys()],
    notes: problems.filter(({ reason }) => reason === "native-skill"),
  };
}

const TREE = {
  "served/by-name/SKILL.md": skill("by-name", "ours"),
  // Its frontmatter says another name: only the bytes tell that it is the same.
  "served/by-digest/SKILL.md": skill("renamed", "the same bytes"),
  "served/by-claim/SKILL.md": skill("by-claim", "ours"),
  "served/linked/SKILL.md": skill("linked", "ours"),
  "served/acme/deep/SKILL.md": skill("deep", "ours"),
  "served/own/SKILL.md": skill("own", "only here"),
  "served/alias": { link: "by-name" },
  "home/.claude/skills/By-Name/SKILL.md": skill("x", "theirs"),
  "home/.claude/skills/copy/SKILL.md": skill("renamed", "the same bytes"),
  "home/.claude/skills/other/SKILL.md": skill("by-claim", "theirs"),
  "home/.claude/skills/deep/SKILL.md": skill("deep", "another"),
  "home/.codex/skills/own/SKILL.md": skill("own", "of another client"),
  "work/.claude/skills/l": { link: "../../../served/linked" },
};

Deno.test("native skills: by name, by digest, by frontmatter and by link; noted, and served", async () => {
  await using tree = await makeTree(TREE);
  const { names, notes } = await scan(tree, false);
  deepEqual(names, [
    "acme/deep",
    "by-claim",
    "by-digest",
    "by-name",
    "linked",
    "own",
  ]);
  equal(notes.length, 1);
  const [note] = notes;
  deepEqual([note!.severity, note!.path], ["note", "."]);
  match(note!.detail, /^4 of its skills are in the client's own folders too/);
  match(note!.detail, /~\/\.claude\/skills, \.\/\.claude\/skills/);
  match(note!.detail, /by-claim, by-digest, by-name(,| and) linked$/);
  ok(!note!.detail.includes(tree.root), "no path of the machine");
});

Deno.test("--skip-native: what the client has is left out of what is served, links with it", async () => {
  await using tree = await makeTree(TREE);
  const { names, notes, aliases } = await scan(tree, true);
  deepEqual([names, aliases], [["acme/deep", "own"], []]);
  match(notes[0]!.detail, /left out here: by-claim/);
  match(notes[0]!.hint, /without --skip-native/);
});

Deno.test("findNative: opens SKILL.md alone, and nothing that a link leads to", async () => {
  await using tree = await makeTree({
    "home/.claude/skills/a/SKILL.md": skill("a"),
    "home/.claude/skills/a/secret.txt": "no",
    "home/.claude/skills/loose.md": "no",
    "home/.claude/skills/.hidden/SKILL.md": skill("hidden"),
    "home/.claude/skills/b/SKILL.md": { link: "../../../../outside.md" },
    "home/.claude/skills/c": { link: "../../../outside" },
    "home/.claude/skills/up": { link: "../.." },
    "outside.md": skill("outside-file"),
    "outside/SKILL.md": skill("outside"),
    "work/.claude/skills": { link: "../../home/.claude/skills" },
  });
  const disk = diskFs();
  const opened: string[] = [];
  const listedDirs: string[] = [];
  const native = find(tree, {
    ...disk,
    readStart(path, cap) {
      opened.push(path);
      return disk.readStart(path, cap);
    },
    readDir(path) {
      listedDirs.push(path);
      return disk.readDir(path);
    },
  });
  const folder = tree.path("home/.claude/skills");
  deepEqual(new Set(opened), new Set([`${folder}/a/SKILL.md`]));
  ok(listedDirs.every((path) => path.startsWith(folder)));
  deepEqual([...native.names.keys()], ["a"]);
});

Deno.test("findNative: bounded in entries and depth, and a folder that is not there holds nothing", async () => {
  await using tree = await makeTree({
    "home/.claude/skills/1/2/3/SKILL.md": skill("three"),
    "home/.claude/skills/1/2/3b/4/SKILL.md": skill("four"),
  });
  deepEqual([...find(tree).names.keys()].sort(), ["1/2/3", "three"]);
  const folders = nativeFolders("claude-code", {
    home: tree.path("home"),
    cwd: "/no-such-directory",
  });
  const none = findNative(folders, diskFs(), {
    entries: 2,
    depth: 3,
    fileBytes: 10,
  });
  equal(none.names.size, 0);
});

Deno.test("native skills: for any two trees, skipping serves what noting serves less what is doubled", async () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d/e", "f"));
  await fc.assert(
    fc.asyncProperty(names, names, async (served, native) => {
      await using tree = await makeTree({
        "served": { dir: true },
        ...Object.fromEntries([
          ...served.map((name) => [`served/${name}/SKILL.md`, skill(name)]),
          ...native.map((name) => [
            `home/.claude/skills/${name}/SKILL.md`,
            skill(name, "other"),
          ]),
        ]),
      });
      const noted = await scan(tree, false);
      const skipped = await scan(tree, true);
      deepEqual(noted.names, [...served].sort());
      deepEqual(
        skipped.names,
        noted.names.filter((name) => !native.includes(name)),
      );
      const doubled = served.some((name) => native.includes(name));
      deepEqual([noted.notes.length, skipped.notes.length], [
        doubled ? 1 : 0,
        doubled ? 1 : 0,
      ]);
    }),
    { numRuns: 40 },
  );
});
