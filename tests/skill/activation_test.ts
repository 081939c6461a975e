import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readActivation } from "../../src/skill/activation.ts";
import { readSkillDocument } from "../../src/skill/document.ts";
import { parseFrontmatter } from "../../src/skill/frontmatter.ts";
import type {
  Activation,
  SkillDocument,
  TaskInput,
} from "../../src/skill/types.ts";

function read(text: string, flat = false): SkillDocument {
  return readSkillDocument(new TextEncoder().encode(text), { flat });
}

/** A SKILL.md of these lines of frontmatter. */
function block(frontmatter: string, flat = false): SkillDocument {
  return read(`---\ndescription: D\n${frontmatter}\n---\nbody\n`, flat);
}

const keyword = (keywords: string[], inCode = false): Activation => ({
  kind: "keyword",
  keywords,
  inCode,
});
const input = (name: string, more: Partial<TaskInput> = {}): TaskInput => ({
  name,
  description: undefined,
  required: false,
  choices: [],
  ...more,
});

for (
  const [frontmatter, activation] of [
    ["license: MIT", { kind: "catalogue" }],
    ["trigger: null", { kind: "catalogue" }],
    ["trigger:", { kind: "catalogue" }],
    ["triggers: []", { kind: "catalogue" }],
    ["paths: []", { kind: "catalogue" }],
    ['paths: " , "', { kind: "catalogue" }],
    [
      'trigger:\n  type: keyword\n  keywords: ["kubernetes", "k8s", "kubectl"]',
      keyword(["kubernetes", "k8s", "kubectl"]),
    ],
    ["trigger: {type: keyword, triggers: [a]}", keyword(["a"])],
    ["trigger: null\ntriggers: [a]", keyword(["a"])],
    ["triggers: [/x, 're:a+', \"c++\"]", keyword(["/x", "re:a+", "c++"])],
    ["triggers: [a, a, A]", keyword(["a", "A"])],
    ["triggers: [a]\nin-code: true", keyword(["a"], true)],
    [
      "trigger: {type: keyword, keywords: [a], in-code: true}",
      keyword(["a"], true),
    ],
    ["trigger: {type: task, triggers: [a]}", {
      kind: "task",
      keywords: ["a"],
      inCode: false,
      inputs: [],
    }],
    [
      'triggers: ["/bug_fix", "fix bug"]\ninputs:\n  - name: bug\n    description: "Describe the bug"\n    required: true',
      {
        kind: "task",
        keywords: ["/bug_fix", "fix bug"],
        inCode: false,
        inputs: [
          input("bug", { description: "Describe the bug", required: true }),
        ],
      },
    ],
    ["inputs: []", { kind: "task", keywords: [], inCode: false, inputs: [] }],
    [
      "trigger:\n  type: task\n  inputs:\n    - name: a\n      choices: [x, y]",
      {
        kind: "task",
        keywords: [],
        inCode: false,
        inputs: [input("a", { choices: ["x", "y"] })],
      },
    ],
    [
      "trigger: {type: keyword, keywords: [a]}\ninputs:\n  - name: b",
      { kind: "task", keywords: ["a"], inCode: false, inputs: [input("b")] },
    ],
    ['paths: ["src/**/*.ts", "!x"]', {
      kind: "path",
      globs: ["src/**/*.ts", "!x"],
    }],
    ['paths: "a/*.ts, , b/"', { kind: "path", globs: ["a/*.ts", "b/"] }],
    ["trigger: {type: path, paths: [a]}", { kind: "path", globs: ["a"] }],
  ] as [string, Activation][]
) {
  Deno.test(`readSkillDocument: ${JSON.stringify(frontmatter)} is a trigger of kind ${activation.kind}`, () => {
    const skill = block(frontmatter);
    deepEqual(skill.activation, activation);
    deepEqual(skill.findings, []);
    equal(skill.modelMayNotInvoke, activation.kind === "path");
  });
}

for (
  const [what, frontmatter, activation, findings] of [
    [
      "paths beside triggers and inputs",
      "paths: [a]\ntriggers: [b]\ninputs:\n  - name: c",
      { kind: "path", globs: ["a"] },
      [[4, /^triggers: is dropped, since paths/], [5, /^inputs: is dropped/]],
    ],
    [
      "paths beside a trigger",
      "paths: [a]\ntrigger: {type: keyword, keywords: [b]}",
      { kind: "path", globs: ["a"] },
      [[4, /^trigger\.keywords: is dropped, since paths/]],
    ],
    [
      "trigger and triggers",
      "trigger: {type: keyword, keywords: [a]}\ntriggers: [b]",
      keyword(["a"]),
      [[4, /^triggers: is dropped, since trigger\.keywords says it already/]],
    ],
    [
      "a trigger of paths and paths",
      "trigger: {type: path, paths: [a]}\npaths: [b]",
      { kind: "path", globs: ["a"] },
      [[4, /^paths: is dropped, since trigger\.paths says it already/]],
    ],
    [
      "a word as trigger",
      "trigger: keyword\ntriggers: [b]",
      keyword(["b"]),
      [[3, /^trigger: "keyword" is not a mapping; the trigger counts as/]],
    ],
    [
      "an unknown type",
      "trigger:\n  type: knowledge\n  keywords: [a]",
      { kind: "catalogue" },
      [[4, /^trigger\.type: "knowledge" is no known type/]],
    ],
    [
      "a type that is inherited",
      "trigger: {type: constructor, keywords: [a]}",
      { kind: "catalogue" },
      [[3, /^trigger\.type: "constructor" is no known type/]],
    ],
    [
      "no type",
      "trigger:\n  keywords: [a]",
      { kind: "catalogue" },
      [[4, /^trigger\.type: is missing/]],
    ],
    [
      "a type without its list",
      "trigger:\n  type: path\n  keywords: [a]",
      { kind: "catalogue" },
      [[4, /^trigger\.paths: is missing/]],
    ],
    [
      "an unknown key",
      "trigger:\n  type: keyword\n  keywords: [a]\n  in_code: true",
      keyword(["a"]),
      [[6, /^trigger\.in_code: unknown key, ignored/]],
    ],
    [
      "text as triggers",
      "triggers: git",
      { kind: "catalogue" },
      [[3, /^triggers: "git" is not a list of keywords/]],
    ],
    [
      "a number among the keywords",
      "triggers:\n  - a\n  - 2024\n  - ''",
      keyword(["a"]),
      [[5, /^triggers\[1\]: 2024 is not text/], [
        6,
        /^triggers\[2\]: is blank/,
      ]],
    ],
    [
      "a number as paths",
      "paths: 3",
      { kind: "catalogue" },
      [[3, /^paths: 3 is not a list of globs/]],
    ],
    [
      "in-code that is text",
      "triggers: [a]\nin-code: yes",
      keyword(["a"]),
      [[4, /^in-code: "yes" is not true or false/]],
    ],
    [
      "inputs that are a mapping",
      "inputs:\n  bug: text",
      { kind: "catalogue" },
      [[4, /^inputs: a mapping is not a list of inputs/]],
    ],
    [
      "inputs with faults",
      "inputs:\n  - bug\n  - name: a-b\n  - name: 1a\n  - description: x\n  - name: a\n    required: maybe\n    choices: x\n    more: 1\n    description: [x]\n  - name: a",
      { kind: "task", keywords: [], inCode: false, inputs: [input("a")] },
      [
        [4, /^inputs\[0\]: "bug" is not a mapping/],
        [5, /^inputs\[1\]\.name: "a-b" is not an identifier/],
        [6, /^inputs\[2\]\.name: "1a" is not an identifier/],
        [7, /^inputs\[3\]\.name: is missing/],
        [11, /^inputs\[4\]\.more: unknown key/],
        [12, /^inputs\[4\]\.description: a list is not text/],
        [9, /^inputs\[4\]\.required: "maybe" is not true or false/],
        [10, /^inputs\[4\]\.choices: "x" is not a list of choices/],
        [13, /^inputs\[5\]\.name: a is asked for already/],
      ],
    ],
  ] as [string, string, Activation, [number, RegExp][]][]
) {
  Deno.test(`readSkillDocument: ${what} is told with its place, and the skill stays`, () => {
    const skill = block(frontmatter);
    deepEqual(skill.activation, activation);
    equal(skill.body, "body\n");
    deepEqual(
      skill.findings.map(({ severity, reason, line }) => [
        severity,
        reason,
        line,
      ]),
      findings.map(([line]) => ["warning", "trigger", line]),
    );
    for (const [i, [, detail]] of findings.entries()) {
      match(skill.findings[i]!.detail, detail);
      ok(skill.findings[i]!.hint !== "");
      ok(skill.findings[i]!.column! > 0);
    }
  });
}

Deno.test("readSkillDocument: keywords, globs, inputs and choices are bounded", () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => i);
  const words = many(101).map((i) => `w${i}`);
  const skill = block(
    `triggers: ${JSON.stringify(["x".repeat(201), ...words])}`,
  );
  deepEqual(skill.activation, keyword(words.slice(0, 99)));
  deepEqual(skill.findings.map(({ detail }) => detail), [
    "triggers: holds 102 keywords; the first 100 are taken",
    "triggers[0]: is longer than 200 characters; left out",
  ]);

  const rule = block(`paths: ${JSON.stringify(words)}`).activation;
  deepEqual(rule, { kind: "path", globs: words.slice(0, 100) });

  const inputs = many(21).map((i) => ({
    name: `i${i}`,
    description: "d".repeat(i === 0 ? 1025 : 1024),
    choices: words,
  }));
  const task = block(`inputs: ${JSON.stringify(inputs)}`);
  ok(task.activation.kind === "task");
  equal(task.activation.inputs.length, 20);
  equal(task.activation.inputs[0]!.description, undefined);
  equal(task.activation.inputs[1]!.description?.length, 1024);
  equal(task.activation.inputs[1]!.choices.length, 100);
  equal(task.findings.length, 1 + 1 + 20);
});

for (const key of ["disable-model-invocation", "disable_model_invocation"]) {
  Deno.test(`readSkillDocument: ${key} keeps a skill from models, with its triggers`, () => {
    const skill = block(`${key}: true\ntriggers: [a]`);
    equal(skill.modelMayNotInvoke, true);
    deepEqual(skill.activation, keyword(["a"]));
    deepEqual(skill.findings, []);
    equal(block(`${key}: false`).modelMayNotInvoke, false);
  });
}

Deno.test("readSkillDocument: of two spellings that differ the hyphens win, and it is told", () => {
  const skill = block(
    "disable_model_invocation: true\ndisable-model-invocation: false",
  );
  equal(skill.modelMayNotInvoke, false);
  deepEqual(skill.findings.map(({ line, detail }) => [line, detail]), [[
    3,
    "disable_model_invocation: is dropped, since disable-model-invocation says otherwise",
  ]]);
});

Deno.test("readSkillDocument: a spelling that is no boolean gives way to the other", () => {
  const skill = block(
    "disable-model-invocation: 'yes'\ndisable_model_invocation: true",
  );
  equal(skill.modelMayNotInvoke, true);
  match(skill.findings[0]!.detail, /"yes" is not true or false/);
});

Deno.test("readSkillDocument: a flat file without frontmatter is always on, without a word", () => {
  for (const text of ["# Style\n", "", "---\n---\nbody\n", "\ufeff# x"]) {
    const skill = read(text, true);
    deepEqual([skill.activation, skill.findings], [{ kind: "always" }, []]);
  }
  deepEqual(block("trigger: null", true).activation, { kind: "always" });
});

Deno.test("readSkillDocument: a flat file whose trigger cannot be used is not always on", () => {
  for (
    const text of [
      "---\ntriggers: git\n---\n",
      "---\ntrigger: {type: keyword}\n---\n",
      "---\ntriggers: [1]\n---\n",
      "---\npaths: *.ts\n---\n",
      "---\ntriggers: [a]\n",
    ]
  ) {
    const skill = read(text, true);
    deepEqual(skill.activation, { kind: "catalogue" }, text);
    ok(skill.findings.length > 0, text);
  }
});

Deno.test("readSkillDocument: a flat file declares no scripts, and its block is told", () => {
  const skill = block(
    "mcp-host:\n  version: 1\n  run:\n    - script: a.js\n      interpreter: deno",
    true,
  );
  deepEqual(skill.declaration.scripts, []);
  deepEqual(
    skill.findings.map(({ reason, line }) => [reason, line]),
    [["declaration", 3]],
  );
});

const anything = fc.oneof(
  fc.anything({ maxDepth: 3 }),
  fc.array(fc.string()),
  fc.string(),
);
const entry = fc.record({
  name: fc.oneof(fc.constantFrom("a", "b", "a-b", "_", ""), anything),
  description: anything,
  required: fc.oneof(fc.boolean(), anything),
  choices: anything,
}, { requiredKeys: [] });
const parts = {
  keywords: fc.oneof(fc.array(fc.string(), { maxLength: 120 }), anything),
  triggers: anything,
  paths: anything,
  inputs: fc.oneof(fc.array(entry, { maxLength: 25 }), anything),
  "in-code": anything,
};
const frontmatters = fc.record({
  trigger: fc.oneof(
    fc.record({
      type: fc.oneof(fc.constantFrom("keyword", "task", "path"), anything),
      ...parts,
    }, { requiredKeys: [] }),
    anything,
  ),
  ...parts,
  "disable-model-invocation": anything,
  disable_model_invocation: anything,
}, { requiredKeys: [] });

Deno.test("readActivation: whatever the values are, its bounds hold and no fault is silent", () => {
  fc.assert(
    fc.property(frontmatters, fc.boolean(), (values, flat) => {
      const { activation, modelMayNotInvoke, findings } = readActivation(
        values as Record<string, unknown>,
        () => ({ line: 1, column: 1 }),
        { flat },
      );
      if (activation.kind === "always") {
        ok(flat);
        ok(findings.every(({ detail }) => /disable|in-code/.test(detail)));
      }
      if (activation.kind === "path") {
        ok(modelMayNotInvoke);
        ok(activation.globs.length > 0 && activation.globs.length <= 100);
        ok(activation.globs.every(fits));
      }
      if (activation.kind === "keyword" || activation.kind === "task") {
        ok(activation.keywords.length <= 100);
        ok(activation.keywords.every(fits));
        equal(new Set(activation.keywords).size, activation.keywords.length);
      }
      if (activation.kind === "task") {
        ok(activation.inputs.length <= 20);
        const names = activation.inputs.map(({ name }) => name);
        equal(new Set(names).size, names.length);
        ok(names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)));
      }
      ok(findings.every(({ hint, line }) => hint !== "" && line === 1));
    }),
    { numRuns: 2000 },
  );
});

function fits(text: string): boolean {
  return text.trim() !== "" && text.length <= 200;
}

/** Frontmatter as people write it, now and then with something odd in it. */
const word = fc.constantFrom(
  "git",
  "fix bug",
  "'c++'",
  '"re:a+"',
  "/slash",
  '"*.ts"',
  "src/**",
  "*.ts",
  "!x",
  "8",
  "null",
  "日本",
  "true",
);
const list = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((words) => ` [${words.join(", ")}]`),
  fc.array(word, { minLength: 1, maxLength: 4 }).map((words) =>
    words.map((one) => `\n    - ${one}`).join("")
  ),
  word.map((one) => ` ${one}`),
  fc.constant(""),
);
const keyLine = (key: string) => list.map((value) => `${key}:${value}`);
const triggerText = fc.tuple(
  fc.constantFrom("keyword", "task", "path", "x"),
  fc.constantFrom("keywords", "triggers", "paths"),
  list,
).map(([type, key, value]) =>
  `trigger:\n  type: ${type}\n  ${key}:${value.replaceAll("\n", "\n  ")}`
);
const inputText = fc.array(
  fc.tuple(word, fc.constantFrom("", "\n    required: true"), list).map((
    [name, required, choices],
  ) =>
    `\n  - name: ${name}${required}\n    choices:${
      choices.replaceAll("\n", "\n  ")
    }`
  ),
  { maxLength: 3 },
).map((entries) => `inputs:${entries.join("")}`);

Deno.test("readActivation: says the same of the quick reader's values as of the library's", () => {
  let quick = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.oneof(
          triggerText,
          keyLine("triggers"),
          keyLine("paths"),
          inputText,
          fc.constantFrom(
            "in-code: true",
            "disable-model-invocation: true",
            "disable_model_invocation: yes",
          ),
        ),
        { maxLength: 4, selector: (text) => text.slice(0, text.indexOf(":")) },
      ),
      (lines) => {
        const plain = parseFrontmatter(lines.join("\n"));
        // Only the library ever reads a block that holds this word.
        const full = parseFrontmatter([...lines, "# mcp-host"].join("\n"));
        equal(plain.ok, full.ok);
        if (!plain.ok || !full.ok) return;
        quick++;
        for (const flat of [false, true]) {
          deepEqual(
            readActivation(plain.values, plain.locate, { flat }),
            readActivation(full.values, full.locate, { flat }),
          );
        }
      },
    ),
    { numRuns: 2000 },
  );
  ok(quick > 400, `only ${quick} read`);
});
