/** What every measurement needs. */

import type { ServerCommand } from "./stdio_client.ts";
import { timed } from "./timing.ts";

/** The product as it is measured. */
export interface Bench {
  /** The server on the skills of one directory below `trees`. */
  readonly server: (
    tree: string,
    env?: Readonly<Record<string, string>>,
  ) => ServerCommand;
  readonly trees: string;
  readonly cacheDir: string;
  /** A process that does nothing, for comparison. */
  readonly node: () => Promise<number>;
  readonly path: string;
}

/** Milliseconds of one node process from start to end. */
export async function nodeRun(path: string, args: string[]): Promise<number> {
  return await timed(() =>
    new Deno.Command("node", {
      args,
      cwd: "/",
      clearEnv: true,
      env: { PATH: path },
    })
      .output()
  );
}
