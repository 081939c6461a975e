/**
 * Every test of the project: `deno task test`, or a part of them:
 * `deno task test tests/fence --filter=net`.
 *
 * Without arguments: the flow lint, all tests (those of the compiled binary
 * too, where one can be built), then the claims. The last line is
 * `N passed, N failed, N skipped`; exits 1 unless all that ran passed.
 */

import { dirname, join } from "node:path";
import { CAN_BUILD_BINARY, ensureBinary } from "./build/binary.ts";
import { BuildError } from "./build/build_error.ts";
import { reportClaims, reportPath } from "./claims.ts";
import { reportFlow } from "./flow_lint.ts";
import { readReport } from "./junit.ts";
import { say, warn } from "./say.ts";

/** How many tests ended how. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
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

/** Runs `deno test`, its output going straight through. */
async function runTests(root: string, args: string[]): Promise<Tally> {
  const report = args.length === 0
    ? reportPath(root)
    : await Deno.makeTempFile();
  await Deno.mkdir(dirname(report), { recursive: true });
  // A report of an earlier run must not be counted as this one's.
  await Deno.writeTextFile(report, "");
  const { success } = await new Deno.Command(Deno.execPath(), {
    // deno-fmt-ignore
    args: ["test", "--allow-all", "--frozen", "--parallel",
      "--ignore=tests/fixtures", `--junit-path=${report}`,
      ...(args.length === 0 ? ["tests"] : args)],
    cwd: root,
    env: { DENO_JOBS: String(jobs()) },
    stdin: "null",
  }).spawn().status;
  const tally = tallyOf(await Deno.readTextFile(report), success);
  if (args.length > 0) await Deno.remove(report);
  return tally;
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

/** Everything, or the part that the arguments name. */
async function main(args: string[]): Promise<boolean> {
  const root = join(import.meta.dirname!, "..");
  if (args.length > 0) {
    const tally = await runTests(root, args);
    say(tallyLine(tally));
    return tally.failed === 0;
  }
  let broken = await check("flow lint", () => reportFlow(root));
  if (CAN_BUILD_BINARY) {
    broken += await check("binary", () => buildBinary(root));
  }
  say("== tests");
  const tally = await runTests(root, []);
  if (CAN_BUILD_BINARY) {
    broken += await check("claims", () => reportClaims(root, reportPath(root)));
  } else {
    say("claims are checked where every test can run: on Linux x64");
  }
  tally.failed += broken;
  say(tallyLine(tally));
  return tally.failed === 0;
}

if (import.meta.main && !await main(Deno.args)) Deno.exit(1);
