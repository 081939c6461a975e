/** What a run stands on: the account, a runtime it can start, the layer that holds. */

import { ok, type Result } from "../base/refusal.ts";
import type { Config } from "../config/types.ts";
import { type AccountChoice, accountFor } from "../os/account.ts";
import { probeBwrap } from "../os/bwrap_probe.ts";
import { probeLandlock } from "../os/landlock_probe.ts";
import type { Account } from "../os/types.ts";
import type { CacheDir } from "./cache_dir.ts";
import { fenceLayers } from "./plan/layers.ts";
import { OsLayerFinder, type OsState } from "./os_layer.ts";
import { directoryPrefix, ownIdentity } from "./disk/process_identity.ts";
import { RuntimeFinder, type RuntimeFinderOptions } from "./runtime.ts";
import type { Layer, Runtime } from "./types.ts";

/** What the ground is found with. */
export interface FenceGroundOptions {
  readonly config: Pick<Config, "uid" | "osFence" | "env">;
  readonly runtime: Omit<RuntimeFinderOptions, "account">;
  readonly cache: CacheDir;
  /** The system's temporary directory. */
  readonly tmpDir: string;
}

/** Finds each on first use; later calls are answered from memory. */
export class FenceGround {
  readonly #options: FenceGroundOptions;
  /** Where the runtime was looked for, for `doctor` too. */
  readonly runtimes: RuntimeFinder;
  readonly #layer: OsLayerFinder;
  #account: Promise<Result<AccountChoice>> | undefined;

  constructor(options: FenceGroundOptions) {
    this.#options = options;
    this.runtimes = new RuntimeFinder({
      ...options.runtime,
      account: () => this.account(),
    });
    this.#layer = new OsLayerFinder(options.config.osFence, {
      bwrap: async (runtime, fresh) =>
        probeBwrap({ ...await this.#probe(runtime), fresh }),
      landlock: async (runtime, fresh) =>
        probeLandlock({ ...await this.#probe(runtime), fresh }),
    });
  }

  /** The account scripts run as; undefined: the server's own. */
  async account(): Promise<Result<Account | undefined>> {
    const chosen = await this.#choice();
    return chosen.ok ? ok(chosen.value.account) : chosen;
  }

  /** The runtime, at a path where that account can start it. */
  runtime(): Promise<Result<Runtime>> {
    return this.runtimes.get();
  }

  /** The layer of the operating system for the runtime at this path. */
  os(runtime: string): Promise<OsState> {
    return this.#layer.get(runtime);
  }

  /** The same for the runtime that is found; without one, why nothing holds. */
  async osState(): Promise<OsState> {
    const runtime = await this.runtime();
    return runtime.ok
      ? await this.os(runtime.value.path)
      : this.#layer.without(runtime.message);
  }

  /** Makes the next call look for the layer again. */
  forget(): void {
    this.#layer.forget();
  }

  /** The layers as a listing states them. */
  async layers(): Promise<readonly Layer[]> {
    const state = await this.osState();
    const chosen = await this.#choice();
    const note = chosen.ok ? chosen.value.note : chosen.message;
    return fenceLayers(state).map((layer) =>
      layer.name === "os" && note !== undefined
        ? { ...layer, note: `${layer.note}; ${note}` }
        : layer
    );
  }

  #choice(): Promise<Result<AccountChoice>> {
    return this.#account ??= accountFor({
      configured: this.#options.config.uid,
      selfUid: Deno.build.os === "windows" ? null : Deno.uid(),
    });
  }

  async #probe(runtime: string): Promise<{
    runtime: string;
    account: Account | undefined;
    tmpDir: string;
    prefix: string;
    searchPath: string | undefined;
    cacheDir: string | undefined;
  }> {
    const { cache, tmpDir, config } = this.#options;
    const [account, place] = await Promise.all([this.account(), cache.get()]);
    return {
      runtime,
      account: account.ok ? account.value : undefined,
      tmpDir,
      // Of a server that is killed meanwhile, the next one removes it.
      prefix: directoryPrefix(ownIdentity()),
      searchPath: config.env("PATH"),
      cacheDir: place.ok ? place.value.path : undefined,
    };
  }
}
