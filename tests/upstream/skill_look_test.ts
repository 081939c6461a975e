import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import type { Skill } from "../../src/catalog/types.ts";
import { declarationsOf, SkillLooks } from "../../src/upstream/skill_look.ts";
import { readSkillDocument } from "../../src/skill/document.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

const JSON_TEXT = JSON.stringify({ x: { command: "node" } });
const TEXT = "---\ndescription: d\n---\n";
const TOOLS =
  "---\ndescription: d\nmcp_tools: { x: { command: node } }\n---\nText.\n";

/** As much of a skill as is looked at here. */
function skillAt(file: string, flat = false): Skill {
  const document = readSkillDocument(Deno.readFileSync(file), { flat });
  return {
    name: "s",
    rootIndex: 0,
    dir: dirname(file),
    skillFile: file,
    flat,
    frontmatter: document.frontmatter,
  } as Skill;
}

async function withSkill(
  entries: Record<string, Entry>,
  fn: (skill: Skill, tree: Tree) => Promise<void>,
): Promise<void> {
  await using tree = await makeTree({ "s/SKILL.md": TEXT, ...entries });
  await fn(skillAt(tree.path("s/SKILL.md")), tree);
}

const look = (skill: Skill, looks = new SkillLooks()) =>
  looks.look(skill, dirname(skill.dir), undefined);

Deno.test("SkillLooks: frontmatter and .mcp.json are read as they are now, and covered", async () => {
  await withSkill({ "s/.mcp.json": JSON_TEXT }, async (skill, tree) => {
    const looks = new SkillLooks();
    const first = await look(skill, looks);
    assert.deepEqual(first.servers.map(({ name }) => name), ["x"]);
    assert.ok(first.bundle.ok);
    assert.deepEqual(
      [...first.bundle.value.bundle.manifest.keys()].sort(),
      [".mcp.json", "SKILL.md"],
    );
    await tree.write({ "s/SKILL.md": TOOLS.replace("x:", "y:") });
    const second = await look(skill, looks);
    assert.deepEqual(second.servers.map(({ name }) => name), ["y"]);
    assert.ok(second.bundle.ok);
    assert.notEqual(
      second.bundle.value.bundle.digest,
      first.bundle.value.bundle.digest,
    );
  });
});

Deno.test("SkillLooks: what .mcp.json is instead of a small file of its own is a problem", async () => {
  const bad: Record<string, Entry> = {
    "is a link": { link: "../outside.json" },
    "not a regular file": { dir: true },
    "longer than 64 KiB": `{"x":"${" ".repeat(65_536)}"}`,
    "not UTF-8": new Uint8Array([0x7b, 0xff, 0x7d]),
    "not valid JSON": "{",
  };
  for (const [why, entry] of Object.entries(bad)) {
    await withSkill(
      { "s/.mcp.json": entry, "outside.json": JSON_TEXT },
      async (skill) => {
        const { servers, problems } = await look(skill);
        assert.deepEqual(servers, [], why);
        assert.match(problems[0]?.detail ?? "", new RegExp(why));
        assert.deepEqual(declarationsOf(skill).problems, problems);
      },
    );
  }
});

Deno.test("SkillLooks: files that no digest covers let nothing be pinned", async () => {
  const cases: [Record<string, Entry>, RegExp][] = [
    [{ "s/link": { link: "/etc/passwd" } }, /link that leads out/],
    [
      { "s/.venv/python": { link: "/bin/sh" }, "s/.venv/code.py": "x" },
      /\.venv.* not covered by the digest/,
    ],
  ];
  for (const [entries, why] of cases) {
    await withSkill(
      { "s/.mcp.json": JSON_TEXT, ...entries },
      async (skill) => {
        const { servers, bundle } = await look(skill);
        assert.equal(servers.length, 1);
        assert.ok(!bundle.ok);
        assert.match(bundle.message, why);
      },
    );
  }
});

Deno.test("SkillLooks: a SKILL.md from elsewhere declares nothing that can be pinned", async () => {
  await withSkill({ "elsewhere.md": TOOLS }, async (skill, tree) => {
    const linked = { ...skill, skillFile: tree.path("elsewhere.md") };
    const { servers, bundle } = await look(linked);
    assert.equal(servers.length, 1);
    assert.ok(!bundle.ok && bundle.code === "PREFLIGHT");
  });
});

Deno.test("SkillLooks: a flat file is its own bundle, and reads no .mcp.json", async () => {
  await using tree = await makeTree({
    "flat.md": TOOLS,
    "other.md": "x",
    ".mcp.json": JSON.stringify({ other: { command: "node" } }),
  });
  const skill = skillAt(tree.path("flat.md"), true);
  const { servers, problems, bundle } = await look(skill);
  assert.deepEqual(servers.map(({ name }) => name), ["x"]);
  assert.deepEqual(problems, []);
  assert.ok(bundle.ok);
  assert.deepEqual([...bundle.value.bundle.manifest.keys()], [
    basename(skill.skillFile),
  ]);
});
