/** Which file it was that was found at a path, to tell when another is there. */

/** A file as it was when it was found. */
export interface FileIdentity {
  readonly path: string;
  readonly ino: number;
  readonly mtime: number;
  readonly size: number;
}

/** The regular file at a path, links followed; undefined when there is none. */
export async function identify(
  path: string,
): Promise<FileIdentity | undefined> {
  try {
    const info = await Deno.stat(path);
    if (!info.isFile) return undefined;
    return {
      path,
      ino: info.ino ?? 0,
      mtime: info.mtime?.getTime() ?? 0,
      size: info.size,
    };
  } catch {
    return undefined;
  }
}

/** Whether all of them are still at their paths, unchanged. */
export async function areTheSame(
  identities: readonly FileIdentity[],
): Promise<boolean> {
  for (const identity of identities) {
    const now = await identify(identity.path);
    if (now === undefined || !sameFile(now, identity)) return false;
  }
  return true;
}

function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.mtime === b.mtime && a.size === b.size;
}
