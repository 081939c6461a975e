/** `skillfence hook`: configuration that makes a client ask by itself. */

import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import type { Flags } from "../config/flags.ts";
import type { CliHost } from "./host.ts";
import { commandLine } from "./hook/command_line.ts";
import { HOOK_CLIENTS, hookConfiguration } from "./hook/configurations.ts";
import { ownCommand } from "./own_command.ts";
import { startConfig } from "./start.ts";
import { whereToLook } from "./where_to_look.ts";

/**
 * Prints a client's configuration on stdout, and where to put it on stderr.
 * Returns 2 for a client that is not known and for mistakes in the configuration.
 */
export async function hook(
  host: CliHost,
  flags: Flags,
  client: string,
): Promise<number> {
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  const words = [
    ...ownCommand(),
    ...["match", "--stdin", "--client", client],
    ...whereToLook(config),
  ];
  const line = commandLine(words, Deno.build.os === "windows");
  const made = hookConfiguration(client, { line, words });
  if (made === undefined) {
    const [near] = nearest(client, HOOK_CLIENTS, 1);
    host.screen.err(
      `skillfence: there are no hooks for "${visible(client)}"${
        near === undefined ? "" : ` (did you mean ${near}?)`
      }\n  Clients: ${HOOK_CLIENTS.join(", ")}.\n`,
    );
    return 2;
  }
  host.screen.out(made.text);
  host.screen.err(`\n${made.advice.join("\n")}\n`);
  return 0;
}
