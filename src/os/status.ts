/** What bubblewrap and the launcher write about a child that they start. */

/** A child as its status file tells of it. */
export interface Status {
  /** The command itself was reached: its exit code is its own. */
  readonly started: boolean;
  /** The sandbox's first process, in the server's numbering. */
  readonly childPid?: number;
  /** 128 + n where signal n ended the command. */
  readonly exitCode?: number;
}

/**
 * Reads JSON lines, each with some of `child-pid`, `exit-code` and `started`.
 * bubblewrap writes an exit code only for a command that could be executed, so
 * either proves the start. Other lines and values say nothing.
 */
export function statusOf(text: string): Status {
  let started = false;
  let childPid: number | undefined;
  let exitCode: number | undefined;
  for (const line of text.split("\n")) {
    const said = parsed(line);
    if (said["started"] === true) started = true;
    childPid ??= whole(said["child-pid"], 1);
    exitCode ??= whole(said["exit-code"], 0);
  }
  return {
    started: started || exitCode !== undefined,
    ...(childPid === undefined ? {} : { childPid }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function whole(value: unknown, least: number): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) &&
      value >= least
    ? value
    : undefined;
}
