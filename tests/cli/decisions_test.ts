/** What docs/decisions.md owes its readers. */

import assert from "node:assert/strict";
import { join } from "node:path";

const TEXT = Deno.readTextFileSync(
  join(import.meta.dirname!, "..", "..", "docs", "decisions.md"),
).replace(/\s+/g, " ");

Deno.test("decisions.md: says why bundle files are not listed, with what listing them costs", () => {
  const at = TEXT.indexOf("**Bundle files are not listed as resources**");
  assert.ok(at >= 0);
  const said = TEXT.slice(at, TEXT.indexOf("- **", at + 1));
  for (const word of ["127 skills", "105 KB", "500 KB", "120,000 tokens"]) {
    assert.ok(said.includes(word), word);
  }
  assert.match(said, /adapter listed them all/);
});

Deno.test("decisions.md: has a line for each setting of the sidecar's launcher", () => {
  const at = TEXT.indexOf("Settings of its launcher that a server does not");
  assert.ok(at >= 0);
  const said = TEXT.slice(at, TEXT.indexOf("## ", at));
  for (
    const name of [
      "mcp.enabled",
      "mcp.skills.enabled",
      "mcp.skills.name",
      "mcp.skills.dirs",
      "mcp.skills.prompts",
      "autoAcceptTools",
      "autoRejectTools",
      "mcp.skills.system_prompts",
      "[[patches]]",
      "--transport",
      "--listen",
      "--token-file",
      "--allow-remote",
    ]
  ) assert.ok(said.includes(`\`${name}\``), name);
});

/** What is wanted of a list of behaviours. */
interface Behaviours {
  /** Of `docs/claims/`. */
  readonly file: string;
  readonly heading: string;
  /** Numbers that apply, ascending. */
  readonly wanted: readonly number[];
  /** What the lines of `decisions.md` stand between. */
  readonly lines: readonly [from: string, to: string];
}

function upTo(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Every number is claimed once, and each decided otherwise has a line. */
function holdBehaviours({ file, heading, wanted, lines }: Behaviours): void {
  const claims = Deno.readTextFileSync(
    join(import.meta.dirname!, "..", "..", "docs", "claims", file),
  );
  const all = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)(?:\\n## |$)`)
    .exec(claims)![1]!;
  const [ours, decided] = all.split("\nThese are decided otherwise")
    .map((text) =>
      [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell]) =>
        cell!.split(",").map(Number)
      )
    );
  assert.deepEqual([...ours!, ...decided!].sort((a, b) => a - b), wanted);
  const at = TEXT.indexOf(lines[0]);
  assert.ok(at >= 0);
  const said = TEXT.slice(at, TEXT.indexOf(lines[1], at));
  const told = new Set(
    [...said.matchAll(/(?:- |\. )((?:\d+(?:-\d+)?, )*\d+(?:-\d+)?): /g)]
      .flatMap(([, numbers]) => numbers!.split(", "))
      .flatMap((part) => {
        const [from, to = from] = part.split("-").map(Number);
        return upTo(from!, to!);
      }),
  );
  assert.deepEqual(decided!.filter((number) => !told.has(number)), []);
}

Deno.test("decisions.md: the claims hold every behaviour of the sidecar, and what is decided otherwise has a line there", () => {
  holdBehaviours({
    file: "C.md",
    heading: "Sidecar behaviours",
    wanted: upTo(1, 167),
    lines: ["Of the sidecar's behaviours", "Settings of its launcher"],
  });
});

Deno.test("decisions.md: the claims hold every behaviour of the system behind triggers that applies, and what is decided otherwise has a line there", () => {
  holdBehaviours({
    file: "D.md",
    heading: "Behaviours of the system behind triggers",
    wanted: [...upTo(1, 87), ...upTo(97, 102), ...upTo(110, 113)],
    lines: [
      "Of the behaviours of the system behind triggers",
      "## Declared MCP servers",
    ],
  });
});

Deno.test("decisions.md: the claims hold every behaviour of commands and servers there, and what is decided otherwise has a line", () => {
  holdBehaviours({
    file: "D.md",
    heading: "Behaviours of the system behind commands and servers",
    wanted: [...upTo(103, 109), ...upTo(114, 121)],
    lines: [
      "Of the behaviours of the system behind commands and servers",
      "each when its owner granted it.",
    ],
  });
});

Deno.test("triggers.md: opens with what happens by itself there, and what calls it here", () => {
  const text = Deno.readTextFileSync(
    join(import.meta.dirname!, "..", "..", "docs", "triggers.md"),
  );
  const [opening] = text.split("\n## ");
  const rows = opening!.split("\n").filter((line) => line.startsWith("|"));
  for (
    const [there, here] of [
      [/keyword in the user's message/, /skill_match.*hook/],
      [/file that is read or edited/, /skill_match/],
      [/once in a conversation/, /exclude/],
      [/asks for its inputs/, /prompt.*skill_load/],
      [/!`command`/, /skill_load.*owner listed/],
      [/always-on/, /skillfence:\/\/context/],
      [/MCP servers/, /owner granted/],
    ] as const
  ) {
    assert.ok(
      rows.some((row) => {
        const [, left = "", right = ""] = row.split(/(?<!\\)\|/);
        return there.test(left) && here.test(right);
      }),
      String(there),
    );
  }
  assert.match(
    opening!.replace(/\s+/g, " "),
    /Nothing starts because a text was loaded, matched or listed, unless the owner wrote that very command down\./,
  );
});
