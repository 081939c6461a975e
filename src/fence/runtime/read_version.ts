/** Asking an executable which Deno it is. */

import type { Account } from "../../os/types.ts";

const TIMEOUT_MS = 10_000;

/**
 * The version (`2.9.6`) of the Deno at an absolute path, started as that
 * account; undefined when it does not start or is none.
 */
export async function readVersion(
  path: string,
  account?: Account,
): Promise<string | undefined> {
  try {
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
  } catch {
    return undefined;
  }
}
