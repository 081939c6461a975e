/** Ending a program that nothing holds when its parent is killed. */

import { boundedRun } from "./bounded_run.ts";
import { findProgram } from "./find_program.ts";

const OPTION = "--pdeathsig";
const TIMEOUT_MS = 5_000;

/**
 * The words before a command that let it end with the process that starts it
 * (PR_SET_PDEATHSIG(2const)) and gain no rights by what it starts; none where
 * util-linux has no such program.
 */
export async function endWithParent(
  searchPath: string | undefined,
): Promise<readonly string[]> {
  const { path } = await findProgram("setpriv", searchPath);
  if (path === undefined) return [];
  try {
    const { stdout } = await boundedRun({
      command: [path, "--help"],
      env: {},
      timeoutMs: TIMEOUT_MS,
    });
    return stdout.includes(OPTION)
      ? [path, OPTION, "KILL", "--no-new-privs", "--"]
      : [];
  } catch {
    return [];
  }
}
