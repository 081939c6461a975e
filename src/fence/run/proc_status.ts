/** What Linux tells of another process in `/proc/<pid>/status`. */

const TERM = 15;

/**
 * Whether the process is a child of `parent` and has a handler for SIGTERM. The
 * first process of a PID namespace never sees a signal that it does not handle
 * (pid_namespaces(7)). False where nothing can be read.
 */
export function catchesTerm(pid: number, parent: number): boolean {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
    return /^PPid:\s*(\d+)$/m.exec(status)?.[1] === String(parent) &&
      (BigInt(`0x${caught}`) >> BigInt(TERM - 1) & 1n) === 1n;
  } catch {
    return false;
  }
}
