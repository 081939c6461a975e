import assert from "node:assert/strict";
import { join } from "node:path";
import { bundle, ENTRY } from "../../tools/build/bundle.ts";
import { makeTree } from "../support/tree.ts";

const PROJECT = join(import.meta.dirname!, "../..");

/** The files that are loaded before a client on stdio gets its first answer. */
async function loadedFirst(directory: string): Promise<string> {
  const read = (file: string) => Deno.readTextFile(join(directory, file));
  const named = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, file]) => file!);
  const texts = new Map<string, string>();
  const load = async (file: string): Promise<string> => {
    const text = texts.get(file) ?? await read(file);
    if (texts.has(file)) return text;
    texts.set(file, text);
    for (const each of named(text, /(?:from|import) ?"\.\/([^"]+)"/g)) {
      await load(each);
    }
    return text;
  };
  const behind = async (text: string, start: string): Promise<string> => {
    const found = named(text, /import\("\.\/([^"]+)"\)/g)
      .find((file) => file.startsWith(start));
    assert.ok(found, start);
    return await load(found);
  };
  const entry = await load(ENTRY);
  await behind(entry, "descriptors-");
  await behind(entry, "screen-");
  await behind(await behind(entry, "run_cli-"), "serve-");
  return [...texts.values()].join("\n");
}

Deno.test("bundle: before the first answer on stdio neither messages in other languages nor sockets are loaded", async () => {
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
  const text = await loadedFirst(out);
  assert.match(text, /Invalid input/);
  assert.doesNotMatch(text, /Ongeldige invoer/);
  assert.doesNotMatch(text, /"node:(?:net|fs|http|tls|crypto)"/);
});
