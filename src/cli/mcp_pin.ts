/** `skillfence mcp pin`: a declared server, shown, started once, and its row. */

import { refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Flags } from "../config/read_config.ts";
import { createEngine, type FullEngine } from "../server/engine.ts";
import { checkEnvName } from "../skill/env_names.ts";
import type { Pinned, Pinning } from "../upstream/pinning.ts";
import type { CliHost } from "./host.ts";
import { interruptible } from "./interrupt.ts";
import { withProgress } from "./progress.ts";
import { printRefusal } from "./refused.ts";
import type { Screen } from "./screen.ts";
import { startConfig } from "./start.ts";
import { table } from "./table.ts";

/** What is to be pinned, with which rights. */
export interface PinRequest {
  readonly skill: string;
  readonly server: string;
  readonly env: readonly string[];
  readonly net: boolean;
  readonly unfenced: boolean;
  /** The declared address may be private or plain http. */
  readonly thisUrl: boolean;
}

/** Characters shown of a description: the row pins all of it. */
const SHOWN = 200;

/**
 * Asks on the terminal, and on a terminal only: nobody else can look at a
 * stranger's program and say yes. Returns 0 when a row was printed, 1 when it
 * was not wanted, 2 after a refusal.
 */
export async function mcpPin(
  host: CliHost,
  flags: Flags,
  request: PinRequest,
): Promise<number> {
  const { screen } = host;
  if (!screen.inIsTerminal || screen.columns === undefined) {
    return printRefusal(
      screen,
      refuse(
        "RUN_DISABLED",
        "a person has to look at a server before it is granted, and this is no terminal",
        "Run `skillfence mcp pin` on a terminal, without redirecting its input or output.",
      ),
      { json: false },
    );
  }
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  const engine = createEngine(config);
  try {
    const pinning = await prepared(engine, request);
    if (!pinning.ok) return printRefusal(screen, pinning, { json: false });
    show(screen, request, pinning.value);
    if (!askYes(screen, "Start it once, exactly so, to see its tools?")) {
      screen.err("Nothing was started.\n");
      return 1;
    }
    const pinned = await interruptible(
      (interrupt) =>
        withProgress(
          screen,
          "Starting the server",
          () => pinning.value.start(interrupt.signal),
        ),
      () => engine.runner.closeSync(),
    );
    if (!pinned.ok) return printRefusal(screen, pinned, { json: false });
    showPinned(screen, pinned.value);
    return 0;
  } finally {
    await engine.upstream.close();
    engine.runner.closeSync();
  }
}

async function prepared(
  engine: FullEngine,
  { skill: name, server, env, net, unfenced, thisUrl }: PinRequest,
): Promise<Result<Pinning>> {
  for (const variable of env) {
    const checked = checkEnvName(variable);
    if (!checked.ok) return checked;
  }
  const skill = await engine.catalog.find(name);
  if (!skill.ok) return skill;
  return await engine.upstream.pinning(skill.value, server, {
    env: [...new Set(env)],
    net,
    unfenced,
    url: undefined,
    thisUrl,
  });
}

function show(
  screen: Screen,
  { skill, server }: PinRequest,
  pinning: Pinning,
): void {
  const { transport } = pinning;
  const stdio = transport.kind === "stdio";
  const names = Object.keys(stdio ? transport.env : transport.headers);
  const rows: [string, string][] = [
    ...stdio
      ? [
        ["command", transport.command] as [string, string],
        ...transport.args.map((arg): [string, string] => ["argument", arg]),
      ]
      : [["address", transport.url] as [string, string]],
    ...names.map((name): [string, string] => [
      stdio ? "variable" : "header",
      name,
    ]),
    ...pinning.permissions.map((text): [string, string] => ["it", text]),
    ["held by", pinning.fence],
    ...pinning.notes.map((text): [string, string] => ["note", text]),
  ];
  screen.out(
    `${
      screen.paint.strong(
        `The server ${visible(server, 80)} of ${visible(skill, 120)}`,
      )
    }\n${
      table(
        rows.map(([what, text]) => [
          { text: what },
          { text: visible(text, 2_000) },
        ]),
        { columns: screen.columns, indent: 2 },
      )
    }\n\n`,
  );
}

function showPinned(screen: Screen, { row, tools, notes }: Pinned): void {
  const { paint } = screen;
  screen.out(`${paint.strong(`Its tools (${tools.length})`)}\n`);
  const rows = tools.map(({ name, description = "" }) => [
    { text: name },
    { text: visible(description, SHOWN) },
  ]);
  screen.out(`${table(rows, { columns: screen.columns, indent: 2 })}\n`);
  for (const note of notes) screen.out(`  ${visible(note, 600)}\n`);
  screen.out(
    `\n${
      paint.strong("The row for MCP_SKILL_MCP")
    }, a JSON array of such rows; \`trusted\` may list tools that need no preview:\n\n${
      visible(JSON.stringify(row), 8_000)
    }\n`,
  );
}

/** Reads one line; whatever is no clear yes is a no. */
function askYes(screen: Screen, question: string): boolean {
  screen.err(`${question} [y/N] `);
  const bytes: number[] = [];
  const one = new Uint8Array(1);
  while (bytes.length < 100 && Deno.stdin.readSync(one) === 1) {
    if (one[0] === 0x0a || one[0] === 0x0d) break;
    bytes.push(one[0]!);
  }
  const answer = new TextDecoder().decode(new Uint8Array(bytes));
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
