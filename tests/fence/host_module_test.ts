import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import {
  BARE_BUILTINS,
  hostModuleUrl,
  importMapUrl,
} from "../../src/fence/plan/host_module.ts";
import { declares, makeFixture, prepare, runBare } from "./plan_fixture.ts";

const NODE_BLOCK = "  run:\n    - script: run.cjs\n      interpreter: node\n";

/** Runs one script through its Plan, whatever its extension. */
async function run(
  source: string,
  options: { name?: string; args?: string[]; stdin?: string } = {},
) {
  const script = options.name ?? "run.mjs";
  const block = script.endsWith(".cjs") ? NODE_BLOCK : declares(script);
  await using fixture = await makeFixture({
    block,
    files: { [script]: source },
  });
  const prepared = await prepare(fixture.planner, {
    script,
    args: options.args ?? [],
  });
  return await runBare(prepared, { stdin: options.stdin });
}

Deno.test("hostModuleUrl: the script is the main module, with its own arguments", async () => {
  const { out, err, code } = await run(
    `console.log(JSON.stringify([import.meta.main, Deno.args, process.argv.slice(2), import.meta.url.endsWith("/run.mjs")]));`,
    { args: ["a b", "--deny-read", "<scratch>", "ü"] },
  );
  const args = ["a b", "--deny-read", "<scratch>", "ü"];
  assert.deepEqual(JSON.parse(out), [true, args, args, true]);
  assert.equal(err, "");
  assert.equal(code, 0);
});

Deno.test("hostModuleUrl: a CommonJS script is its own main module", async () => {
  const { out } = await run(
    `console.log(require.main === module, __filename.endsWith("/run.cjs"), process.argv.slice(2).join());`,
    { name: "run.cjs", args: ["x", "y"] },
  );
  assert.equal(out, "true true x,y\n");
});

Deno.test("hostModuleUrl: exit codes of every kind pass through", async () => {
  const cases: [string, number][] = [
    ["", 0],
    ["process.exit(7)", 7],
    ["Deno.exit(8)", 8],
    ["process.exitCode = 9", 9],
    ["Deno.exitCode = 10", 10],
    [
      `import process from "node:process"; process.on("exit", () => { process.exitCode = 11; })`,
      11,
    ],
    ["setTimeout(() => process.exit(12), 10)", 12],
  ];
  for (const [source, expected] of cases) {
    const { code, err } = await run(source);
    assert.equal(code, expected, source);
    assert.equal(err, "");
  }
});

Deno.test("hostModuleUrl: an uncaught error is exit 1 and printed once", async () => {
  for (
    const source of [
      `throw new Error("boom")`,
      `Promise.reject(new Error("boom"))`,
      `setTimeout(() => { throw new Error("boom"); }, 1)`,
    ]
  ) {
    const { code, err } = await run(source);
    assert.equal(code, 1, source);
    // Once as the message; stack and source line may quote the script.
    assert.equal(err.match(/Error: boom/g)?.length, 1, err);
  }
});

Deno.test("hostModuleUrl: a syntax error and a missing import are exit 1 with the reason", async () => {
  const syntax = await run("const = 1");
  assert.equal(syntax.code, 1);
  assert.match(syntax.err, /run\.mjs/);
  const missing = await run(`import "./not-there.mjs"`);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /not-there\.mjs/);
});

Deno.test("hostModuleUrl: it ends when the script has nothing left to do", async () => {
  const { out, code } = await run(
    `setTimeout(() => console.log("later"), 30); setTimeout(() => {}, 1e9).unref?.(); Deno.unrefTimer(setTimeout(() => {}, 1e9));`,
  );
  assert.equal(out, "later\n");
  assert.equal(code, 0);
});

Deno.test("hostModuleUrl: stdin arrives at once, in lines and as a stream", async () => {
  const stdin = "one\ntwo\n";
  const ways = [
    `import { readFileSync } from "node:fs"; process.stdout.write(readFileSync(0, "utf8"));`,
    `for await (const chunk of process.stdin) process.stdout.write(chunk);`,
    `import { createInterface } from "node:readline"; for await (const line of createInterface({ input: process.stdin })) console.log(line);`,
    `await Deno.stdin.readable.pipeTo(Deno.stdout.writable);`,
  ];
  for (const way of ways) {
    const { out, err, code } = await run(way, { stdin });
    assert.equal(out, stdin, way + err);
    assert.equal(code, 0);
  }
});

Deno.test("hostModuleUrl: large output written before the end is not lost", async () => {
  const { out, code } = await run(
    `process.stdout.write("x".repeat(3_000_000)); console.log("end");`,
  );
  assert.equal(out.length, 3_000_004);
  assert.equal(code, 0);
});

Deno.test("hostModuleUrl: a full heap ends the process with SIGTRAP", async () => {
  const { signal, err } = await run(
    `const kept = []; for (let i = 0;; i++) kept.push(new Array(1e6).fill(i));`,
  );
  assert.equal(signal, "SIGTRAP");
  assert.match(err, /out of memory/);
});

Deno.test("hostModuleUrl: the path travels as data, whatever it holds", () => {
  const url = hostModuleUrl(`/a'b"c\`\${d}/<scratch>/#?%41 é.mjs`);
  assert.match(url, /^data:text\/javascript,[\w%!().*~-]+$/);
  const source = decodeURIComponent(url.slice(url.indexOf(",") + 1));
  const href = JSON.parse(/new URL\((".*?")\)/.exec(source)![1]!);
  assert.equal(
    decodeURIComponent(new URL(href).pathname),
    `/a'b"c\`\${d}/<scratch>/#?%41 é.mjs`,
  );
});

Deno.test("importMapUrl: every bare builtin of this runtime, and only those", () => {
  if (Deno.version.deno !== "2.9.6") return;
  const bare = builtinModules.filter((name) =>
    !name.startsWith("node:") && !name.startsWith("_")
  );
  assert.deepEqual([...BARE_BUILTINS].sort(), bare.sort());
  const { imports } = JSON.parse(
    decodeURIComponent(importMapUrl().split(",")[1]!),
  );
  assert.equal(imports["fs/promises"], "node:fs/promises");
});

Deno.test("importMapUrl: a script imports builtins by their bare names", async () => {
  const { out, err } = await run(
    BARE_BUILTINS.map((name) => `await import(${JSON.stringify(name)});`)
      .join("\n") + `\nconsole.log("all");`,
  );
  assert.equal(out, "all\n", err);
});
