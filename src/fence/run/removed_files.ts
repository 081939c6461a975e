/** Files that a process keeps open after removing them: no walk finds those. */

const BLOCK = 512;

/**
 * Room and number of the removed files that process `pid` holds open on the
 * file systems of `dirs`. Undefined where the system lets nobody look, or not
 * us (proc_pid_fd(5)); nothing when the process is gone.
 */
export function removedFiles(
  pid: number,
  dirs: readonly string[],
): { bytes: number; files: number } | undefined {
  const listed = descriptors(pid);
  if (listed === undefined) return undefined;
  const found = { bytes: 0, files: 0 };
  const devices = new Set(dirs.map((dir) => statOf(dir)?.dev));
  // One file may be open more than once.
  const seen = new Set<string>();
  for (const descriptor of listed) {
    const info = statOf(`/proc/${pid}/fd/${descriptor}`);
    if (info?.nlink !== 0 || !info.isFile || !devices.has(info.dev)) continue;
    const id = `${info.dev}:${info.ino}`;
    if (seen.has(id)) continue;
    seen.add(id);
    found.bytes += Math.max(info.size, (info.blocks ?? 0) * BLOCK);
    found.files++;
  }
  return found;
}

function descriptors(pid: number): string[] | undefined {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => name);
  } catch (error) {
    const gone = error instanceof Deno.errors.NotFound;
    return gone && Deno.build.os === "linux" ? [] : undefined;
  }
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
