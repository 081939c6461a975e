/** Starts the real command line as a user does. */

import { join } from "node:path";

/** The entry of the source form. */
export const MAIN: string = join(import.meta.dirname!, "..", "..", "main.ts");

/** What one start is given. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** How it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `skillfence ARGS` with nothing but PATH, HOME and `env` set. */
export async function skillfence(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  return await command(
    Deno.execPath(),
    ["run", "-A", "--no-prompt", MAIN, ...args],
    options,
  );
}

/** Whether a pseudo-terminal can be had: `script` of util-linux. */
export const HAS_TERMINAL: boolean = await hasTerminal();

/** The source form on a pseudo-terminal; stdout and stderr are one. */
export function onTerminal(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const source = [Deno.execPath(), "run", "-A", "--no-prompt", MAIN];
  return terminal([...source, ...args], options);
}

/** Any program on a pseudo-terminal of 100 columns. */
export async function terminal(
  words: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(
    " ",
  );
  // The width is the terminal's, not a variable's: `stty` sets it.
  const sized = `stty cols 100 rows 40; exec ${line}`;
  return await command("script", ["-qec", sized, "/dev/null"], {
    ...options,
    env: { TERM: "xterm", ...options.env },
  });
}

/** Runs a program in the environment of `CommandOptions` and nothing else. */
export async function command(
  program: string,
  args: readonly string[],
  { env = {}, stdin = "", cwd }: CommandOptions,
): Promise<Ended> {
  const child = spawn(program, args, { env, cwd });
  const writer = child.stdin.getWriter();
  // A child that reads nothing may be gone before this is written.
  const written = writer.write(new TextEncoder().encode(stdin))
    .then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  await written;
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

/** Starts the source form and leaves it running. */
export function start(
  args: readonly string[],
  options: CommandOptions = {},
): Deno.ChildProcess {
  return spawn(
    Deno.execPath(),
    ["run", "-A", "--no-prompt", MAIN, ...args],
    options,
  );
}

function spawn(
  program: string,
  args: readonly string[],
  { env, cwd }: CommandOptions,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    cwd,
    clearEnv: true,
    env: { ...own("PATH"), ...own("HOME"), ...own("DENO_DIR"), ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

function own(name: string): Record<string, string> {
  const value = Deno.env.get(name);
  return value === undefined ? {} : { [name]: value };
}

async function hasTerminal(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    const { success, stdout } = await new Deno.Command("script", {
      args: ["-qec", "test -t 0 && test -t 1 && echo both", "/dev/null"],
      stdin: "null",
      stderr: "null",
    }).output();
    return success && new TextDecoder().decode(stdout).includes("both");
  } catch {
    return false;
  }
}
