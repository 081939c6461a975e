/** What probes of runtimes came to: each is asked once, here and on disk. */

import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { CacheDir } from "../cache_dir.ts";
import type { FileIdentity } from "./file_identity.ts";
import { writeAtomically } from "./unpack_executable.ts";

/** Raised when the probe learns to ask more: older records count no more. */
const PROBE_GENERATION = 1;

/** Proves on a runtime that the fence holds. Returns why it does not. */
export type RuntimeProbe = (path: string) => Promise<string | undefined>;

/** Asks the probe, and remembers its answers by file and version. */
export class ProbeOutcomes {
  readonly #probe: RuntimeProbe;
  readonly #cache: CacheDir;
  /** Failed probes, so that a call does not repeat them. */
  readonly #failed = new Map<string, string>();

  constructor(probe: RuntimeProbe, cache: CacheDir) {
    this.#probe = probe;
    this.#cache = cache;
  }

  /** Why the fence does not hold on a runtime; undefined when it does. */
  async of(
    identity: FileIdentity,
    version: string,
  ): Promise<string | undefined> {
    const key = JSON.stringify({ ...identity, version, PROBE_GENERATION });
    const failed = this.#failed.get(key);
    if (failed !== undefined) return failed;
    const record = await this.#recordPath(key);
    if (record !== undefined && await reads(record, key)) return undefined;
    const reason = await this.#probe(identity.path);
    if (reason !== undefined) this.#failed.set(key, reason);
    else if (record !== undefined) {
      await writeAtomically(record, key).catch(() => {});
    }
    return reason;
  }

  async #recordPath(key: string): Promise<string | undefined> {
    const cache = await this.#cache.get();
    if (!cache.ok) return undefined;
    return join(cache.value.path, `probe-${sha256(key).slice(-16)}.json`);
  }
}

async function reads(path: string, text: string): Promise<boolean> {
  try {
    return await Deno.readTextFile(path) === text;
  } catch {
    return false;
  }
}
