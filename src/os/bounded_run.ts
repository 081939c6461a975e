/** Running a program of a probe to its end: bounded, and nothing of it stays. */

import { childrenOf } from "./children.ts";
import type { Account } from "./types.ts";

/** What is run, with nothing of our environment. */
export interface BoundedRun {
  /** Absolute path of the program, and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
  readonly timeoutMs: number;
}

/** How it ended. */
export interface BoundedEnd {
  /** 128 + n where signal n ended it. */
  readonly code: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs it in a group of its own, from `/`, without input. Once it has ended, or
 * its time is over, the whole group is killed: bubblewrap that fails early
 * leaves a child which waits for ever and holds its output open. Throws what
 * starting it throws.
 */
export async function boundedRun(
  { command: [program = "", ...args], env, account, timeoutMs }: BoundedRun,
): Promise<BoundedEnd> {
  const child = new Deno.Command(program, {
    args,
    cwd: "/",
    clearEnv: true,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
    ...account,
  }).spawn();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    // What a sandbox holds may have left the group.
    for (const held of childrenOf(child.pid)) kill(held);
    kill(-child.pid);
  }, timeoutMs);
  const output = child.output();
  const { code } = await child.status;
  clearTimeout(timer);
  kill(-child.pid);
  const { stdout, stderr } = await output;
  const decoder = new TextDecoder();
  return {
    code,
    timedOut,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** A group's number is that of its leader, with a minus. */
function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself.
  }
}
