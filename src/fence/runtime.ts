/** Finding a script runtime that the fence holds on. */

import { delimiter, isAbsolute, join } from "node:path";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { distrust } from "../os/trusted_path.ts";
import type { Account } from "../os/types.ts";
import type { CacheDir } from "./cache_dir.ts";
import type { Carried } from "./carried.ts";
import {
  areTheSame,
  type FileIdentity,
  identify,
} from "./runtime/file_identity.ts";
import { ProbeOutcomes, type RuntimeProbe } from "./runtime/probe_outcomes.ts";
import { readVersion } from "./runtime/read_version.ts";
import { removeOldCopies } from "./runtime/old_copies.ts";
import { RuntimePlace } from "./runtime/runtime_place.ts";
import type { Runtime, RuntimeFrom } from "./types.ts";
import {
  type PackedFile,
  unpackExecutable,
} from "./runtime/unpack_executable.ts";

export type { RuntimeProbe } from "./runtime/probe_outcomes.ts";

/** The Deno version that the fence is built and tested for. */
export const PINNED_DENO = "2.9.6";

/** What is known of where a runtime may be. */
export interface RuntimeSources {
  /** `SKILLFENCE_DENO`: this one or none. */
  readonly explicit: string | undefined;
  /** The one inside the executable. */
  readonly carried: (PackedFile & { readonly version: string }) | undefined;
  /** The Deno that runs this, unless it is the compiled server itself. */
  readonly running:
    | { readonly path: string; readonly version: string }
    | undefined;
  /** `PATH` as set. */
  readonly searchPath: string | undefined;
}

/** How a `RuntimeFinder` is set up. */
export interface RuntimeFinderOptions {
  readonly sources: RuntimeSources;
  readonly cache: CacheDir;
  readonly probe: RuntimeProbe;
  /** What scripts run as; left out: the server's own. */
  readonly account?: () => Promise<Result<Account | undefined>>;
}

/** A place that was looked at in vain. */
export interface Attempt {
  readonly from: RuntimeFrom;
  /** Without any path, fit for a client. */
  readonly reason: string;
  /** The path in question, for the owner's eyes. */
  readonly path: string | undefined;
}

/**
 * The sources of this process. `moduleDir` is the main module's directory,
 * below which an included runtime lies in the executable's own file system.
 */
export function runtimeSources(
  explicit: string | undefined,
  searchPath: string | undefined,
  carried: Carried | undefined,
  moduleDir: string,
): RuntimeSources {
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  const included = join(moduleDir, "runtime", `deno${suffix}`);
  return {
    explicit,
    carried: carried && {
      ...carried,
      from: carried.kind === "appended" ? Deno.execPath() : included,
    },
    running: Deno.build.standalone
      ? undefined
      : { path: Deno.execPath(), version: Deno.version.deno },
    searchPath,
  };
}

/** What was found, and where. */
interface Finding {
  readonly runtime: Runtime;
  /** Of the file that was found, and of the one that is started. */
  readonly identities: readonly FileIdentity[];
}

/**
 * Finds the runtime once, puts it where scripts' account can start it, and
 * looks again when its file has changed.
 */
export class RuntimeFinder {
  readonly #options: RuntimeFinderOptions;
  readonly #place: RuntimePlace;
  readonly #probes: ProbeOutcomes;
  #attempts: Attempt[] = [];
  #search: Promise<Result<Runtime>> | undefined;
  #found: Finding | undefined;

  constructor(options: RuntimeFinderOptions) {
    this.#options = options;
    this.#place = new RuntimePlace(options.cache);
    this.#probes = new ProbeOutcomes(options.probe, options.cache);
  }

  /**
   * The runtime, or `NO_RUNTIME` saying what is missing at every place; the
   * account's refusal when there is one.
   */
  async get(): Promise<Result<Runtime>> {
    const found = this.#found;
    if (found !== undefined) {
      if (await areTheSame(found.identities)) return ok(found.runtime);
      this.#found = undefined;
    }
    this.#search ??= this.#find().finally(() => this.#search = undefined);
    return await this.#search;
  }

  /** What the last search looked at in vain, in order. For `doctor`. */
  attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  async #find(): Promise<Result<Runtime>> {
    this.#attempts = [];
    const chosen = await this.#options.account?.();
    if (chosen?.ok === false) return chosen;
    const account = chosen?.value;
    const { explicit } = this.#options.sources;
    const runtime = explicit === undefined
      ? await this.#fromCarried(account) ?? await this.#fromRunning() ??
        await this.#fromPath()
      : await this.#accept("SKILLFENCE_DENO", explicit);
    if (runtime === undefined) return this.#none();
    const placed = await this.#place.at(runtime, account);
    if (!placed.ok) return placed;
    const paths = new Set([runtime.path, placed.value.path]);
    const identities = await Promise.all([...paths].map(identify));
    const known = identities.filter((identity) => identity !== undefined);
    if (known.length < paths.size) return this.#none();
    this.#found = { runtime: placed.value, identities: known };
    return placed;
  }

  async #fromCarried(
    account: Account | undefined,
  ): Promise<Runtime | undefined> {
    const { carried } = this.#options.sources;
    if (carried === undefined) {
      return this.#fail("carried", "this program carries none");
    }
    // Straight to where it is started from: it is a hundred megabytes.
    const cache = await this.#options.cache.reachable(account);
    if (!cache.ok) return this.#fail("carried", cache.message);
    const unpacked = await unpackExecutable(
      carried,
      cache.value.path,
      async (path) => await readVersion(path) === carried.version,
    );
    if (!unpacked.ok) return this.#fail("carried", unpacked.message);
    await removeOldCopies(cache.value.path, unpacked.value);
    return await this.#accept("carried", unpacked.value, carried.version);
  }

  async #fromRunning(): Promise<Runtime | undefined> {
    const { running } = this.#options.sources;
    if (running === undefined) {
      return this.#fail("running", "this program is compiled, not run by Deno");
    }
    return await this.#accept("running", running.path, running.version);
  }

  async #fromPath(): Promise<Runtime | undefined> {
    const name = Deno.build.os === "windows" ? "deno.exe" : "deno";
    const entries = this.#options.sources.searchPath?.split(delimiter) ?? [];
    for (const entry of entries) {
      const path = join(entry, name);
      if (!isAbsolute(entry) || await identify(path) === undefined) continue;
      const reason = (await distrust(path))?.reason;
      if (reason !== undefined) this.#fail("PATH", reason, path);
      else {
        const runtime = await this.#accept("PATH", path);
        if (runtime !== undefined) return runtime;
      }
    }
    return this.#fail("PATH", "no usable `deno` there");
  }

  /** Takes the file at `path` if it is the pinned version or passes the probe. */
  async #accept(
    from: RuntimeFrom,
    path: string,
    knownVersion?: string,
  ): Promise<Runtime | undefined> {
    const identity = await identify(path);
    if (identity === undefined) {
      return this.#fail(from, "there is no such file", path);
    }
    const version = knownVersion ?? await readVersion(path);
    if (version === undefined) {
      return this.#fail(from, "it could not be started as Deno", path);
    }
    if (from === "carried" || version === PINNED_DENO) {
      return { path, version, from };
    }
    const reason = await this.#probes.of(identity, version);
    if (reason === undefined) return { path, version, from };
    return this.#fail(
      from,
      `Deno ${version} does not hold the fence: ${reason}`,
      path,
    );
  }

  #fail(from: RuntimeFrom, reason: string, path?: string): undefined {
    this.#attempts.push({ from, reason, path });
    return undefined;
  }

  #none(): Result<never> {
    const reasons = this.#attempts
      .map(({ from, reason }) => `${NAMES[from]}: ${reason}`);
    return refuse(
      "NO_RUNTIME",
      `No script runtime can be used, so nothing can be run. ${
        reasons.join("; ")
      }.`,
      `Install Deno ${PINNED_DENO} (npm package "deno") and set SKILLFENCE_DENO to the absolute path of its executable. Listing, loading and reading skills work without it.`,
    );
  }
}

const NAMES: Readonly<Record<RuntimeFrom, string>> = {
  SKILLFENCE_DENO: "SKILLFENCE_DENO",
  carried: "carried runtime",
  running: "running Deno",
  PATH: "PATH",
};
