import assert from "node:assert/strict";
import {
  MAX_AUDIT_BYTES,
  readAuditRecord,
} from "../../src/evidence/permission_record.ts";
import { readLines } from "../../src/evidence/file_lines.ts";
import { makeTree } from "../support/tree.ts";

const SCRIPT = "/skill/s.mjs";

function line(permission: string, value: string | null): string {
  return JSON.stringify({ v: 1, datetime: "x", permission, value }) + "\n";
}

async function read(text: string | Uint8Array, direct = true) {
  await using tree = await makeTree({ "audit.jsonl": text });
  return await readAuditRecord(tree.path("audit.jsonl"), {
    script: SCRIPT,
    direct,
  });
}

Deno.test("readAuditRecord: counts what is asked for by kind and value", async () => {
  const record = await read(
    line("read", "/a") + line("env", null) + line("read", "/a") +
      line("read", "/a\nb"),
  );
  assert.deepEqual([...record.checks.read], [["/a", 2], ["/a\nb", 1]]);
  assert.deepEqual([...record.checks.env], [[undefined, 1]]);
  assert.equal(record.truncated, false);
  assert.equal(record.unreadable, 0);
  assert.equal(record.missing, false);
});

Deno.test("readAuditRecord: garbage is counted, a cut last line means more is missing", async () => {
  const record = await read(
    "no json\n" + "{}\n" + "null\n" + line("fly", "/a") +
      line("read", "/a").replace('"v":1', '"v":2') +
      line("read", "/b") + '{"v":1,"permission":7}\n' + '{"v":1,"permis',
  );
  assert.deepEqual([...record.checks.read], [["/b", 1]]);
  assert.equal(record.unreadable, 6);
  assert.equal(record.truncated, true);
});

Deno.test("readAuditRecord: a worker's start is the runtime's, what follows the script's", async () => {
  const start = line("env", null) + line("env", "HOME") + line("env", "HOME") +
    line("read", SCRIPT) + line("read", SCRIPT);
  const rest = line("env", "HOME") + line("read", SCRIPT) +
    line("env", "NODE_V8_COVERAGE");
  const worker = await read(start + rest, false);
  assert.deepEqual([...worker.checks.env], [["HOME", 1]]);
  assert.deepEqual([...worker.checks.read], [[SCRIPT, 1]]);
  const direct = await read(start + rest, true);
  assert.deepEqual([...direct.checks.env], [[undefined, 1], ["HOME", 3]]);
});

Deno.test("readAuditRecord: looks at 4 MiB and says that there is more", async () => {
  const one = line("read", `/${"x".repeat(900)}`);
  const count = Math.ceil(MAX_AUDIT_BYTES / one.length) + 10;
  const record = await read(one.repeat(count) + line("read", "/late"));
  const [[, times] = ["", 0], ...others] = [...record.checks.read];
  assert.deepEqual(others, []);
  assert.equal(times, Math.floor(MAX_AUDIT_BYTES / one.length));
  assert.equal(record.truncated, true);
});

Deno.test("readAuditRecord: a full file of whole lines is known by its bound", async () => {
  await using tree = await makeTree({ "audit.jsonl": line("read", "/a") });
  const path = tree.path("audit.jsonl");
  const { size } = await Deno.stat(path);
  const truncated = async (fileLimit: number) =>
    (await readAuditRecord(path, { script: SCRIPT, direct: true, fileLimit }))
      .truncated;
  assert.equal(await truncated(size), true);
  assert.equal(await truncated(size + 1), false);
});

Deno.test("readAuditRecord: no file, a link and a directory are no record", async () => {
  await using tree = await makeTree({
    "real.jsonl": line("read", "/a"),
    "link.jsonl": { link: "real.jsonl" },
    "dir": { dir: true },
  });
  for (const name of ["none.jsonl", "link.jsonl", "dir"]) {
    const record = await readAuditRecord(tree.path(name), {
      script: SCRIPT,
      direct: true,
    });
    assert.equal(record.missing, true, name);
    assert.equal(record.checks.read.size, 0, name);
  }
});

Deno.test("readLines: lines across chunks come whole, too long ones are counted", async () => {
  const long = "y".repeat(70_000);
  await using tree = await makeTree({
    "file": `a\n\n${"x".repeat(65_530)}\n${long}\né😀\nopen`,
  });
  const lines: string[] = [];
  const limits = { maxBytes: Infinity, maxLine: 65_536, followLink: true };
  const met = await readLines(
    tree.path("file"),
    limits,
    (text) => lines.push(text),
  );
  assert.deepEqual(lines, ["a", "", "x".repeat(65_530), "é😀"]);
  assert.ok(met.ok);
  assert.equal(met.value.tooLong, 1);
  assert.equal(met.value.cut, true);
  assert.equal(met.value.more, false);
});

Deno.test("readLines: short lines come as they stand, whatever their bytes", async () => {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const wanted: string[] = [];
  for (let i = 0; i < 9_000; i++) {
    parts.push(encoder.encode(`\uFEFFé${i} `), Uint8Array.of(0xf0, 0x9f, 10));
    wanted.push(`é${i} \uFFFD`);
    if (i % 1_000 === 0) {
      parts.push(encoder.encode(`\n${"z".repeat(101)}\n`));
      wanted.push("");
    }
  }
  await using tree = await makeTree();
  await Deno.writeFile(
    tree.path("file"),
    new Uint8Array(
      await new Blob(
        parts as Uint8Array<ArrayBuffer>[],
      ).arrayBuffer(),
    ),
  );
  for (const maxLine of [100, 65_536]) {
    const lines: string[] = [];
    const limits = { maxBytes: Infinity, maxLine, followLink: false };
    const met = await readLines(
      tree.path("file"),
      limits,
      (text) => lines.push(text),
    );
    assert.ok(met.ok);
    assert.equal(met.value.tooLong, maxLine === 100 ? 9 : 0);
    assert.deepEqual(lines.filter((line) => !line.startsWith("z")), wanted);
  }
});

Deno.test("readAuditRecord: lines that differ in their time only count alike", async () => {
  const asked = (time: string, rest: string) =>
    `{"v":1,"datetime":"${time}","permission":${rest}}`;
  const times = ["2026-11-30T10:36:22Z", "2026-11-30T10:36:23Z"];
  const rests = [
    '"read","value":"/a"',
    '"read","value":null',
    '"no","value":1',
  ];
  await using tree = await makeTree({
    "file": [
      ...times.flatMap((time) => rests.map((rest) => asked(time, rest))),
      // A time that is no JSON text, before what was seen already.
      asked('22"Z', rests[0]!),
      asked("22\tZ", rests[0]!),
      "",
    ].join("\n"),
  });
  const record = await readAuditRecord(tree.path("file"), {
    script: "/skill/run.js",
    direct: true,
  });
  assert.deepEqual([...record.checks.read], [["/a", 2], [undefined, 2]]);
  assert.equal(record.unreadable, 4);
});
