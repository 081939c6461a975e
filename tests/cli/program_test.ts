import assert from "node:assert/strict";
import metadata from "../../deno.json" with { type: "json" };
import { skillfence } from "./command.ts";

Deno.test("program: --version prints the version, --help the subcommands", async () => {
  const version = await skillfence(["--version"]);
  assert.deepEqual(version, {
    code: 0,
    stdout: `${metadata.version}\n`,
    stderr: "",
  });
  const help = await skillfence(["--help"]);
  assert.equal(help.code, 0);
  for (const name of ["serve", "list", "check", "run", "doctor"]) {
    assert.match(help.stdout, new RegExp(`^  ${name}\\b`, "m"));
    const own = await skillfence([name, "--help"]);
    assert.equal(own.code, 0);
    assert.match(own.stdout, new RegExp(`^Usage: skillfence ${name}`));
    assert.match(own.stdout, /--skills <dir>/);
  }
});

Deno.test("program: mistakes in the call end with 2, a clear word and no output", async () => {
  for (
    const [args, word] of [
      [["lst"], "unknown command 'lst' (did you mean list?)"],
      [["list", "extra"], "too many arguments"],
      [["list", "--jso"], "unknown option '--jso'"],
      [["run", "one"], "missing required argument 'script'"],
      [["run", "a", "b", "--top"], "unknown option '--top'"],
      [["serve", "--skills"], "argument missing"],
      [["list", "--http", "127.0.0.1:1"], "unknown option '--http'"],
      [["--http", "127.0.0.1:1", "list"], "--http belongs to serve"],
      [["--allow-run", "doctor"], "--allow-run belongs to serve"],
      [["list", "--\u001b[31m"], "unknown option '--\\u{1b}[31m'"],
    ] as const
  ) {
    const { code, stdout, stderr } = await skillfence(args);
    assert.equal(code, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.ok(stderr.includes(word), stderr);
    assert.ok(stderr.endsWith("Try: skillfence --help\n"), stderr);
  }
});

Deno.test("program: a configuration mistake ends with 2 and names variable, value and what is accepted", async () => {
  for (const command of ["serve", "list", "check", "doctor"]) {
    const { code, stdout, stderr } = await skillfence([command], {
      env: { SKILLFENCE_LOG: "loud" },
    });
    assert.equal(code, 2, command);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      /SKILLFENCE_LOG is "loud"; accepted: one of error, warn, info, debug/,
    );
  }
});

Deno.test("program: --skills and --skill-dir count before and after the subcommand, in one order", async () => {
  const { stdout } = await skillfence([
    "--skill-dir",
    '{"dir":"/no-such-b"}',
    "--skills",
    "/no-such-a",
    "list",
    "--skills",
    "/no-such-d",
    '--skill-dir={"dir":"/no-such-c"}',
    "--json",
  ]);
  assert.deepEqual(JSON.parse(stdout).roots, [
    "/no-such-b",
    "/no-such-a",
    "/no-such-d",
    "/no-such-c",
  ]);
});

Deno.test("program: a mistake in a flag of the configuration ends with 2 before anything is served", async () => {
  for (
    const [args, word] of [
      [["list", "--skill-dir", "{}"], '--skill-dir is "{}": dir'],
      [["check", "--prompt-dir", '{"dir":"/a","incldue":[]}'], "incldue"],
      [["--http", "0.0.0.0:1"], "no --host says under which names"],
      [["serve", "--poll", "never"], '--poll is "never"'],
      [["serve", "--host", "a"], "--host means nothing without --http"],
      [["serve", "--http=[::1]:0", "--no-token", "--allow-run"], "--no-token"],
    ] as const
  ) {
    const { code, stdout, stderr } = await skillfence(args);
    assert.equal(code, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.ok(stderr.includes(word), stderr);
  }
});
