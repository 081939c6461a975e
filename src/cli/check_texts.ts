/** What the texts of skills would run, and the servers they declare. */

import { visible } from "../base/text.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { Engine } from "../server/engine_types.ts";
import type { ServerRow } from "../server/schemas/outputs.ts";
import { serverRow } from "../server/upstream_rows.ts";
import { commandLine } from "./hook/command_line.ts";
import type { Screen } from "./screen.ts";
import { whereToLook } from "./where_to_look.ts";

/** A command of a text, and the row that lets it run. */
export interface CommandCheck {
  readonly skill: string;
  readonly command: string;
  readonly granted: boolean;
  /** A row of `MCP_SKILL_RENDER`, as JSON. */
  readonly row?: string;
  /** Why no row can let it run. */
  readonly why?: string;
}

/** Every command that the text of a skill holds. Starts none. */
export async function checkCommands(
  { context }: Pick<Engine, "context">,
  { skills }: Pick<Snapshot, "skills">,
): Promise<readonly CommandCheck[]> {
  const checks: CommandCheck[] = [];
  for (const skill of skills.values()) {
    for (const offered of await context.offered(skill, skill.body)) {
      const { text, words, granted, row } = offered;
      checks.push({
        skill: skill.name,
        command: text,
        granted,
        ...(words.ok ? { row } : { why: words.why }),
      });
    }
  }
  return checks;
}

/** The commands for people; nothing when there are none. */
export function printCommands(
  { out, paint }: Screen,
  commands: readonly CommandCheck[],
): void {
  if (commands.length === 0) return;
  out(`${paint.strong("Commands that texts would run")}\n`);
  for (const { skill, command, granted, row, why } of commands) {
    out(`  ${visible(skill)}: ${visible(command, 600)}\n`);
    out(
      why !== undefined
        ? `    ${paint.warn("never runs")}: ${visible(why, 600)}\n`
        : granted
        ? `    ${paint.good("listed in MCP_SKILL_RENDER")}\n`
        : `    to let it run, a row of MCP_SKILL_RENDER:\n    ${row ?? ""}\n`,
    );
  }
  out("\n");
}

/** A declared server, and how its owner grants it. */
export interface ServerCheck extends ServerRow {
  readonly skill: string;
  /** The command that shows it and prints its row. */
  readonly pin: string;
}

/** Every declared server of every skill. Starts none. */
export async function checkServers(
  { upstream, config }: Pick<Engine, "upstream" | "config">,
  { skills }: Pick<Snapshot, "skills">,
): Promise<readonly ServerCheck[]> {
  const checks: ServerCheck[] = [];
  for (const skill of skills.values()) {
    for (const state of await upstream.servers(skill)) {
      const row = serverRow(state);
      checks.push({
        skill: skill.name,
        ...row,
        pin: commandLine([
          ...["skillfence", "mcp", "pin", skill.name, row.server],
          ...whereToLook(config),
        ], Deno.build.os === "windows"),
      });
    }
  }
  return checks;
}

/** The servers for people; nothing when there are none. */
export function printServers(
  { out, paint }: Screen,
  servers: readonly ServerCheck[],
): void {
  for (const server of servers) {
    const { skill, state, why, fence, pin } = server;
    const reaches = server.url ??
      [server.command ?? "", ...server.args ?? []].join(" ");
    const name = `${visible(skill)} ${visible(server.server)}`;
    out(`${paint.strong(`MCP server ${name}`)}\n`);
    out(`  ${visible(reaches, 600)}\n`);
    for (
      const [what, names = []] of [
        ["variables", server.env],
        ["headers", server.headers],
      ] as const
    ) {
      if (names.length === 0) continue;
      out(`  ${what}: ${visible(names.join(", "), 600)}\n`);
    }
    out(
      state === "ready"
        ? `  ${paint.good("granted")}: ${visible(fence ?? "", 600)}\n\n`
        : `  ${paint.warn(state)}: ${
          visible(why ?? "", 600)
        }\n    to look at it and get its row, on a terminal:\n    ${
          visible(pin, 4_000)
        }\n\n`,
    );
  }
}
