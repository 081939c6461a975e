/** The system call filters that sandboxes are handed, made out once each. */

import { seccompFilter } from "../../os/seccomp.ts";
import type { Network } from "../../os/types.ts";

/** Filters by what they let through. */
export class SandboxFilters {
  readonly #made = new Map<boolean, Uint8Array<ArrayBuffer>>();

  /** The filter of a sandbox with such a network. Not to be changed. */
  for(network: Network): Uint8Array<ArrayBuffer> {
    // Without a network there is nothing that an address could be of.
    const ip = network !== "none";
    const made = this.#made.get(ip) ??
      seccompFilter({ arch: Deno.build.arch, ip, processes: false });
    this.#made.set(ip, made);
    return made;
  }
}
