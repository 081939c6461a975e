/** Whether an audit log can be written, without writing one. */

import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { complaint, LOG_FLAGS, named } from "./log_file.ts";

/** Why lines are lost, and what helps. */
export interface LogProblem {
  /** What follows the path in a sentence. */
  readonly why: string;
  /** One sentence. */
  readonly remedy: string;
}

const REMEDIES: Readonly<Record<string, string>> = {
  "is a symbolic link":
    "Set SKILLFENCE_AUDIT_LOG to the file itself: no link is followed.",
  "is not a regular file":
    "Set SKILLFENCE_AUDIT_LOG to a regular file, or to one that is not there yet.",
  "is writable by others": "Take that right away: chmod go-w on the file.",
  "belongs to another account":
    "Move it away, or give it to the account of the server (chown).",
  "cannot be written: ENOENT": "Make the directory that it is to be in.",
};
const ANY =
  "Set SKILLFENCE_AUDIT_LOG to a file in a directory that the server's account may write.";

/**
 * What keeps lines from being written to this file (absolute path); undefined
 * when nothing does. Makes no log: where there is none, a file beside it is made
 * and removed.
 */
export async function logProblem(
  path: string,
): Promise<LogProblem | undefined> {
  const why = await whyUnwritable(path);
  return why === undefined ? undefined : { why, remedy: REMEDIES[why] ?? ANY };
}

async function whyUnwritable(path: string): Promise<string | undefined> {
  try {
    const handle = await open(path, LOG_FLAGS);
    try {
      return complaint(await handle.stat());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return (error as { code?: unknown }).code === "ENOENT"
      ? await whyNoneBeside(path)
      : named(error).message;
  }
}

async function whyNoneBeside(path: string): Promise<string | undefined> {
  const beside = join(dirname(path), `.skillfence-${crypto.randomUUID()}`);
  try {
    await Deno.writeFile(beside, new Uint8Array(), {
      createNew: true,
      mode: 0o600,
    });
    await Deno.remove(beside);
    return undefined;
  } catch (error) {
    return named(error).message;
  }
}
