import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { placeOf } from "../../../src/catalog/skill_uri.ts";
import type { Skill, Snapshot } from "../../../src/catalog/types.ts";
import type { PromptFile, PromptSnapshot } from "../../../src/prompt/types.ts";
import { completePath } from "../../../src/server/prompts/completions.ts";
import {
  readPromptCursor,
  writePromptCursor,
} from "../../../src/server/prompts/prompt_cursor.ts";
import {
  promptResources,
  readPromptResource,
} from "../../../src/server/prompts/prompt_resources.ts";
import {
  positionAfter,
  promptTable,
  rowAfter,
} from "../../../src/server/prompts/prompt_table.ts";

const STAMP = { size: 1, modifiedMs: 0, changedMs: 0, ino: 1 };

function skillsOf(
  names: readonly string[],
  files: readonly string[] = ["SKILL.md"],
  more: Partial<Skill> = {},
): Snapshot {
  const skill = (name: string): Skill => ({
    name,
    rootIndex: 0,
    dir: `/root/${name}`,
    skillFile: `/root/${name}/SKILL.md`,
    skillStamp: STAMP,
    createdMs: null,
    description: undefined,
    whenToUse: undefined,
    frontmatter: {},
    declaration: {
      scripts: [],
      env: [],
      egress: [],
    } as unknown as Skill["declaration"],
    instructionsOnly: false,
    body: "body",
    truncated: false,
    files: files.map((path) => ({ path, ...STAMP })),
    bytes: 1,
    references: [],
    leftOut: undefined,
    activation: { kind: "catalogue" },
    hidden: undefined,
    flat: false,
    workspace: undefined,
    ...more,
  });
  const sorted = [...new Set(names)].sort();
  return {
    roots: [{ path: "/root", realPath: "/root", workspace: undefined }],
    skills: new Map(sorted.map((name) => [name, skill(name)])),
    aliases: new Map(),
    problems: [],
    shared: new Map(),
  };
}

function filesOf(names: readonly string[]): PromptSnapshot {
  const file = (name: string): PromptFile => ({
    name,
    title: undefined,
    description: undefined,
    body: `body of ${name}, ü`,
    realPath: `/p/${name}.md`,
    stamp: STAMP,
    createdMs: null,
  });
  return {
    prompts: new Map(names.map((name) => [name, file(name)])),
    problems: [],
  };
}

const promptName = fc.stringMatching(/^[a-c.]{1,3}$/);
const skillName = fc.array(fc.stringMatching(/^[a-c][a-c.]{0,1}$/), {
  minLength: 1,
  maxLength: 3,
}).map((segments) => segments.join("/"));

Deno.test("promptTable: a name that is taken is told with who has it", () => {
  const { rows, problems } = promptTable(
    filesOf(["x.y"]),
    skillsOf(["a.b/c", "a/b.c", "x/y"]),
  );
  deepEqual(rows.map(({ name }) => name), ["x.y", "a.b.c"]);
  deepEqual(
    problems.map(({ reason, skill, root }) => [reason, skill, root]),
    [
      ["prompt-name-taken", "a/b.c", "/root"],
      ["prompt-name-taken", "x/y", "/root"],
    ],
  );
  match(problems[0]!.detail, /the skill a\.b\/c has the prompt a\.b\.c/);
  match(problems[1]!.detail, /a prompt file has the prompt x\.y/);
});

Deno.test("promptTable: every file and every skill has a prompt or a problem, and names stand once", () => {
  fc.assert(fc.property(
    fc.uniqueArray(promptName),
    fc.uniqueArray(skillName),
    (files, skills) => {
      const { rows, byName, problems } = promptTable(
        filesOf(files),
        skillsOf(skills),
      );
      deepEqual(rows.map(({ name }) => name), [...byName.keys()]);
      equal(rows.length + problems.length, files.length + skills.length);
      deepEqual(rows.slice(0, files.length).map(({ name }) => name), files);
      ok(rows.every(({ name }) => !name.includes("/")));
    },
  ));
});

Deno.test("rowAfter: pages of any size give every row once, over a cursor", () => {
  fc.assert(fc.property(
    fc.uniqueArray(promptName),
    fc.uniqueArray(skillName),
    fc.integer({ min: 1, max: 5 }),
    (files, skills, size) => {
      const table = promptTable(filesOf(files), skillsOf(skills));
      const seen: string[] = [];
      for (let at = 0; at < table.rows.length;) {
        const page = table.rows.slice(at, at + size);
        seen.push(...page.map(({ name }) => name));
        const cursor = writePromptCursor(
          positionAfter(table, at + page.length - 1),
        );
        at = rowAfter(table, readPromptCursor(cursor)!);
      }
      deepEqual(seen, table.rows.map(({ name }) => name));
    },
  ));
});

Deno.test("rowAfter: a row that went between two pages costs none of the others", () => {
  fc.assert(fc.property(
    fc.uniqueArray(skillName, { minLength: 2 }),
    fc.nat(),
    (skills, pick) => {
      const before = promptTable(filesOf([]), skillsOf(skills));
      const index = pick % before.rows.length;
      const position = positionAfter(before, index);
      const rest = skills.filter((name) => name !== position.skill);
      const after = promptTable(filesOf([]), skillsOf(rest));
      const left = after.rows.slice(rowAfter(after, position));
      const due = before.rows.slice(index + 1).map(({ name }) => name);
      ok(due.every((name) => left.some((row) => row.name === name)));
    },
  ));
});

Deno.test("readPromptCursor: any text is a position or nothing", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json().map(btoa64)), (text) => {
      const position = readPromptCursor(text);
      if (position !== undefined) {
        equal(writePromptCursor(position).length > 0, true);
        const table = promptTable(filesOf(["a"]), skillsOf(["b"]));
        const at = rowAfter(table, position);
        ok(at >= 0 && at <= 2);
      }
    }),
  );
});

function btoa64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

Deno.test("completePath: at most 100 addresses, each of a served file, and more is told", () => {
  const many = [...Array(150)].map((_, i) => `f${i}.txt`);
  const snapshot = skillsOf(["a"], many);
  const { values, hasMore } = completePath(snapshot, "a/");
  deepEqual([values.length, hasMore], [100, true]);
  const left = skillsOf(["a"], ["SKILL.md"], { leftOut: "no description" });
  deepEqual(completePath(left, "").values, []);
});

Deno.test("completePath: what it gives starts as was typed and names a file that is served", () => {
  const segment = fc.stringMatching(/^[ab #%?é]{1,3}$/u);
  fc.assert(fc.property(
    fc.uniqueArray(skillName),
    fc.uniqueArray(segment),
    fc.nat(),
    (skills, files, cut) => {
      const snapshot = skillsOf(skills, [...files, "SKILL.md"]);
      const places = new Set(
        [...snapshot.skills.values()].flatMap((skill) =>
          skill.files.map(({ path }) => `${skill.name}/${path}`)
        ),
      );
      for (const name of skills) {
        const typed = `${name}/`.slice(0, 1 + cut % (name.length + 1));
        const { values } = completePath(snapshot, typed);
        ok(values.length > 0);
        for (const value of values) {
          ok(value.startsWith(typed), `${value} for ${typed}`);
          ok(places.has(placeOf(`skill://${value}`)!), value);
        }
      }
    },
  ));
});

Deno.test("promptResources: one row for each file, and each is read back", () => {
  fc.assert(fc.property(fc.uniqueArray(promptName), (names) => {
    const snapshot = filesOf(names);
    const rows = promptResources(snapshot);
    deepEqual(rows.map(({ name }) => name), names);
    for (const { uri, size, mimeType } of rows) {
      const { contents } = readPromptResource(uri, snapshot)!;
      const [content] = contents as { uri: string; text: string }[];
      equal(content!.uri, uri);
      equal(new TextEncoder().encode(content!.text).length, size);
      equal(mimeType, "text/markdown");
    }
  }));
  const snapshot = filesOf(["a"]);
  for (
    const uri of [
      "skillfence://prompts/",
      "skillfence://prompts/b",
      "skillfence://prompts/a/",
      "skillfence://promptsa",
      "skillfence://skills",
      "skill://a/SKILL.md",
    ]
  ) equal(readPromptResource(uri, snapshot), undefined, uri);
});
