/** Looking at processes from outside. */

import process from "node:process";
import { until } from "../support/until.ts";

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
export async function gone(pid: number): Promise<void> {
  await until(() => !runs(pid));
}

/** The number in a file, once there is one. */
export async function pidIn(path: string): Promise<number> {
  return await until(async () =>
    Number(await Deno.readTextFile(path).catch(() => "")) || undefined
  );
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
