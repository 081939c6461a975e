import assert from "node:assert/strict";
import { type AuditLine, readAuditLine } from "../../src/audit/audit_line.ts";
import { type AuditFilter, readLog } from "../../src/audit/read_log.ts";
import { makeTree } from "../support/tree.ts";
import { auditLineText as text } from "./lines.ts";

async function read(content: string, filter: AuditFilter = {}) {
  await using tree = await makeTree({ "audit.log": content });
  const lines: AuditLine[] = [];
  const met = await readLog(
    tree.path("audit.log"),
    filter,
    (line) => lines.push(line),
  );
  if (!met.ok) throw new Error(met.message);
  return { skills: lines.map(({ skill }) => skill), lines, ...met.value };
}

Deno.test("readLog: takes whole lines in order and counts what says nothing", async () => {
  const { skills, unreadable, lost } = await read(
    text({ skill: "a" }) + "garbage\n" + '{"v":1}\n' + text({ v: 2 }) +
      `${"x".repeat(100_000)}\n` + text({ skill: "b" }) +
      '{"v":1,"time":"2026-01-31T12:00:00Z","event":"lost","lines":7}\n' +
      text({ skill: "c" }).slice(0, 40),
  );
  assert.deepEqual(skills, ["a", "b"]);
  assert.equal(unreadable, 5);
  assert.equal(lost, 7);
});

Deno.test("readLog: by skill, event, time and what was denied", async () => {
  const denied = { allowed: {}, denied: { net: 1 }, deniedNames: [], more: 0 };
  const content = text({ skill: "a", time: "2026-01-01T00:00:00.000Z" }) +
    text({ skill: "b", event: "preview", outcome: null, evidence: null }) +
    text({ skill: "c", event: "refusal", outcome: { code: "BUSY" } }) +
    text({ skill: "a", evidence: denied });
  const skills = async (filter: AuditFilter) =>
    (await read(content, filter)).skills;
  assert.deepEqual(await skills({}), ["a", "b", "c", "a"]);
  assert.deepEqual(await skills({ skill: "a" }), ["a", "a"]);
  assert.deepEqual(await skills({ event: "preview" }), ["b"]);
  assert.deepEqual(await skills({ since: new Date("2026-01-02") }), [
    "b",
    "c",
    "a",
  ]);
  assert.deepEqual(await skills({ denied: true }), ["c", "a"]);
  assert.deepEqual(await skills({ denied: true, skill: "a" }), ["a"]);
});

Deno.test("readLog: a file of many megabytes is never held whole", async () => {
  await using tree = await makeTree();
  const line = text({ script: "x".repeat(100) });
  const path = tree.path("big.log");
  const block = line.repeat(2_000);
  for (let i = 0; i < 40; i++) {
    await Deno.writeTextFile(path, block, { append: true });
  }
  const before = Deno.memoryUsage().rss;
  let count = 0;
  let most = 0;
  await readLog(path, {}, () => {
    if (++count % 10_000 === 0) {
      most = Math.max(most, Deno.memoryUsage().rss - before);
    }
  });
  assert.equal(count, 80_000);
  assert.ok((await Deno.stat(path)).size > 30_000_000);
  assert.ok(most < 100_000_000, `${most}`);
});

Deno.test("readLog: refuses what is not there and what is no file", async () => {
  await using tree = await makeTree({ "dir": { dir: true } });
  for (const [name, code] of [["none", "NOT_FOUND"], ["dir", "PATH_REFUSED"]]) {
    const read = await readLog(tree.path(name!), {}, () => {});
    assert.ok(!read.ok);
    assert.equal(read.code, code);
  }
});

Deno.test("readAuditLine: a count is a whole number that JSON can carry", () => {
  const lost = (lines: string) =>
    readAuditLine(
      `{"v":1,"time":"2026-01-31T12:00:00Z","event":"lost","lines":${lines}}`,
    );
  for (const lines of ["1e999", "-1", "0.5", "1e17", '"7"', "null"]) {
    assert.equal(lost(lines), undefined, lines);
  }
  const evidence =
    '{"allowed":{"net":1e999,"read":-1},"denied":{},"more":1e999}';
  const line = readAuditLine(
    text({ evidence: "HERE" }).replace('"HERE"', evidence),
  );
  assert.ok(line !== undefined && line.event !== "lost");
  assert.deepEqual(line.evidence?.allowed, {});
  assert.equal(line.evidence?.more, 0);
});

Deno.test("readAuditLine: makes names visible again and takes nothing unknown along", () => {
  const line = readAuditLine(text({
    skill: "a\u202eb",
    script: "\u001b[31m",
    layers: ["os\n"],
    evidence: {
      allowed: { read: 1, evil: 2 },
      denied: { net: "x" },
      deniedNames: ["net \u0007"],
      more: 1,
      extra: 1,
    },
    extra: "x",
  }));
  assert.ok(line !== undefined && line.event !== "lost");
  assert.equal(line.skill, "a\\u{202e}b");
  assert.equal(line.script, "\\u{1b}[31m");
  assert.deepEqual(line.layers, ["os\\u{a}"]);
  assert.deepEqual(line.evidence, {
    allowed: { read: 1 },
    denied: {},
    deniedNames: ["net \\u{7}"],
    more: 1,
  });
  assert.ok(!("extra" in line));
});
