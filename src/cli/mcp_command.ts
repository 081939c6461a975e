/** The grammar of `skillfence mcp`. */

import type { Command } from "commander";
import type { Flags } from "../config/flags.ts";
import type { CliHost } from "./host.ts";

interface PinFlags {
  readonly env?: string[];
  readonly net?: boolean;
  readonly unfenced?: boolean;
  readonly thisUrl?: boolean;
}

/** Adds `mcp pin SKILL SERVER`. */
export function mcpCommand(
  common: (command: Command, options: { json: boolean }) => Command,
  program: Command,
  { host, flags, done }: {
    readonly host: CliHost;
    readonly flags: () => Flags;
    readonly done: (code: number) => void;
  },
): void {
  const mcp = program.command("mcp")
    .description("grant MCP servers that skills declare")
    .helpOption("-h, --help", "print this help");
  common(mcp.command("pin"), { json: false })
    .description(
      "show a declared server, start it once, and print the row that grants it",
    )
    .argument("<skill>", "its name as `list` prints it")
    .argument("<server>", "as the skill declares it")
    .option("--env <name>", "hand over this variable (repeatable)", collect)
    .option("--net", "let it use the network")
    .option("--unfenced", "let it start where no layer of the fence holds it")
    .option("--this-url", "let its address be private or plain http")
    .action(async (skill: string, server: string, options: PinFlags) => {
      const { mcpPin } = await import("./mcp_pin.ts");
      done(
        await mcpPin(host, flags(), {
          skill,
          server,
          env: options.env ?? [],
          net: options.net === true,
          unfenced: options.unfenced === true,
          thisUrl: options.thisUrl === true,
        }),
      );
    });
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...previous ?? [], value];
}
