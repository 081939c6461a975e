/** Finding the operating-system layer that holds on this machine. */

import type { OsFence } from "../config/types.ts";
import { refuse, type Result } from "../base/refusal.ts";
import type {
  BwrapLayer,
  LandlockLayer,
  OsLayer,
  OsOff,
  OsProbed,
} from "../os/types.ts";

/** Proves a layer on this machine with this runtime. */
export interface OsProbes {
  /** `fresh`: what was found before does not count. */
  bwrap(runtime: string, fresh: boolean): Promise<OsProbed<BwrapLayer>>;
  landlock(runtime: string, fresh: boolean): Promise<OsProbed<LandlockLayer>>;
}

/** What was found, and what was asked for. */
export interface OsState {
  readonly wanted: OsFence;
  /** Undefined: the permission flags stand alone. */
  readonly layer: OsLayer | undefined;
  /** Layers that were tried and do not hold, in order. */
  readonly off: readonly OsOff[];
}

/** Tried in this order. */
const TRIED: Readonly<Record<OsFence, readonly ("bwrap" | "landlock")[]>> = {
  auto: ["bwrap", "landlock"],
  require: ["bwrap", "landlock"],
  bwrap: ["bwrap"],
  "bwrap+worker": ["bwrap"],
  landlock: ["landlock"],
  off: [],
};

/** Finds the layer once for each runtime, and again when it failed a run. */
export class OsFinder {
  readonly #wanted: OsFence;
  readonly #probes: OsProbes;
  #found:
    | { readonly runtime: string; readonly state: Promise<OsState> }
    | undefined;
  #fresh = false;

  constructor(wanted: OsFence, probes: OsProbes) {
    this.#wanted = wanted;
    this.#probes = probes;
  }

  /** What holds for this runtime. Concurrent callers share one search. */
  get(runtime: string): Promise<OsState> {
    if (this.#found?.runtime !== runtime) {
      this.#found = { runtime, state: this.#find(runtime) };
    }
    return this.#found.state;
  }

  /** What there is to say where no runtime can be probed with. */
  without(message: string): OsState {
    const advice = "Install the runtime first.";
    return {
      wanted: this.#wanted,
      layer: undefined,
      off: [{ cause: "no-runtime", message, advice }],
    };
  }

  /** Makes the next call look again: a layer failed to set up a run. */
  forget(): void {
    this.#found = undefined;
    this.#fresh = true;
  }

  async #find(runtime: string): Promise<OsState> {
    const off: OsOff[] = [];
    const fresh = this.#fresh;
    this.#fresh = false;
    for (const name of TRIED[this.#wanted]) {
      const probed = await this.#probes[name](runtime, fresh);
      if (probed.ok) return { wanted: this.#wanted, layer: probed.layer, off };
      off.push(probed.off);
    }
    return { wanted: this.#wanted, layer: undefined, off };
  }
}

/**
 * `FENCE_UNAVAILABLE` when a layer was demanded and none holds: a run must not
 * be weaker than its owner asked for.
 */
export function demanded(state: OsState): Result<OsState> {
  const { wanted, layer, off } = state;
  if (layer !== undefined || wanted === "auto" || wanted === "off") {
    return { ok: true, value: state };
  }
  return refuse(
    "FENCE_UNAVAILABLE",
    `Nothing runs: SKILLFENCE_OS_FENCE is ${wanted} and ${
      off.map(({ message }) => message).join("; ") ||
      "no layer of the operating system holds here"
    }.`,
    "Run `skillfence doctor`: it says what would turn the layer on. The owner can also choose another value of SKILLFENCE_OS_FENCE.",
  );
}
