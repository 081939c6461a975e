/** Programs run under the system call filter by bubblewrap, or without it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type FilterOptions, seccompFilter } from "../../src/os/seccomp.ts";
import { makeTree } from "../support/tree.ts";

/** A call to make: label, number, arguments. */
export type Call = readonly [string, number, ...(number | string)[]];

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The filter of this machine's architecture. */
export function filterHere(
  options: Omit<FilterOptions, "arch"> = { ip: true, processes: true },
): Uint8Array {
  return seccompFilter({ arch: Deno.build.arch, ...options });
}

/**
 * Runs a command in namespaces of its own, with all capabilities there, so that
 * what is refused is refused by the filter.
 */
export async function underFilter(
  filter: Uint8Array | undefined,
  command: readonly string[],
): Promise<Ended> {
  await using tree = await makeTree({ filter: filter ?? "" });
  const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: [
      "-c",
      'exec 3<"$0"; exec "$@"',
      tree.path("filter"),
      "bwrap",
      ...(filter === undefined ? [] : ["--seccomp", "3"]),
      ...["--unshare-user", "--unshare-all", "--new-session"],
      ...["--cap-add", "ALL", "--dev-bind", "/", "/", "--"],
      ...command,
    ],
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** Error numbers, or results as strings, by the calls' labels. */
export async function callsUnder(
  filter: Uint8Array | undefined,
  calls: readonly Call[],
): Promise<Record<string, number | string>> {
  const { code, stdout, stderr } = await underFilter(filter, [
    Deno.execPath(),
    ...["run", "-A", "--no-config", "--no-prompt"],
    join(import.meta.dirname!, "syscall_probe.mjs"),
    JSON.stringify(calls),
  ]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}
