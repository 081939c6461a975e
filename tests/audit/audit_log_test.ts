import assert from "node:assert/strict";
import type { AuditEvent } from "../../src/audit/audit_line.ts";
import { AUDIT_BOUNDS, AuditLog } from "../../src/audit/audit_log.ts";
import type { LogBounds } from "../../src/audit/log_file.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const NOW = new Date("2026-01-31T12:00:00.123Z");

function event(more: Partial<AuditEvent> = {}): AuditEvent {
  return {
    event: "run",
    skill: "weather",
    script: "get.mjs",
    scriptSha256: `sha256:${"a".repeat(64)}`,
    planDigest: `sha256:${"b".repeat(64)}`,
    args: ["--token", "argument-value-4711"],
    outcome: {
      exitCode: 0,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: 12,
    },
    layers: ["decision", "permissions", "os"],
    evidence: { allowed: { read: 1 }, denied: {}, deniedNames: [], more: 0 },
    ...more,
  };
}

/** A log in a tree, with what it said. */
function openLog(
  tree: Tree,
  name: string = "audit.log",
  bounds: LogBounds = AUDIT_BOUNDS,
): { log: AuditLog; said: string[] } {
  const said: string[] = [];
  const log = new AuditLog({
    path: tree.path(name),
    warn: (text) => said.push(text),
    now: () => NOW,
    bounds,
  });
  return { log, said };
}

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await Deno.readTextFile(path);
  assert.ok(text.endsWith("\n"));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

Deno.test("AuditLog: one JSON line for each call, in a file of mode 0600", async () => {
  await using tree = await makeTree();
  const { log, said } = openLog(tree);
  log.append(event());
  log.append(event({
    event: "refusal",
    skill: "no\nsuch\u202e",
    scriptSha256: undefined,
    planDigest: undefined,
    evidence: undefined,
    args: [],
    outcome: { code: "UNKNOWN_SKILL" },
  }));
  await log.close();
  const path = tree.path("audit.log");
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }
  const [ran, refused] = await linesOf(path);
  const { argsSha256, ...rest } = ran!;
  assert.match(String(argsSha256), /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    v: 1,
    time: "2026-01-31T12:00:00.123Z",
    event: "run",
    skill: "weather",
    script: "get.mjs",
    scriptSha256: `sha256:${"a".repeat(64)}`,
    planDigest: `sha256:${"b".repeat(64)}`,
    outcome: {
      exitCode: 0,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: 12,
    },
    layers: ["decision", "permissions", "os"],
    evidence: { allowed: { read: 1 }, denied: {}, deniedNames: [], more: 0 },
  });
  assert.equal(refused!.skill, "no\\u{a}such\\u{202e}");
  assert.equal(refused!.planDigest, null);
  assert.doesNotMatch(await Deno.readTextFile(path), /4711/);
  assert.deepEqual(said, []);
});

Deno.test("AuditLog: equal arguments have equal digests, in every log", async () => {
  await using tree = await makeTree();
  for (const name of ["one", "two"]) {
    const { log } = openLog(tree, name);
    log.append(event());
    log.append(event({ args: ["--token argument-value-4711"] }));
    await log.close();
  }
  const [a, b] = await linesOf(tree.path("one"));
  const [c] = await linesOf(tree.path("two"));
  assert.equal(a!.argsSha256, c!.argsSha256);
  assert.notEqual(a!.argsSha256, b!.argsSha256);
});

Deno.test("AuditLog: is moved aside when it has grown, and keeps so many", async () => {
  await using tree = await makeTree();
  const { log, said } = openLog(tree, "audit.log", {
    maxBytes: 2_000,
    keep: 3,
  });
  for (let i = 0; i < 40; i++) log.append(event({ skill: `skill-${i}` }));
  await log.close();
  assert.deepEqual(said, []);
  const names = [...Deno.readDirSync(tree.root)].map(({ name }) => name).sort();
  assert.deepEqual(names, [
    "audit.log",
    "audit.log.1",
    "audit.log.2",
    "audit.log.3",
  ]);
  const kept = [];
  for (const name of names.reverse()) {
    const path = tree.path(name);
    assert.ok((await Deno.stat(path)).size <= 2_000, name);
    kept.push(...await linesOf(path));
  }
  // The oldest files are gone; the rest is in order to the end.
  const first = 40 - kept.length;
  assert.ok(first > 0);
  assert.deepEqual(
    kept.map(({ skill }) => skill),
    kept.map((_, i) => `skill-${first + i}`),
  );
});

Deno.test({
  name:
    "AuditLog: nothing is written through a link, into another kind of file, or where others may write",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({
      "target": "kept\n",
      "link": { link: "target" },
      "open": "kept\n",
      "group": "kept\n",
      "dir": { dir: true },
    });
    await Deno.chmod(tree.path("open"), 0o602);
    await Deno.chmod(tree.path("group"), 0o620);
    await new Deno.Command("mkfifo", { args: [tree.path("pipe")] }).output();
    for (
      const [name, why] of [
        ["link", "is a symbolic link"],
        ["open", "is writable by others"],
        ["group", "is writable by others"],
        ["dir", "is not a regular file"],
        ["pipe", "is not a regular file"],
        ["none/audit.log", "cannot be written: ENOENT"],
      ] as const
    ) {
      const { log, said } = openLog(tree, name);
      log.append(event());
      log.append(event());
      log.flushSync();
      await log.close();
      assert.equal(said.length, 1, name);
      assert.ok(said[0]!.includes(why), said[0]);
      assert.ok(said[0]!.includes("The server serves on"), said[0]);
    }
    for (const name of ["target", "open", "group"]) {
      assert.equal(await Deno.readTextFile(tree.path(name)), "kept\n");
    }
  },
});

Deno.test({
  name: "AuditLog: what could not be written is counted, and told once it can",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({ "audit.log": "" });
    const path = tree.path("audit.log");
    await Deno.chmod(path, 0o666);
    const { log, said } = openLog(tree);
    log.append(event());
    log.append(event());
    // The first was given up; whether the second was is a matter of moments.
    await until(() => said.length === 1);
    await Deno.chmod(path, 0o600);
    log.append(event({ skill: "later" }));
    await log.close();
    const lines = await linesOf(path);
    const written = lines.filter(({ event }) => event === "run");
    assert.equal(written.at(-1)!.skill, "later");
    const lost = lines.find(({ event }) => event === "lost");
    assert.deepEqual(lost, {
      v: 1,
      time: NOW.toISOString(),
      event: "lost",
      lines: 3 - written.length,
    });
    assert.ok(written.length <= 2);
  },
});

Deno.test("AuditLog: more than 1000 waiting lines are counted, and no call waits", async () => {
  await using tree = await makeTree();
  const { log, said } = openLog(tree);
  const started = performance.now();
  for (let i = 0; i < 5_000; i++) log.append(event());
  assert.ok(performance.now() - started < 1_000);
  assert.ok(said[0]!.includes("is written too slowly"));
  await log.close();
  const lines = await linesOf(tree.path("audit.log"));
  const written = lines.filter(({ event }) => event === "run").length;
  const lost = lines.filter(({ event }) => event === "lost")
    .reduce((sum, line) => sum + Number(line.lines), 0);
  assert.ok(written >= 1_000 && written < 5_000);
  assert.equal(written + lost, 5_000);
});

Deno.test("AuditLog: flushSync writes at once what waits; nothing is taken after close", async () => {
  await using tree = await makeTree();
  const { log } = openLog(tree);
  for (let i = 0; i < 10; i++) log.append(event({ skill: `s${i}` }));
  log.flushSync();
  assert.equal((await linesOf(tree.path("audit.log"))).length, 10);
  await log.close();
  log.append(event());
  const skills = (await linesOf(tree.path("audit.log"))).map((l) => l.skill);
  assert.deepEqual(
    skills.sort(),
    Array.from({ length: 10 }, (_, i) => `s${i}`),
  );
});

Deno.test("AuditLog: a file that was moved away is made anew", async () => {
  await using tree = await makeTree();
  const { log } = openLog(tree);
  const path = tree.path("audit.log");
  log.append(event({ skill: "one" }));
  await until(() => exists(path) && Deno.statSync(path).size > 0);
  await Deno.rename(path, `${path}.old`);
  log.append(event({ skill: "two" }));
  await log.close();
  assert.equal((await linesOf(`${path}.old`))[0]!.skill, "one");
  assert.equal((await linesOf(path))[0]!.skill, "two");
});

Deno.test("AuditLog: two servers on one file tear and lose no line, also where it is moved aside", async () => {
  const each = 400;
  await using tree = await makeTree();
  const writer = `
    import { AuditLog } from ${
    JSON.stringify(import.meta.resolve("../../src/audit/audit_log.ts"))
  };
    const log = new AuditLog({
      path: Deno.args[0],
      warn: (text) => console.error(text),
      bounds: { maxBytes: 8_000, keep: 100 },
    });
    for (let i = 0; i < ${each}; i++) {
      log.append({
        event: "run", skill: Deno.args[1] + i, script: "x".repeat(100),
        args: [], outcome: null, layers: [],
      });
      if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await log.close();`;
  await tree.write({ "writer.ts": writer });
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const path = tree.path("audit.log");
  const ends = await Promise.all(
    ["a", "b"].map((name) =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          "--config",
          config,
          tree.path("writer.ts"),
          path,
          name,
        ],
        stdout: "null",
      }).output()
    ),
  );
  for (const { code, stderr } of ends) {
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.equal(code, 0);
  }
  const skills: unknown[] = [];
  let files = 0;
  for (const { name } of Deno.readDirSync(tree.root)) {
    if (!name.startsWith("audit.log")) continue;
    files++;
    skills.push(...(await linesOf(tree.path(name))).map(({ skill }) => skill));
  }
  assert.ok(files > 5);
  const expected = ["a", "b"].flatMap((name) =>
    Array.from({ length: each }, (_, i) => `${name}${i}`)
  );
  assert.deepEqual(skills.sort(), expected.sort());
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
