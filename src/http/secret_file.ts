/** Files that hold a secret: what they must be before one is used. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";

/** Larger ones are some other file. */
const MAX_BYTES = 4096;
/** Reading by the group is how a cluster mounts secrets; all else is too much. */
const TOO_OPEN = 0o037;

/**
 * The bytes of the file that `variable` names. Refuses with `CONFIG` what cannot
 * be read, is no regular file, is larger than 4 KiB, belongs to an account that is
 * neither ours nor root, or may be read by others or written by the group. Links
 * are followed. Nothing of the content is repeated.
 */
export async function readSecretFile(
  path: string,
  variable: string,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
    const file = await open(
      path,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const info = await file.stat();
      if (!info.isFile()) return unusable(variable, "it is not a regular file");
      if (Deno.build.os !== "windows" && !isTrusted(info.uid)) {
        return unusable(variable, "it belongs to another account");
      }
      if (Deno.build.os !== "windows" && (info.mode & TOO_OPEN) !== 0) {
        return unusable(variable, "others may read it, or its group write it");
      }
      if (info.size > MAX_BYTES) {
        return unusable(variable, `it is larger than ${MAX_BYTES} bytes`);
      }
      return ok(new Uint8Array(await file.readFile()));
    } finally {
      await file.close();
    }
  } catch (error) {
    return unusable(variable, `it cannot be read (${errorName(error)})`);
  }
}

/** Ours, or root's, which is how a cluster mounts secrets. */
function isTrusted(uid: number): boolean {
  return uid === 0 || uid === Deno.uid();
}

/** The refusal of a secret file, by what is wrong with it. */
export function unusable(variable: string, why: string): Result<never> {
  return refuse(
    "CONFIG",
    `The file of ${variable} cannot be used: ${why}`,
    "Name a file of mode 0600 (or 0440) of this account or of root.",
  );
}
