/** Asking an executable which Deno it is. */

import { pause } from "../../base/pause.ts";
import type { Account } from "../../os/types.ts";

const TIMEOUT_MS = 10_000;

/** How long a file may still be open for writing, and how often that is asked. */
const BUSY = { totalMs: 2_000, everyMs: 20 };

/**
 * The version (`2.9.6`) of the Deno at an absolute path, started as that
 * account; undefined when it does not start or is none.
 */
export async function readVersion(
  path: string,
  account?: Account,
): Promise<string | undefined> {
  for (let left = BUSY.totalMs;; left -= BUSY.everyMs) {
    try {
      return await askVersion(path, account);
    } catch (error) {
      if (!isBusy(error) || left <= 0) return undefined;
      await pause(BUSY.everyMs);
    }
  }
}

async function askVersion(
  path: string,
  account: Account | undefined,
): Promise<string | undefined> {
  const { stdout } = await new Deno.Command(path, {
    ...account,
    args: ["--version"],
    stdin: "null",
    stderr: "null",
    clearEnv: true,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).output();
  return /^deno (\d+\.\d+\.\d+)/.exec(new TextDecoder().decode(stdout))?.[1];
}

/**
 * A program written a moment ago cannot start while another start, between its
 * fork and its exec, still holds the descriptor that wrote it (ETXTBSY).
 */
function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes("(os error 26)");
}
