/** Who made a temporary directory, so that a later server can tell it is stale. */

import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import process from "node:process";

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and pid namespace in which `pid` means something; `0` if unknown. */
  readonly space: string;
  /** Start time in clock ticks after boot; `0` if unknown. */
  readonly start: string;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: Deno.pid,
    space: pidSpace(),
    start: startTime(Deno.pid) ?? "0",
  };
}

/**
 * What the name of a temporary directory of that process begins with. Some
 * letters and digits follow; a later server knows it by that and sweeps it.
 */
export function directoryPrefix(
  { pid, space, start }: ProcessIdentity,
): string {
  return `skillfence-${pid}-${space}-${start}-`;
}

/** Whether that process still runs; `unknown` across namespaces and boots. */
export function isAlive(
  owner: ProcessIdentity,
  self: ProcessIdentity,
): boolean | "unknown" {
  if (owner.space !== self.space) return "unknown";
  if (owner.start !== "0") return startTime(owner.pid) === owner.start;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as someone else.
    return (error as { code?: string }).code !== "ESRCH";
  }
}

function pidSpace(): string {
  try {
    const boot = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id");
    const namespace = readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(boot + namespace).digest("hex")
      .slice(0, 8);
  } catch {
    return "0";
  }
}

/** Field 22 of `/proc/<pid>/stat`, counted after the last `)` of the name. */
function startTime(pid: number): string | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; where nothing reaps, it stays listed for ever.
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
