/** A program of the host as a text is loaded: what it will see, before it starts. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Config } from "../config/types.ts";
import { limitsFor } from "../config/limits.ts";
import { findProgram } from "../os/find_program.ts";
import { nativeObstacle } from "../os/native.ts";
import {
  isOfSystem,
  type NativePlaces,
  nativePlaces,
} from "../os/native_places.ts";
import type { Account, OsLayer } from "../os/types.ts";
import type { HardLimits } from "./hard_limits.ts";
import { demanded, type OsState } from "./os_layer.ts";
import { type CheckedDir, checkedDir } from "./preflight/checked_dir.ts";
import { shutOut } from "./preflight/shut_out.ts";
import { PURE_TIMEOUT_MS } from "./plan/pure_permit.ts";
import { type RunLimits, runLimits } from "./plan/run_limits.ts";
import type { Runtime } from "./types.ts";

/** A command of the host. */
export interface HostCall {
  /** The first is a program's plain name. */
  readonly words: readonly string[];
  /** Absolute real directory that is read and started in; undefined: none. */
  readonly dir: string | undefined;
  /** Further directories that are read. */
  readonly readable: readonly string[];
}

/** A command that can be started. */
export interface PreparedHost {
  /** Starts with the program's absolute path. */
  readonly command: readonly string[];
  readonly cwd: string | undefined;
  readonly readable: readonly string[];
  readonly checked: readonly CheckedDir[];
  readonly layer: OsLayer;
  readonly places: NativePlaces;
  readonly account: Account | undefined;
  readonly limits: RunLimits;
  readonly timeoutMs: number;
}

/** What such a command is planned with. */
export interface HostDeps {
  readonly config: Pick<Config, "env" | "ceiling">;
  readonly runtime: () => Promise<Result<Runtime>>;
  readonly account: () => Promise<Result<Account | undefined>>;
  readonly os: (runtime: string) => Promise<OsState>;
  readonly hardLimits: () => Promise<HardLimits>;
}

/** A program's plain name: no path, no option. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

/**
 * Finds the program and the layer that holds it. `FENCE_UNAVAILABLE` where no
 * layer of the operating system does: nothing else would stand before it.
 */
export async function prepareHost(
  { words, dir, readable }: HostCall,
  deps: HostDeps,
): Promise<Result<PreparedHost>> {
  const layer = await layerFor(deps);
  if (!layer.ok) return layer;
  const account = await deps.account();
  if (!account.ok) return account;
  const places = nativePlaces();
  const found = await programFor(words[0] ?? "", deps, places);
  if (!found.ok) return found;
  const shown = [...dir === undefined ? [] : [dir], ...readable];
  const checked: CheckedDir[] = [];
  for (const path of shown) {
    const what = path === dir ? "the working directory" : "the skill";
    const shut = shutOut(path, account.value, { what, want: "read" });
    if (shut !== undefined) return shut;
    try {
      checked.push(checkedDir(path, what));
    } catch {
      return refuse("PREFLIGHT", `${what} is not there`, "Call again.");
    }
  }
  const { config } = deps;
  const limits = runLimits({
    limits: limitsFor({}, PURE_TIMEOUT_MS, config.ceiling),
    // The launcher is our own runtime, and is held by them too.
    realm: "main",
    layer: layer.value,
    hardLimits: await deps.hardLimits(),
    uid: account.value?.uid ?? Deno.uid() ?? undefined,
  });
  return ok({
    command: [found.value, ...words.slice(1)],
    cwd: dir,
    readable: shown,
    checked,
    layer: layer.value,
    places,
    account: account.value,
    limits: limits.plan,
    timeoutMs: PURE_TIMEOUT_MS,
  });
}

async function layerFor(deps: HostDeps): Promise<Result<OsLayer>> {
  const runtime = await deps.runtime();
  if (!runtime.ok) return runtime;
  const os = demanded(await deps.os(runtime.value.path));
  if (!os.ok) return os;
  const { layer } = os.value;
  const why = layer === undefined
    ? "programs of the host run only where layer 3 (os) of the fence holds, and it is off here"
    : nativeObstacle(layer);
  return layer !== undefined && why === undefined ? ok(layer) : refuse(
    "FENCE_UNAVAILABLE",
    why ?? "",
    "Run `skillfence doctor`: it says what would turn the layer on.",
  );
}

async function programFor(
  name: string,
  { config }: HostDeps,
  places: NativePlaces,
): Promise<Result<string>> {
  const shown = visible(name, 60);
  if (!NAME.test(name)) {
    return refuse(
      "PATH_REFUSED",
      `"${shown}" is neither a script of the skill nor the plain name of a program`,
      "Name a program without its path.",
    );
  }
  const { at, path, distrusted } = await findProgram(name, config.env("PATH"));
  if (at === undefined || path === undefined) {
    return refuse(
      "NOT_FOUND",
      distrusted === undefined
        ? `there is no program "${shown}" here`
        : `the program "${shown}" lies where others than root could replace it`,
      "Install it where this server's PATH leads.",
    );
  }
  return isOfSystem(path, places) ? ok(at) : refuse(
    "NOT_FOUND",
    `the program "${shown}" lies outside the system's own directories, which are all that it would see`,
    "Install it below /usr.",
  );
}
