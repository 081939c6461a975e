/** The command line's grammar. Each subcommand's module is loaded when used. */

import { Command, CommanderError } from "commander";
import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import type { Flags } from "../config/flags.ts";
import { withFlags } from "./flag_options.ts";
import { FLAG_WORDS, flagsFrom, type GivenFlag } from "./flag_words.ts";
import { hookCommands } from "./hook_commands.ts";
import type { CliHost } from "./host.ts";
import { mcpCommand } from "./mcp_command.ts";

/** What every subcommand shares. */
interface CommonOptions {
  readonly json?: boolean;
}

const FOOTER = `
Serving is the default: a client starts \`skillfence\` and speaks MCP on its
standard input and output. What may run is decided by MCP_SKILL_RUN.`;

/**
 * Parses `args` and runs what they ask for. Returns the exit code: 0 done, 1
 * findings, 2 a usage or configuration mistake.
 */
export async function runProgram(
  args: readonly string[],
  host: CliHost,
): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(host, (code) => exitCode = code);
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

function buildProgram(host: CliHost, done: (code: number) => void): Command {
  const { screen } = host;
  const program = new Command("skillfence")
    .description(
      "Serves folders of Agent Skills over MCP and runs their declared scripts behind a permission fence.",
    )
    .usage("[options] [command]")
    .version(host.version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a subcommand")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: screen.out,
      writeErr: screen.err,
      outputError: (text, write) => write(errorText(text)),
      getOutHelpWidth: () => screen.columns ?? 80,
      getErrHelpWidth: () => screen.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", FOOTER);
  // Flags may stand before and after the subcommand: one list keeps the order.
  const given: GivenFlag[] = [];
  const common = (command: Command, options: { json: boolean }): Command =>
    withFlags(command, given, options);
  const served = (): Flags => flagsFrom(given);
  const flags = (): Flags => {
    const stray = given.find(([name]) =>
      FLAG_WORDS.some((word) => word.name === name && word.serves)
    );
    if (stray !== undefined) {
      program.error(`error: --${stray[0]} belongs to serve`);
    }
    return served();
  };

  common(program, { json: false })
    .argument("[command]")
    .action(async (command: string | undefined) => {
      if (command !== undefined) unknownCommand(program, command);
      const { serve } = await import("./serve.ts");
      done(await serve(host, served()));
    });
  common(program.command("serve"), { json: false })
    .description("serve over stdio (the default) or HTTP")
    .action(async () => {
      const { serve } = await import("./serve.ts");
      done(await serve(host, served()));
    });
  common(program.command("list"), { json: true })
    .description("print the skills, and what is wrong with them")
    .action(async (options: CommonOptions) => {
      const { list } = await import("./list.ts");
      done(await list(host, flags(), { json: options.json === true }));
    });
  common(program.command("check"), { json: true })
    .description(
      "check the skills below DIR (else the configured ones); exit 1 on errors",
    )
    .argument("[dir]", "a skill, or a directory of skills")
    .action(async (dir: string | undefined, options: CommonOptions) => {
      const { check } = await import("./check.ts");
      const json = options.json === true;
      done(await check(host, flags(), { dir, json }));
    });
  runCommand(common(program.command("run"), { json: true }), host, flags, done);
  common(program.command("doctor"), { json: true })
    .description("print how this server is set up, and test the fence")
    .option("--deep", "test the fence with hostile scripts of every kind")
    .action(async (options: CommonOptions & { readonly deep?: boolean }) => {
      const { doctor } = await import("./doctor.ts");
      const [json, deep] = [options.json === true, options.deep === true];
      done(await doctor(host, flags(), { json, deep }));
    });
  mcpCommand(common, program, { host, flags, done });
  hookCommands(common, program, { host, flags, done });
  auditCommand(program, host, done);
  return program;
}

interface AuditFlags {
  readonly skill?: string;
  readonly event?: string;
  readonly since?: string;
  readonly denied?: boolean;
  readonly json?: boolean;
}

function auditCommand(
  program: Command,
  host: CliHost,
  done: (code: number) => void,
): void {
  program.command("audit")
    .description("print an audit log that SKILLFENCE_AUDIT_LOG has written")
    .helpOption("-h, --help", "print this help")
    .allowExcessArguments(false)
    .argument("<file>", "the log, or one that was moved aside")
    .option("--skill <name>", "only this skill")
    .option("--event <event>", "only preview, run, refusal or cancellation")
    .option("--since <time>", "not before a time, or an age such as 12h")
    .option("--denied", "only what was refused or denied something")
    .option("--json", "print JSON")
    .action(async (file: string, options: AuditFlags) => {
      const { audit } = await import("./audit.ts");
      done(
        await audit(host, {
          file,
          skill: options.skill,
          event: options.event,
          since: options.since,
          denied: options.denied === true,
          json: options.json === true,
        }),
      );
    });
}

interface RunFlags extends CommonOptions {
  readonly confirm?: boolean;
  readonly planDigest?: string;
  readonly file?: string[];
  readonly stdin?: boolean;
  readonly out?: string;
}

function runCommand(
  command: Command,
  host: CliHost,
  flags: () => Flags,
  done: (code: number) => void,
): void {
  command
    .description("preview a declared script; with --confirm, run it")
    .argument("<skill>", "its name as `list` prints it")
    .argument("<script>", "as the skill declares it")
    .argument(
      "[args...]",
      "the script's arguments; after -- they may begin with -",
    )
    .option("--confirm", "run it, not only preview it")
    .option(
      "--plan-digest <digest>",
      "run it only if the Plan is still this one",
    )
    .option("--file <file>", "hand in a file (repeatable)", collect)
    .option("--stdin", "pass standard input on to the script")
    .option(
      "--out <dir>",
      "keep the files that the script leaves in this directory",
    );
  command.action(
    async (
      skill: string,
      script: string,
      args: string[],
      options: RunFlags,
    ) => {
      const { run } = await import("./run.ts");
      done(
        await run(host, flags(), {
          skill,
          script,
          args,
          confirm: options.confirm === true,
          planDigest: options.planDigest,
          files: options.file ?? [],
          stdin: options.stdin === true,
          out: options.out,
          json: options.json === true,
        }),
      );
    },
  );
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...previous ?? [], value];
}

function unknownCommand(program: Command, word: string): never {
  const names = program.commands.map((command) => command.name());
  const [near] = nearest(word, names, 1);
  program.error(
    `error: unknown command '${word}'` +
      (near === undefined ? "" : ` (did you mean ${near}?)`),
  );
}

/** Commander's text names arguments as they came: make them safe to print. */
function errorText(text: string): string {
  const lines = text.trimEnd().replace(/^error: /, "").split("\n");
  return `skillfence: ${lines.map((line) => visible(line)).join("\n")}\n` +
    "Try: skillfence --help\n";
}
