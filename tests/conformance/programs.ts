/** Runs the official conformance suite and the Inspector, each to its end. */

import { join } from "node:path";
import { ensureNode22 } from "../../tools/node22.ts";

const PROJECT = join(import.meta.dirname!, "../..");
/** More than either took on a busy machine, by far. */
const MOST_MS = 240_000;

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
}

/** What a program said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Which scenario to run, and against what. */
export interface Scenario {
  readonly name: string;
  readonly url: string;
  /** Revision to speak; forced on scenarios that name none. */
  readonly specVersion?: string;
}

/** The checks of one scenario of the conformance suite. */
export async function runScenario(scenario: Scenario): Promise<Check[]> {
  const { node, conformance } = await ensureNode22(PROJECT);
  const output = await Deno.makeTempDir();
  try {
    const { specVersion } = scenario;
    const said = await run(node, [
      conformance,
      "server",
      ...["--url", scenario.url, "--scenario", scenario.name],
      ...["-o", output, "--timeout", String(MOST_MS / 2)],
      ...specVersion === undefined
        ? []
        : ["--spec-version", specVersion, "--force"],
    ]);
    for await (const { name } of Deno.readDir(output)) {
      return JSON.parse(
        await Deno.readTextFile(join(output, name, "checks.json")),
      );
    }
    throw new Error(`${scenario.name} left no checks: ${said.stderr}`);
  } finally {
    await Deno.remove(output, { recursive: true });
  }
}

/** One line for each check that is no success, failures first in words. */
export function faults(checks: readonly Check[]): string[] {
  return checks
    .filter(({ status }) => status !== "SUCCESS" && status !== "INFO")
    .map(({ id, status, description, errorMessage }) =>
      `${id} ${status}: ${errorMessage ?? description}`
    );
}

/** Runs `mcp-inspector --cli` with these arguments. */
export async function inspect(args: readonly string[]): Promise<Said> {
  const { node, inspector } = await ensureNode22(PROJECT);
  return await run(node, [inspector, "--cli", ...args]);
}

async function run(node: string, args: string[]): Promise<Said> {
  const home = await Deno.makeTempDir();
  try {
    const { code, stdout, stderr } = await new Deno.Command(node, {
      args,
      cwd: home,
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", HOME: home, NO_COLOR: "1" },
      stdin: "null",
      signal: AbortSignal.timeout(MOST_MS),
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}
