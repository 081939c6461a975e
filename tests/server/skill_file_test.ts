import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { encodedLength } from "../../src/server/fit.ts";
import { FileIndexShape } from "../../src/server/schemas/text_shapes.ts";
import type { Entry } from "../support/tree.ts";
import { openServer, skillText } from "../support/server_calls.ts";
import type { TestServer } from "../support/server_calls.ts";

function serve(files: Record<string, Entry>): Promise<TestServer> {
  return openServer({
    files: {
      "s/SKILL.md": skillText(),
      ...Object.fromEntries(
        Object.entries(files).map(([path, entry]) => [`s/${path}`, entry]),
      ),
    },
  });
}

async function read(
  server: TestServer,
  args: Record<string, unknown>,
): Promise<{ files: Json[]; text: readonly string[] }> {
  const answer = await server.call("skill_file", { name: "s", ...args });
  assert.equal(answer.isError, false, answer.text[0]);
  assert.equal(answer.structured, undefined);
  const index = JSON.parse(answer.text[0]!);
  assert.ok(FileIndexShape.strict().safeParse(index).success, answer.text[0]);
  assert.equal(index.skill, "s");
  if (args.limit === undefined) {
    const length = answer.text.reduce(
      (sum, each) => sum + encodedLength(each),
      0,
    );
    assert.ok(length < 40_000, `a default answer fits: ${length}`);
  }
  return { files: index.files, text: answer.text };
}

Deno.test("skill_file: entries in request order, block points at the bytes verbatim", async () => {
  await using server = await serve({ "a.md": "\ufeffA\r\n", "d/b.txt": "Bé" });
  const { files, text } = await read(server, { paths: ["d/b.txt", "a.md"] });
  assert.deepEqual(files[0], {
    path: "d/b.txt",
    size: 3,
    mediaType: "text/plain",
    encoding: "utf-8",
    offset: 0,
    truncated: false,
    block: 1,
  });
  assert.equal(text[files[0].block], "Bé");
  assert.equal(text[files[1].block], "\ufeffA\r\n");
  assert.equal(text.length, 3);
});

Deno.test("skill_file: path reads one file; path and paths together, or neither, are refused", async () => {
  await using server = await serve({ "a.md": "A" });
  const { text } = await read(server, { path: "a.md" });
  assert.equal(text[1], "A");
  for (const args of [{}, { path: "a.md", paths: ["a.md"] }]) {
    const answer = await server.call("skill_file", { name: "s", ...args });
    assert.equal(answer.isError, true);
    assert.equal(JSON.parse(answer.text[0]!).code, "INVALID_ARGUMENTS");
  }
});

Deno.test("skill_file: one slot fails alone and names the nearest path", async () => {
  await using server = await serve({ "notes.md": "N", ".hidden": "H" });
  const { files, text } = await read(server, {
    paths: ["note.md", "../x", "notes.md", ".hidden", "a%2fb", "", "out:none"],
  });
  const codes = files.map(({ error }) => error?.code);
  assert.deepEqual(codes, [
    "NOT_FOUND",
    "PATH_REFUSED",
    undefined,
    "NOT_FOUND",
    "PATH_REFUSED",
    "PATH_REFUSED",
    "NOT_FOUND",
  ]);
  assert.match(files[0].error.hint, /notes\.md/);
  assert.equal(text[files[2].block], "N");
  assert.ok(!text[0]!.includes(server.root), "no host path in an error");
});

Deno.test("skill_file: a long file is read part by part, between characters", async () => {
  const whole = "aé😀\n\u0001".repeat(9000);
  await using server = await serve({ "long.txt": whole });
  let joined = "";
  let offset: number | undefined = 0;
  for (let parts = 0; offset !== undefined; parts++) {
    const { files, text } = await read(server, { path: "long.txt", offset });
    assert.equal(files[0].offset, offset);
    assert.equal(files[0].truncated, files[0].nextOffset !== undefined);
    joined += text[files[0].block];
    offset = files[0].nextOffset;
    assert.ok(parts < 20, "each part moves on");
  }
  assert.equal(joined, whole);
});

Deno.test("skill_file: an offset inside a character moves to the next; past the end is refused", async () => {
  await using server = await serve({ "a.txt": "😀b" });
  const { files, text } = await read(server, { path: "a.txt", offset: 1 });
  assert.deepEqual([files[0].offset, text[1]], [4, "b"]);
  const end = await read(server, { path: "a.txt", offset: 5 });
  assert.deepEqual([end.text[1], end.files[0].truncated], ["", false]);
  const past = await read(server, { path: "a.txt", offset: 6 });
  assert.equal(past.files[0].error.code, "INVALID_ARGUMENTS");
});

Deno.test("skill_file: the smallest limit still gets on by a character", async () => {
  await using server = await serve({ "a.txt": "😀😀" });
  const { files, text } = await read(server, { path: "a.txt", limit: 1 });
  assert.deepEqual([text[1], files[0].nextOffset], ["😀", 4]);
});

Deno.test("skill_file: the limit is shared in order, described files take none of it", async () => {
  await using server = await serve({
    "a.txt": "a".repeat(30),
    "b.bin": new Uint8Array(100),
    "c.txt": "c".repeat(30),
    "d.txt": "d".repeat(30),
  });
  const { files, text } = await read(server, {
    paths: ["a.txt", "b.bin", "c.txt", "d.txt"],
    limit: 50,
  });
  assert.equal(text[files[0].block]!.length, 30);
  assert.equal(files[1].block, undefined);
  assert.equal(text[files[2].block]!.length, 20);
  assert.deepEqual([files[2].truncated, files[2].nextOffset], [true, 20]);
  assert.deepEqual(
    [files[3].block, files[3].truncated, files[3].nextOffset],
    [undefined, true, 0],
  );
  assert.match(files[3].hint, /ask for this one again/);
});

Deno.test("skill_file: binary files are described with their URI, base64 on request", async () => {
  const bytes = new Uint8Array([0x89, 0x50, 0, 0xff]);
  await using server = await serve({ "i m/p#.png": bytes });
  const { files, text } = await read(server, { path: "i m/p#.png" });
  assert.equal(text.length, 1);
  assert.equal(files[0].encoding, "binary");
  assert.equal(files[0].mediaType, "image/png");
  assert.equal(files[0].uri, "skill://s/i%20m/p%23.png");
  assert.match(files[0].hint, /base64: true/);
  const asked = await read(server, { path: "i m/p#.png", base64: true });
  assert.equal(asked.files[0].encoding, "base64");
  assert.equal(asked.text[1], btoa(String.fromCharCode(...bytes)));
});

Deno.test("skill_file: base64 parts join to the bytes", async () => {
  const bytes = Uint8Array.from({ length: 70_001 }, (_, i) => (i * i) >> 3);
  await using server = await serve({ "r.bin": bytes });
  let joined = "";
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const { files, text } = await read(server, {
      path: "r.bin",
      base64: true,
      offset,
    });
    joined += atob(text[files[0].block]!);
    offset = files[0].nextOffset;
  }
  assert.deepEqual(Uint8Array.from(joined, (c) => c.charCodeAt(0)), bytes);
});

Deno.test("skill_file: at most 1 MiB an entry and 4 MiB a call", async () => {
  const mib = 1_048_576;
  const names = ["a", "b", "c", "d", "e"];
  await using server = await serve(
    Object.fromEntries(names.map((name) => [name, name.repeat(mib + 10)])),
  );
  const { files } = await read(server, { paths: names, limit: 4 * mib });
  assert.deepEqual(
    files.map(({ nextOffset }) => nextOffset),
    [mib, mib, mib, mib, 0],
  );
  const over = await server.call("skill_file", {
    name: "s",
    paths: names,
    limit: 4 * mib + 1,
  });
  assert.equal(JSON.parse(over.text[0]!).code, "INVALID_ARGUMENTS");
});

Deno.test("skill_file: a link inside the skill is read, one that leaves it is refused", async () => {
  await using server = await serve({
    "real.txt": "R",
    "in.txt": { link: "real.txt" },
    "out.txt": { link: "../secret.txt" },
    "../secret.txt": "SECRET",
  });
  const { files, text } = await read(server, { paths: ["in.txt", "out.txt"] });
  assert.equal(text[files[0].block], "R");
  assert.equal(files[1].error.code, "PATH_REFUSED");
  assert.ok(!text.join().includes("SECRET"));
});

Deno.test("skill_file: nine paths are refused by the argument's name", async () => {
  await using server = await serve({});
  const answer = await server.call("skill_file", {
    name: "s",
    paths: Array(9).fill("SKILL.md"),
  });
  assert.match(JSON.parse(answer.text[0]!).message, /"paths".*1 to 8/);
});
