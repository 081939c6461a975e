/** Memory of a process, as Linux tells it. */

/** Resident memory of a process in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(status.match(/VmRSS:\s+(\d+) kB/)?.[1]) / 1024;
}
