/**
 * Every test of the project: `deno task test`, or a part of them:
 * `deno task test tests/fence --filter=net`.
 *
 * Without arguments: the flow lint, all tests, those of the server once more
 * against the compiled binary (where one can be built), then the claims. The
 * last line is `N passed, N failed, N skipped`; exits 1 unless all that ran
 * passed.
 */

import { dirname, join } from "node:path";
import { binaryPath, CAN_BUILD_BINARY, ensureBinary } from "./build/binary.ts";
import { BuildError } from "./build/build_error.ts";
import { reportClaims, reportPath } from "./claims.ts";
import { reportFlow } from "./flow_lint.ts";
import { readReport } from "./junit.ts";
import { say, warn } from "./say.ts";
import { walkFiles } from "./walk_files.ts";

/** How many tests ended how. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** A tally and, in words, the tests that failed. */
interface FullTally extends Tally {
  readonly failures: readonly string[];
}

/** The line that ends a test run. */
export function tallyLine(tally: Tally): string {
  return `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
}

/**
 * Counts a report. A run that failed with no test failed in the report (a test
 * file that does not load) counts as one failure, and so does an empty report.
 */
export function tallyOf(report: string, success: boolean): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of readReport(report)) tally[outcome]++;
  const nothing = tally.passed + tally.failed + tally.skipped === 0;
  if (tally.failed === 0 && (!success || nothing)) tally.failed = 1;
  return tally;
}

/** `failed: FILE: NAME` for each test of a report that failed. */
export function failedLines(report: string): string[] {
  return readReport(report)
    .filter(({ outcome }) => outcome === "failed")
    .map(({ file, name }) => `failed: ${file}: ${name}`);
}

/** One run of `deno test`. */
interface TestRun {
  readonly root: string;
  /** Test files, directories and options of `deno test`. */
  readonly args: readonly string[];
  /** Where its JUnit report goes. */
  readonly report: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `deno test`, its output going straight through. */
async function runTests(
  { root, args, report, env }: TestRun,
): Promise<FullTally> {
  await Deno.mkdir(dirname(report), { recursive: true });
  // A report of an earlier run must not be counted as this one's.
  await Deno.writeTextFile(report, "");
  const { success } = await new Deno.Command(Deno.execPath(), {
    // deno-fmt-ignore
    args: ["test", "--allow-all", "--frozen", "--parallel",
      "--ignore=tests/fixtures", `--junit-path=${report}`, ...args],
    cwd: root,
    env: { ...env, DENO_JOBS: String(jobs()) },
    stdin: "null",
  }).spawn().status;
  const text = await Deno.readTextFile(report);
  return { ...tallyOf(text, success), failures: failedLines(text) };
}

/** The test files that start the server through `tests/support/`. */
async function serverTests(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const path of walkFiles(join(root, "tests", "server"))) {
    const file = `tests/server/${path}`;
    if (!file.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(join(root, file));
    if (/support\/(clients|raw_server|server_calls)\.ts"/.test(text)) {
      files.push(file);
    }
  }
  return files;
}

/**
 * Test files run at once: tests start processes of their own and wait on them,
 * so two on two cores, and no more than four on any machine.
 */
function jobs(): number {
  return Math.max(2, Math.min(4, navigator.hardwareConcurrency));
}

/** Runs one check that is no test; false when it fails. */
async function check(
  name: string,
  run: () => Promise<boolean>,
): Promise<number> {
  say(`== ${name}`);
  return await run() ? 0 : 1;
}

async function buildBinary(root: string): Promise<boolean> {
  try {
    await ensureBinary(root, warn);
    return true;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    warn(`error: ${error.message}`);
    return false;
  }
}

/** The part of the tests that the arguments name. */
async function part(root: string, args: string[]): Promise<FullTally> {
  const report = await Deno.makeTempFile();
  try {
    return await runTests({ root, args, report });
  } finally {
    await Deno.remove(report);
  }
}

/** Every check and every test. */
async function all(root: string): Promise<FullTally> {
  const report = reportPath(root);
  let broken = await check("flow lint", () => reportFlow(root));
  const unbuilt = CAN_BUILD_BINARY
    ? await check("binary", () => buildBinary(root))
    : 0;
  broken += unbuilt;
  say("== tests");
  const tallies = [await runTests({ root, args: ["tests"], report })];
  if (!CAN_BUILD_BINARY) {
    say("the binary and the claims are checked on Linux x64");
  } else {
    if (unbuilt === 0) {
      say("== tests of the server, against the compiled binary");
      tallies.push(
        await runTests({
          root,
          args: await serverTests(root),
          report: `${report}.binary.xml`,
          env: { SKILLFENCE_TEST_BINARY: binaryPath(root) },
        }),
      );
    }
    broken += await check("claims", () => reportClaims(root, report));
  }
  return {
    passed: sum(tallies, "passed"),
    failed: sum(tallies, "failed") + broken,
    skipped: sum(tallies, "skipped"),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

function sum(tallies: readonly Tally[], outcome: keyof Tally): number {
  return tallies.reduce((total, tally) => total + tally[outcome], 0);
}

if (import.meta.main) {
  const root = join(import.meta.dirname!, "..");
  const tally = Deno.args.length > 0
    ? await part(root, Deno.args)
    : await all(root);
  for (const line of tally.failures) say(line);
  say(tallyLine(tally));
  if (tally.failed > 0) Deno.exit(1);
}
