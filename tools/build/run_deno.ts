/** Runs a Deno executable for a build step. */

import { BuildError } from "./build_error.ts";

/** What a build step is given besides its arguments. */
export interface RunDenoOptions {
  /** Which executable; the running one by default. */
  readonly deno?: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs one Deno subcommand to its end.
 *
 * @throws {BuildError} with what it said, when it fails.
 */
export async function runDeno(
  args: readonly string[],
  options: RunDenoOptions,
): Promise<void> {
  const { success, code, stderr } = await new Deno.Command(
    options.deno ?? Deno.execPath(),
    {
      args: [...args],
      cwd: options.cwd,
      env: { ...options.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdin: "null",
      stdout: "null",
    },
  ).output();
  if (success) return;
  const said = new TextDecoder().decode(stderr).trim();
  throw new BuildError(`deno ${args[0]} failed (${code}): ${said}`);
}
