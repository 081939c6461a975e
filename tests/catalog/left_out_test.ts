import assert from "node:assert/strict";
import type { Copy } from "../../src/catalog/copies.ts";
import {
  type Judged,
  MAX_BYTES,
  MAX_FILES,
  whyLeftOut,
} from "../../src/catalog/left_out.ts";
import type { BundleFile, SharedFile } from "../../src/catalog/types.ts";
import { makeTree } from "../support/tree.ts";
import { names, only, scanOne, skill, skillMd } from "./support.ts";

const STAMP = { size: 1, modifiedMs: 1, changedMs: 1, ino: 1 };

function files(...paths: string[]): BundleFile[] {
  return paths.map((path) => ({ path, ...STAMP }));
}

function judged(change: Partial<Judged> = {}): Judged {
  return {
    name: "acme/pay-out",
    frontmatter: { name: "pay-out", description: "Pays." },
    description: "Pays.",
    files: files("SKILL.md"),
    bytes: 1,
    flat: false,
    ...change,
  };
}

function copy(path: string, size = 1, id = `1:${path}`): Copy {
  return { path, file: { id, size } as SharedFile };
}

Deno.test("whyLeftOut: the last segment is the frontmatter's name and obeys the name rule", () => {
  assert.equal(whyLeftOut(judged(), []), undefined);
  const named = (name: string, said: unknown = name) =>
    whyLeftOut(
      judged({
        name: `acme/${name}`,
        frontmatter: { name: said, description: "x" },
      }),
      [],
    );
  for (const fine of ["a", "0", "a-b-c", "x".repeat(64)]) {
    assert.equal(named(fine), undefined, fine);
  }
  for (
    const bad of ["A", "a_b", "a.b", "-a", "a-", "a--b", "é", "x".repeat(65)]
  ) assert.match(named(bad) ?? "", /no name of lower-case/, bad);
  assert.match(named("a", "b") ?? "", /name "b" is not "a"/);
  assert.match(named("a", " a ") ?? "", /is not "a"/);
  for (const absent of ["", 5, null, undefined]) {
    assert.match(
      named("a", absent) ?? "",
      absent === undefined ? /^$/ : /no name/,
    );
  }
  // A prefix may be anything: it is percent-encoded.
  assert.equal(whyLeftOut(judged({ name: "Ac Me/pay-out" }), []), undefined);
});

Deno.test("whyLeftOut: no frontmatter, no description, no SKILL.md of that spelling", () => {
  for (
    const [change, why] of [
      [{ frontmatter: undefined }, /no frontmatter/],
      [{ description: undefined }, /no description/],
      [{ files: files("skill.md") }, /no SKILL\.md/],
    ] as [Partial<Judged>, RegExp][]
  ) assert.match(whyLeftOut(judged(change), []) ?? "", why);
});

Deno.test("whyLeftOut: what JSON cannot hold, at any depth", () => {
  for (const value of [Infinity, NaN, 10n]) {
    const frontmatter = { name: "pay-out", a: [{ b: value }] };
    assert.match(whyLeftOut(judged({ frontmatter }), []) ?? "", /no JSON form/);
  }
  const proto = JSON.parse('{"name": "pay-out", "a": {"__proto__": 1}}');
  assert.match(
    whyLeftOut(judged({ frontmatter: proto }), []) ?? "",
    /__proto__/,
  );
  const fine = {
    name: "pay-out",
    description: "Pays.",
    a: [null, true, 1.5, "x", { b: {} }],
  };
  assert.equal(whyLeftOut(judged({ frontmatter: fine }), []), undefined);
});

Deno.test("whyLeftOut: 512 files and 16 MiB are served, one more is not, copies counted", () => {
  const many = (count: number) =>
    files("SKILL.md", ...Array.from({ length: count - 1 }, (_, i) => `f${i}`));
  assert.equal(whyLeftOut(judged({ files: many(MAX_FILES) }), []), undefined);
  assert.match(
    whyLeftOut(judged({ files: many(513) }), []) ?? "",
    /513 files/,
  );
  assert.match(
    whyLeftOut(judged({ files: many(512) }), [copy("references/a")]) ?? "",
    /513 files/,
  );
  assert.equal(whyLeftOut(judged({ bytes: MAX_BYTES }), []), undefined);
  assert.match(
    whyLeftOut(judged({ bytes: MAX_BYTES }), [copy("references/a")]) ?? "",
    /16 MiB/,
  );
});

Deno.test("whyLeftOut: a file or directory where a copy would lie", () => {
  for (
    const shipped of ["references/a.md", "references/a.md/b", "references"]
  ) {
    const why = whyLeftOut(judged({ files: files("SKILL.md", shipped) }), [
      copy("references/a.md"),
    ]);
    assert.match(why ?? "", /where the shared file 1:references\/a\.md would/);
  }
  const beside = judged({ files: files("SKILL.md", "references/b.md") });
  assert.equal(whyLeftOut(beside, [copy("references/a.md")]), undefined);
  assert.match(
    whyLeftOut(judged(), [copy("a/b", 1, "1:x"), copy("a/b", 1, "1:y")]) ?? "",
    /1:x lies where the shared file 1:y would/,
  );
});

Deno.test("left-out: tools still serve the skill, and a problem says why it is left out", async () => {
  await using tree = await makeTree({
    "fine/SKILL.md": skillMd("fine"),
    "odd/SKILL.md": skillMd("other"),
    "inf/SKILL.md": skillMd("inf", "limit: .inf"),
    "plain/SKILL.md": "Just text.\n",
    "mute/SKILL.md": "---\nname: mute\n---\n",
    "many/SKILL.md": skillMd("many"),
    ...Object.fromEntries(
      Array.from({ length: 512 }, (_, i) => [`many/f${i}`, ""]),
    ),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), [
    "fine",
    "inf",
    "many",
    "mute",
    "odd",
    "plain",
  ]);
  const told = new Map(
    found.problems.filter(({ reason }) => reason === "left-out")
      .map(({ skill, detail }) => [skill, detail]),
  );
  assert.deepEqual([...told.keys()].sort(), [
    "inf",
    "many",
    "mute",
    "odd",
    "plain",
  ]);
  for (const name of names(found)) {
    const { leftOut } = skill(found, name);
    assert.equal(leftOut === undefined, !told.has(name), name);
    if (leftOut !== undefined) assert.ok(told.get(name)?.endsWith(leftOut));
  }
});

Deno.test("left-out: a skill whose file lies where a shared copy would, and only it", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a", "references: [../references/x.md]"),
    "a/references/x.md": "own",
    "b/SKILL.md": skillMd("b", "references: [../references/x.md]"),
    "references/x.md": "shared",
  });
  const found = await scanOne(tree.root);
  assert.match(only(found, "left-out").detail, /1:references\/x\.md/);
  assert.equal(only(found, "left-out").skill, "a");
  assert.equal(skill(found, "b").leftOut, undefined);
});

Deno.test("whyLeftOut: what official clients refuse in an entry's other keys", () => {
  const having = (more: Record<string, unknown>) =>
    whyLeftOut(
      judged({
        frontmatter: { name: "pay-out", description: "Pays.", ...more },
      }),
      [],
    ) ?? "";
  for (
    const fine of [
      { description: "😀".repeat(1024) },
      { compatibility: "x".repeat(500) },
      { metadata: { version: "1.0" } },
      { metadata: {} },
      { version: 1.0, tags: ["a"] },
    ]
  ) assert.equal(having(fine), "", JSON.stringify(fine));
  assert.match(having({ description: "x".repeat(1025) }), /description/);
  assert.match(having({ description: 5 }), /description/);
  assert.match(having({ compatibility: "x".repeat(501) }), /compatibility/);
  assert.match(having({ compatibility: "" }), /compatibility/);
  for (const metadata of [{ version: 1.0 }, ["a"], null, "a"]) {
    assert.match(having({ metadata }), /metadata/, JSON.stringify(metadata));
  }
});
