import assert from "node:assert/strict";
import { Catalog } from "../../src/catalog/catalog.ts";
import { scanRoots } from "../../src/catalog/scan.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  plain,
  reasons,
  settledDisk,
  skill,
  skillMd,
} from "./support.ts";

/** Scans roots, then workspaces. */
function scan(
  roots: readonly string[],
  ...workspaces: readonly string[]
): Promise<Snapshot> {
  return scanRoots(plain(...roots), {
    workspaces: () => Promise.resolve(workspaces),
  });
}

Deno.test("workspace: skills of its three folders, named and marked as its own", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/deploy/SKILL.md": skillMd("deploy"),
    "w/.agents/skills/deploy/scripts/x.js": "",
    "w/.agents/skills/nested/style.md": "# style",
    "w/.openhands/skills/notes.md": "# notes",
    "w/.openhands/microagents/repo.md": "# repo",
    "w/.openhands/other.md": "no",
    "w/SKILL.md": skillMd("w"),
    "w/README.md": "no",
  });
  const found = await scan([], tree.path("w"));
  assert.deepEqual(names(found), [
    "workspace/deploy",
    "workspace/nested/style",
    "workspace/notes",
    "workspace/repo",
  ]);
  for (const { workspace } of found.skills.values()) {
    assert.equal(workspace, tree.path("w"));
  }
  assert.equal(skill(found, "workspace/deploy").flat, false);
  assert.equal(skill(found, "workspace/repo").flat, true);
  assert.deepEqual(
    found.roots.map(({ path, workspace }) => [path, workspace]),
    [".agents/skills", ".openhands/skills", ".openhands/microagents"].map((
      folder,
    ) => [tree.path("w", folder), tree.path("w")]),
  );
  assert.deepEqual(reasons(found), []);
});

Deno.test("workspace: absent folders are no problem, an absent workspace is", async () => {
  await using tree = await makeTree({
    "w/src/a.ts": "",
    "file": "",
    "v/.agents": "a file",
  });
  const found = await scan(
    [],
    tree.path("w"),
    tree.path("v"),
    tree.path("gone"),
    tree.path("file"),
  );
  assert.equal(found.skills.size, 0);
  assert.deepEqual(
    found.problems.map(({ reason, root }) => [reason, root]),
    [
      ["root-unreadable", tree.path("gone")],
      ["root-unreadable", tree.path("file")],
    ],
  );
});

Deno.test("workspace: a folder that a link leads out of it is refused, one inside is read", async () => {
  await using tree = await makeTree({
    "secrets/ssh.md": "# key",
    "w/.agents/skills": { link: "../../secrets" },
    "w/.openhands": { link: "../secrets" },
    "v/.agents/skills": { link: "../docs" },
    "v/docs/style.md": "# style",
    "u/.agents/skills": { link: "nowhere" },
    "t/.agents/skills": "a file",
  });
  const out = await scan([], tree.path("w"));
  assert.equal(out.skills.size, 0);
  const { detail, root } = only(out, "symlink-escape");
  assert.match(detail, /leads it out of the workspace/);
  assert.equal(root, tree.path("w/.agents/skills"));
  assert.ok(!detail.includes("secrets"));
  assert.equal(out.roots[0]!.realPath, undefined);

  assert.deepEqual(names(await scan([], tree.path("v"))), ["workspace/style"]);
  assert.match(
    only(await scan([], tree.path("u")), "root-unreadable").detail,
    /broken link/,
  );
  assert.match(
    only(await scan([], tree.path("t")), "root-unreadable").detail,
    /not a directory/,
  );
});

Deno.test("workspace: links in its folders lead nowhere outside", async () => {
  await using tree = await makeTree({
    "secrets/ssh.md": "# key",
    "secrets/s/SKILL.md": skillMd("s"),
    "w/.agents/skills/ssh.md": { link: "../../../secrets/ssh.md" },
    "w/.agents/skills/dir": { link: "../../../secrets" },
    "w/.agents/skills/s/SKILL.md": { link: "../../../../secrets/s/SKILL.md" },
    "w/.agents/skills/in/SKILL.md": skillMd("in"),
    "w/.agents/skills/in/key.md": { link: "../../../../secrets/ssh.md" },
  });
  const found = await scan([], tree.path("w"));
  assert.deepEqual(names(found), ["workspace/in"]);
  assert.deepEqual(
    skill(found, "workspace/in").files.map(({ path }) => path),
    ["SKILL.md"],
  );
  assert.equal(
    found.problems.filter(({ reason }) => reason === "symlink-escape").length,
    4,
  );
});

Deno.test("workspace: of one name the first folder's and the first workspace's stands, the rest is told", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a.md": "# first",
    "w/.openhands/skills/a.md": "# second",
    "w/.openhands/skills/b/SKILL.md": skillMd("b"),
    "w/.openhands/microagents/B.md": "# third",
    "v/.agents/skills/a.md": "# fourth",
    "v/.agents/skills/c.md": "# c",
  });
  const found = await scan([], tree.path("w"), tree.path("v"));
  assert.deepEqual(names(found), [
    "workspace/a",
    "workspace/b",
    "workspace/c",
  ]);
  assert.equal(skill(found, "workspace/a").body, "# first");
  assert.equal(skill(found, "workspace/c").workspace, tree.path("v"));
  const shadowed = found.problems.filter(({ reason }) => reason === "shadowed");
  assert.deepEqual(
    shadowed.map(({ root, path, severity }) => [root, path, severity]),
    [
      [tree.path("w/.openhands/skills"), "a.md", "warning"],
      [tree.path("w/.openhands/microagents"), "B.md", "warning"],
      [tree.path("v/.agents/skills"), "a.md", "warning"],
    ],
  );
  assert.match(
    shadowed[0]!.detail,
    /"a\.md" of root 1 has the name workspace\/a/,
  );
});

Deno.test("workspace: two of one name in one folder are served from neither", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a.md": "# a",
    "w/.agents/skills/a/SKILL.md": skillMd("a"),
    "w/.openhands/skills/a.md": "# a",
  });
  const found = await scan([], tree.path("w"));
  assert.deepEqual(names(found), []);
  assert.deepEqual(reasons(found).sort(), [
    "duplicate-name a",
    "duplicate-name a.md",
    "shadowed a.md",
  ]);
});

Deno.test("workspace: its skills never take a root's name, and no root's skill takes theirs", async () => {
  await using tree = await makeTree({
    "root/deploy/SKILL.md": skillMd("deploy"),
    "root/workspace/evil/SKILL.md": skillMd("evil"),
    "root/Workspace/cased/SKILL.md": skillMd("cased"),
    "root/skills/workspace/below/SKILL.md": skillMd("below"),
    "root/team/evil/SKILL.md": skillMd("evil"),
    "root/link": { link: "team" },
    "w/.agents/skills/deploy/SKILL.md": skillMd("deploy"),
    "w/.agents/skills/evil.md": "# evil",
  });
  const found = await scan([tree.path("root")], tree.path("w"));
  assert.deepEqual(names(found), [
    "deploy",
    "team/evil",
    "workspace/deploy",
    "workspace/evil",
  ]);
  assert.equal(skill(found, "deploy").workspace, undefined);
  assert.equal(skill(found, "workspace/evil").workspace, tree.path("w"));
  assert.deepEqual(
    reasons(found).filter((each) => each.startsWith("reserved")),
    [
      "reserved-name Workspace/cased",
      "reserved-name skills/workspace/below",
      "reserved-name workspace/evil",
    ],
  );
});

Deno.test("workspace: a link named workspace in a root gives no names below it", async () => {
  await using tree = await makeTree({
    "root/team/evil/SKILL.md": skillMd("evil"),
    "root/workspace": { link: "team" },
    "w/.agents/skills/x.md": "# x",
  });
  const found = await scan([tree.path("root")], tree.path("w"));
  assert.deepEqual([...found.aliases], []);
  only(found, "unusable-alias");
});

Deno.test("workspace: a root's skill called workspace goes before its skills, and they are told", async () => {
  await using tree = await makeTree({
    "root/workspace/SKILL.md": skillMd("workspace"),
    "root/workspace/x/notes.txt": "",
    "w/.agents/skills/x.md": "# x",
  });
  const found = await scan([tree.path("root")], tree.path("w"));
  assert.deepEqual(names(found), ["workspace"]);
  const { skill: name, hint } = only(found, "inside-other-skill");
  assert.equal(name, "workspace/x");
  assert.match(hint, /Rename that skill of the root/);
});

Deno.test("workspace: what is a root too is the root's, and a workspace given twice is one", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a/SKILL.md": skillMd("a"),
    "w/.agents/skills/b.md": "# b",
    "w/.openhands/skills/c.md": "# c",
    "link": { link: "w" },
  });
  const found = await scan(
    [tree.path("w/.agents/skills")],
    tree.path("w"),
    tree.path("link"),
  );
  assert.deepEqual(names(found), ["a", "workspace/c"]);
  assert.equal(skill(found, "a").workspace, undefined);
  only(found, "root-overlap");
  assert.equal(found.roots.length, 3);
});

Deno.test("Catalog: each scan asks for the workspaces anew, also one with hints", async () => {
  await using tree = await makeTree({
    "root/r/SKILL.md": skillMd("r"),
    "w/.agents/skills/a.md": "# a",
    "v/.agents/skills/a.md": "# other",
  });
  let workspaces: string[] = [];
  const catalog = new Catalog({
    roots: plain(tree.path("root")),
    fs: settledDisk().fs,
    workspaces: () => Promise.resolve(workspaces),
  });
  assert.deepEqual(names(await catalog.snapshot()), ["r"]);
  workspaces = [tree.path("w")];
  const first = await catalog.rescan({ hints: [] });
  assert.deepEqual(names(first), ["r", "workspace/a"]);
  assert.equal(skill(first, "workspace/a").body, "# a");
  workspaces = [tree.path("v")];
  const second = await catalog.rescan({ hints: [] });
  assert.equal(skill(second, "workspace/a").body, "# other");
  assert.equal(skill(second, "workspace/a").workspace, tree.path("v"));
  await tree.write({ "v/.openhands/skills/late.md": "# late" });
  const third = await catalog.rescan({ hints: [] });
  assert.ok(third.skills.has("workspace/late"));
  workspaces = [];
  assert.deepEqual(names(await catalog.rescan({ hints: [] })), ["r"]);
});

Deno.test("Catalog: a folder of two workspaces is the one's that is named now", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a.md": "# a",
    ".agents/skills": { link: "../w/.agents/skills" },
  });
  let workspaces = [tree.path("w")];
  const catalog = new Catalog({
    roots: [],
    fs: settledDisk().fs,
    workspaces: () => Promise.resolve(workspaces),
  });
  const first = await catalog.snapshot();
  assert.equal(skill(first, "workspace/a").workspace, tree.path("w"));
  workspaces = [tree.root];
  const second = await catalog.rescan({ hints: [] });
  assert.equal(skill(second, "workspace/a").workspace, tree.root);
});

Deno.test("workspace: a file that becomes a link out while it is read is not served", async () => {
  await using tree = await makeTree({
    "secrets/key.md": "# key",
    "w/.agents/skills/a.md": "# a",
    "w/.agents/skills/b.md": "# b",
  });
  const { fs } = settledDisk();
  const swapped = tree.path("w/.agents/skills/a.md");
  const found = await scanRoots([], {
    workspaces: () => Promise.resolve([tree.path("w")]),
    fs: {
      ...fs,
      readStart: (path, cap) => {
        if (path !== swapped) return fs.readStart(path, cap);
        Deno.removeSync(swapped);
        Deno.symlinkSync(tree.path("secrets/key.md"), swapped);
        // As an open that follows the link would read it.
        return fs.readStart(tree.path("secrets/key.md"), cap);
      },
    },
  });
  assert.deepEqual(names(found), ["workspace/b"]);
  assert.match(only(found, "unreadable-skill-md").detail, /was replaced/);
});

Deno.test("Catalog: skills of a workspace count in the bound, after those of roots", async () => {
  await using tree = await makeTree({
    "root/z/SKILL.md": skillMd("z"),
    "w/.agents/skills/a.md": "# a",
    "w/.agents/skills/b.md": "# b",
  });
  const found = await scanRoots(plain(tree.path("root")), {
    limits: { skills: 2 },
    workspaces: () => Promise.resolve([tree.path("w")]),
  });
  assert.deepEqual(names(found), ["workspace/a", "z"]);
  only(found, "skill-limit");
});
