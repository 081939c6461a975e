/** Tests of a server that runs as root: they need root, and CI has them so. */

import type { Account } from "../../src/os/types.ts";

/** Skips what only root can set up. */
export const asRoot: { ignore: boolean } = {
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
};

/** Whom scripts of a root server run as. */
export const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/** How a program ended that was run as another account. */
export interface RanAs {
  readonly code: number;
  readonly out: string;
}

/**
 * Runs a program as `account`, with nothing of our environment. A copy made a
 * moment ago may still be open for writing in a child that another test of this
 * process is about to start, so a busy file is tried again.
 */
export async function runAs(
  account: Account,
  [program = "", ...args]: readonly string[],
): Promise<RanAs> {
  const command = new Deno.Command(program, {
    ...account,
    args,
    cwd: "/",
    clearEnv: true,
    stdin: "null",
    stderr: "null",
  });
  for (let attempt = 1;; attempt++) {
    try {
      const { code, stdout } = await command.output();
      return { code, out: new TextDecoder().decode(stdout) };
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Text file busy");
}
