/** Which directory it was that was checked, for a last look before the start. */

import { type Refusal, refuse } from "../../base/refusal.ts";

/** A directory that a script is let into, as it was when its check began. */
export interface CheckedDir {
  /** Absolute and real. */
  readonly path: string;
  /** As messages name it. */
  readonly what: string;
  /** Device and inode; undefined where the system tells none. */
  readonly identity: string | undefined;
}

/** Takes note of a directory. Throws the system's errors. */
export function checkedDir(path: string, what: string): CheckedDir {
  return { path, what, identity: identityOf(path) };
}

/**
 * The `PREFLIGHT` refusal for the first directory in whose place something else
 * stands now, a link or another directory; undefined when there is none. A
 * layer that shows directories by their paths would follow what was put there.
 */
export function swappedSince(
  checked: readonly CheckedDir[],
): Refusal | undefined {
  const swapped = checked.find(({ path, identity }) => {
    try {
      return identityOf(path) !== identity;
    } catch {
      return true;
    }
  });
  return swapped && refuse(
    "PREFLIGHT",
    `what stands at the place of ${swapped.what} is not what was checked`,
    "Nothing was started. Call again: what is there now is checked then.",
  );
}

function identityOf(path: string): string | undefined {
  const { dev, ino, isDirectory } = Deno.lstatSync(path);
  if (!isDirectory) return "no directory";
  return ino === null ? undefined : `${dev}:${ino}`;
}
