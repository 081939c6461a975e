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

/** Runs a program as `account`, with nothing of our environment. */
export async function runAs(
  account: Account,
  [program = "", ...args]: readonly string[],
): Promise<RanAs> {
  const { code, stdout } = await new Deno.Command(program, {
    ...account,
    args,
    cwd: "/",
    clearEnv: true,
    stdin: "null",
    stderr: "null",
  }).output();
  return { code, out: new TextDecoder().decode(stdout) };
}
