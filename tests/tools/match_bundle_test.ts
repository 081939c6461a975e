import assert from "node:assert/strict";
import { join } from "node:path";
import { bundle, ENTRY } from "../../tools/build/bundle.ts";
import { makeTree } from "../support/tree.ts";

const PROJECT = join(import.meta.dirname!, "../..");

Deno.test("bundle: a hook without a hit loads neither schemas nor the protocol, YAML, globs or Node's digests", async () => {
  await using tree = await makeTree();
  const out = tree.path("out");
  await Deno.mkdir(out);
  await bundle(
    PROJECT,
    {
      kind: "appended",
      offset: 0,
      size: 0,
      sha256: "0".repeat(64),
      version: "0",
      skillsSha256: "1".repeat(64),
    },
    out,
    tree.root,
  );
  const files = [...Deno.readDirSync(out)].map(({ name }) => name);
  const texts = new Map<string, string>();
  const load = (file: string): void => {
    if (texts.has(file)) return;
    const text = Deno.readTextFileSync(join(out, file));
    texts.set(file, text);
    const named = text.matchAll(/(?:from|import) ?"\.\/([^"]+)"/g);
    for (const [, other] of named) load(other!);
  };
  load(ENTRY);
  // What these modules load, and what they load in turn when asked.
  for (
    const start of [
      "descriptors",
      "screen",
      "run_cli",
      "match",
      "ground",
      "answer",
      "room",
    ]
  ) {
    const found = files.filter((file) => file.startsWith(`${start}-`));
    assert.equal(found.length, 1, `${start}: ${found}`);
    load(found[0]!);
  }
  const text = [...texts.values()].join("\n");
  assert.match(text, /UserPromptSubmit/);
  assert.doesNotMatch(text, /(?:from|import) ?"node:(?:crypto|fs|net|http)"/);
  for (const word of ["ZodError", "tools/list", "YAMLParse", "picomatch("]) {
    assert.ok(!text.includes(word), word);
  }
  assert.ok(text.length < 120_000, `${text.length} characters`);
});
