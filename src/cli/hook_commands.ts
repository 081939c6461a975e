/** The grammar of `hook` and `match`. */

import type { Command } from "commander";
import type { Flags } from "../config/flags.ts";
import type { CliHost } from "./host.ts";

interface MatchFlags {
  readonly stdin?: boolean;
  readonly client?: string;
  readonly within?: string;
}

/** Adds `hook`, and the command that its configuration calls. */
export function hookCommands(
  common: (command: Command, options: { json: boolean }) => Command,
  program: Command,
  { host, flags, done }: {
    host: CliHost;
    flags: () => Flags;
    done: (code: number) => void;
  },
): void {
  common(program.command("hook"), { json: false })
    .description("print hooks that make a client ask for skills by itself")
    .argument("<client>", "claude, codex, cursor, gemini or opencode")
    .action(async (client: string) => {
      const { hook } = await import("./hook.ts");
      done(await hook(host, flags(), client));
    });
  common(program.command("match"), { json: false })
    .description("answer a client's hook; always exits 0")
    .option("--stdin", "read the hook's payload from standard input")
    .option("--client <client>", "whose payload it is")
    .option("--within <ms>", "answer in this time or not at all (300)")
    .action(
      async ({ stdin, client, within }: MatchFlags) => {
        const { match } = await import("./match.ts");
        const { flagWords } = await import("./match/arguments.ts");
        done(
          await match(host, [
            ...(stdin === true ? ["--stdin"] : []),
            ...(client === undefined ? [] : ["--client", client]),
            ...(within === undefined ? [] : ["--within", within]),
            ...flagWords(flags()),
          ]),
        );
      },
    );
}
