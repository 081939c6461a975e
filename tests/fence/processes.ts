/** Looking at processes from outside. */

import process from "node:process";

/** Waits until `condition` holds; throws after `ms`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 5_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not so within ${ms} ms`);
    await new Promise((again) => setTimeout(again, 5));
  }
}

/** Whether a process runs; a zombie, which nobody may reap here, does not. */
export function runs(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch (error) {
    if (Deno.build.os === "linux") return false;
    void error;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a process has ended. */
export function gone(pid: number): Promise<void> {
  return until(() => !runs(pid));
}

/** The number in a file, once there is one. */
export async function pidIn(path: string): Promise<number> {
  let pid = 0;
  await until(async () => {
    pid = Number(await Deno.readTextFile(path).catch(() => ""));
    return pid > 0;
  });
  return pid;
}

/** Processes of this machine whose command line holds `text`. Linux. */
export function running(text: string): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.includes(text) && runs(Number(name))) found.push(Number(name));
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}

/** Skips what needs process groups and a shell. */
export const onUnix: { ignore: boolean } = {
  ignore: Deno.build.os === "windows",
};
