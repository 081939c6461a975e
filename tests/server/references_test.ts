/** Shared references by tools alone: rows, bodies, bundles. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import {
  FileIndexShape,
  LoadManifestShape,
} from "../../src/server/schemas/text_shapes.ts";
import type { Json } from "../support/clients.ts";
import { openServer } from "../support/server_calls.ts";
import type { Entry } from "../support/tree.ts";

const STYLE = "---\nname: House style\nlevel: 2\n---\n# Style\n\nWrite.\n";
const FILES: Record<string, Entry> = {
  "shared/deep/style.md": STYLE,
  "shared/tone.md": "Be kind.\n",
  "secret.md": "never",
  "one/SKILL.md":
    "---\nname: one\ndescription: One.\ntitle: T\nteam: a\nreferences:\n  - ../shared/tone.md\n  - ../gone.md\n  - ../shared/deep/style.md\n  - /etc/passwd\n---\nOne.\n",
  "one/own.md": "own",
  "two/SKILL.md":
    "---\nname: two\ndescription: Two.\nreferences: [../shared/tone.md]\n---\nTwo.\n",
};

function manifestOf(text: string | undefined): Json {
  const manifest = JSON.parse(text!);
  assert.ok(LoadManifestShape.strict().safeParse(manifest).success, text);
  return manifest;
}

function indexOf(text: string | undefined): Json {
  const index = JSON.parse(text!);
  assert.ok(FileIndexShape.strict().safeParse(index).success, text);
  return index;
}

Deno.test("skill_load: references in declared order, with what is known of each", async () => {
  await using server = await openServer({ files: FILES });
  const { text } = await server.call("skill_load", { name: "one" });
  const { references, metadata, uri } = manifestOf(text[1]);
  assert.equal(uri, "skill://one/SKILL.md");
  assert.deepEqual(
    references.map(({ id, name, status }: Json) => [id, name, status]),
    [
      ["1:shared/tone.md", "tone", undefined],
      [undefined, "gone", "not-found"],
      ["1:shared/deep/style.md", "House style", undefined],
      [undefined, "passwd", "not-found"],
    ],
  );
  const style = references[2];
  assert.equal(style.size, new TextEncoder().encode(STYLE).length);
  assert.equal(style.uri, "skill://one/shared/deep/style.md");
  assert.equal(
    style.fileUri,
    pathToFileURL(`${server.root}/shared/deep/style.md`).href,
  );
  assert.deepEqual(style.metadata, { name: "House style", level: 2 });
  assert.match(style.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(references[1], { name: "gone", status: "not-found" });
  // The frontmatter as it stands but for what other fields carry.
  const { size, modified, created: _, ...rest } = metadata;
  assert.deepEqual(rest, {
    name: "one",
    team: "a",
    path: `${server.root}/one/SKILL.md`,
    bundleDir: `${server.root}/one`,
  });
  assert.equal(
    size,
    new TextEncoder().encode(FILES["one/SKILL.md"] as string).length,
  );
  assert.match(modified, /Z$/);
});

Deno.test("skill_load: bundle: true brings the texts, listed by index, without frontmatter", async () => {
  await using server = await openServer({ files: FILES });
  const { text } = await server.call("skill_load", {
    name: "one",
    bundle: true,
  });
  assert.equal(text[0], "One.\n");
  const { references } = manifestOf(text[1]);
  assert.deepEqual(
    references.map(({ block }: Json) => block),
    [2, undefined, 3, undefined],
  );
  assert.deepEqual(text.slice(2), ["Be kind.\n", "# Style\n\nWrite.\n"]);

  const alone = await server.call("skill_load", {
    name: "one",
    bundle: true,
    body: false,
  });
  const rows = manifestOf(alone.text[0]).references;
  assert.equal(alone.text[rows[0].block], "Be kind.\n");
  assert.equal(alone.text[rows[2].block], "# Style\n\nWrite.\n");
});

Deno.test("skill_load: what does not fit a bundle is named with how to get it", async () => {
  const long = "long line of text\n".repeat(2500);
  await using server = await openServer({
    files: {
      "shared/long.md": long,
      "shared/short.md": "short",
      "s/SKILL.md":
        "---\nname: s\ndescription: S.\nreferences: [../shared/long.md, ../shared/short.md]\n---\nS.\n",
    },
  });
  const answer = await server.call("skill_load", { name: "s", bundle: true });
  const { references, hints } = manifestOf(answer.text[1]);
  assert.deepEqual(
    references.map(({ block }: Json) => block),
    [undefined, 2],
  );
  assert.equal(answer.text[2], "short");
  assert.match(
    hints.join(" "),
    /skill_file and paths \["1:shared\/long\.md"\]/,
  );
  assert.ok(JSON.stringify(answer.raw).length < 45_000);
});

Deno.test("skill_file: references by id and by address, of many skills at once, repeats once", async () => {
  await using server = await openServer({ files: FILES });
  const paths = [
    "1:shared/tone.md",
    "skill://one/shared/tone.md",
    "skill://two/shared/tone.md",
    pathToFileURL(`${server.root}/shared/tone.md`).href,
    "skill://one/own.md",
    "1:shared/deep/style.md",
    "skill://two/SKILL.md",
  ];
  const { text } = await server.call("skill_file", { paths });
  const { files, skill } = indexOf(text[0]);
  assert.equal(skill, undefined);
  assert.deepEqual(files.map(({ path }: Json) => path), paths);
  assert.deepEqual(
    files.map(({ block }: Json) => block),
    [1, 1, 1, 1, 2, 3, 4],
  );
  assert.deepEqual(text.slice(1), [
    "Be kind.\n",
    "own",
    STYLE,
    FILES["two/SKILL.md"],
  ]);
});

Deno.test("skill_file: names nothing but what is declared, whatever is asked for", async () => {
  await using server = await openServer({ files: FILES });
  const outside = pathToFileURL(`${server.root}/secret.md`).href;
  const refused = [
    "1:secret.md",
    "1:shared/../secret.md",
    "1:shared//tone.md",
    "1:./shared/tone.md",
    "2:shared/tone.md",
    "01:shared/tone.md",
    outside,
    "skill://one/../secret.md",
    "skill://one/secret.md",
    "skill://one",
    "skill://two/shared/deep/style.md",
    "file:///etc/passwd",
    "skill://one/%2e%2e/secret.md",
    "own.md",
  ];
  for (const path of refused) {
    const { text } = await server.call("skill_file", { path });
    const [file] = indexOf(text[0]).files;
    assert.match(file.error.code, /NOT_FOUND|PATH_REFUSED|INVALID/, path);
    assert.equal(text.length, 1, path);
  }
});

Deno.test("skill_file: a reference that became something else since the scan is refused", async () => {
  await using server = await openServer({ files: FILES });
  const read = async () => {
    const { text } = await server.call("skill_file", {
      path: "1:shared/tone.md",
    });
    return [indexOf(text[0]).files[0].error?.code, text[1]];
  };
  assert.deepEqual(await read(), [undefined, "Be kind.\n"]);
  const place = `${server.root}/shared/tone.md`;
  for (
    const replace of [
      () => Deno.symlink("../secret.md", place),
      () => Deno.symlink("/etc/passwd", place),
      () => Deno.mkdir(place),
    ]
  ) {
    await Deno.remove(place, { recursive: true });
    await replace();
    const [code, text] = await read();
    assert.match(code, /NOT_FOUND|PATH_REFUSED/);
    assert.equal(text, undefined);
  }
  // The directory on the way, replaced by a link out.
  await Deno.remove(`${server.root}/shared`, { recursive: true });
  await server.tree.write({ "outside/tone.md": "never" });
  await Deno.symlink(server.tree.path("outside"), `${server.root}/shared`);
  assert.equal((await read())[1], undefined);
});

Deno.test("skill_file: a reference that grew over 1 MiB since the scan is refused", async () => {
  await using server = await openServer({ files: FILES });
  await server.call("skill_load", { name: "one" });
  await Deno.writeTextFile(
    `${server.root}/shared/tone.md`,
    "x".repeat(1024 * 1024 + 1),
  );
  const { text } = await server.call("skill_file", {
    path: "1:shared/tone.md",
  });
  assert.equal(indexOf(text[0]).files[0].error.code, "TOO_LARGE");
});

Deno.test("skill_file: a reference that is not UTF-8 any more gives no bytes", async () => {
  await using server = await openServer({ files: FILES });
  await server.call("skill_load", { name: "one" });
  await Deno.writeFile(`${server.root}/shared/tone.md`, new Uint8Array([255]));
  const { text } = await server.call("skill_file", {
    path: "1:shared/tone.md",
    base64: true,
  });
  assert.equal(indexOf(text[0]).files[0].error.code, "PATH_REFUSED");
});

Deno.test("skill_file: a skill's own file whose name looks like an id is read by its path", async () => {
  await using server = await openServer({
    files: {
      "a/SKILL.md": "---\nname: a\ndescription: A.\n---\nA.\n",
      "a/1:x.md": "mine",
    },
  });
  const { text } = await server.call("skill_file", {
    name: "a",
    path: "1:x.md",
  });
  assert.equal(text[1], "mine");
});

Deno.test("skill_load: over HTTP no file:// address and no path", async () => {
  await using server = await openServer({
    files: FILES,
    change: (engine) => ({
      config: { ...engine.config, http: {} as Json },
    }),
  });
  const { text } = await server.call("skill_load", { name: "one" });
  const { references, metadata } = manifestOf(text[1]);
  assert.ok(references.every((row: Json) => row.fileUri === undefined));
  assert.deepEqual([metadata.path, metadata.bundleDir], [undefined, undefined]);
  const file = await server.call("skill_file", {
    path: pathToFileURL(`${server.root}/shared/tone.md`).href,
  });
  assert.equal(indexOf(file.text[0]).files[0].error.code, "NOT_FOUND");
});
