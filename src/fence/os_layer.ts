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

/** Of a failure that says nothing of the machine: it may be over in a moment. */
const NOT_TRIED = "no-probe";

/**
 * Finds the layer once for each runtime, and again when it failed a run. A
 * layer that held once in this process is never stepped down from: a script
 * could bring a later search to fail.
 */
export class OsLayerFinder {
  readonly #wanted: OsFence;
  readonly #probes: OsProbes;
  #found:
    | { readonly runtime: string; readonly state: Promise<OsState> }
    | undefined;
  #fresh = false;
  readonly #held = new Map<string, OsLayer>();

  constructor(wanted: OsFence, probes: OsProbes) {
    this.#wanted = wanted;
    this.#probes = probes;
  }

  /** What holds for this runtime. Concurrent callers share one search. */
  get(runtime: string): Promise<OsState> {
    if (this.#found?.runtime !== runtime) {
      const state = this.#find(runtime).then(({ state, lasting }) => {
        if (!lasting && this.#found?.state === promised) {
          this.#found = undefined;
        }
        return state;
      });
      const promised = state;
      this.#found = { runtime, state };
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

  /** The state, and whether it may be answered with again. */
  async #find(
    runtime: string,
  ): Promise<{ readonly state: OsState; readonly lasting: boolean }> {
    const wanted = this.#wanted;
    const off: OsOff[] = [];
    const fresh = this.#fresh;
    this.#fresh = false;
    const before = this.#held.get(runtime);
    const names = before === undefined ? TRIED[wanted] : [before.by];
    for (const name of names) {
      const probed = await this.#probes[name](runtime, fresh);
      if (probed.ok) {
        this.#held.set(runtime, probed.layer);
        return { state: { wanted, layer: probed.layer, off }, lasting: true };
      }
      off.push(probed.off);
    }
    // Runs then fail to be set up, which is a refusal, until it holds again.
    if (before !== undefined) {
      this.#fresh = true;
      return { state: { wanted, layer: before, off }, lasting: false };
    }
    const lasting = off.every(({ cause }) => cause !== NOT_TRIED);
    return { state: { wanted, layer: undefined, off }, lasting };
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
