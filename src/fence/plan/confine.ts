/** How a script is confined: by which layer, in which realm, with what network. */

import { join } from "node:path";
import { type Refusal, refuse } from "../../base/refusal.ts";
import type { OsFence } from "../../config/types.ts";
import { landlockCommand, overridden } from "../../os/landlock.ts";
import { crossing } from "../../os/mounts.ts";
import { sandboxCommand } from "../../os/sandbox.ts";
import type { Account, Network, OsLayer, View } from "../../os/types.ts";
import { DENODIR, RUN, SCRATCH } from "./placeholders.ts";
import type { Confinement, Workspace } from "../types.ts";

/** Which way a script's process is confined. */
export type Manner = Pick<Confinement, "by" | "realm" | "network">;

/** What the manner depends on. */
export interface MannerInput {
  readonly wanted: OsFence;
  readonly layer: OsLayer | undefined;
  /** Some host may be reached. */
  readonly reaches: boolean;
  /** Declared and granted: the network itself. */
  readonly sockets: boolean;
  /** Some directory that the script can see is closed to it. */
  readonly closes: boolean;
}

/**
 * Chooses. Only bubblewrap without a shared network lets the script be the main
 * module: nothing but the skill is there to be imported then, and nothing of it
 * may be closed, since imports of a main module ask no permission flag.
 */
export function mannerOf(
  { wanted, layer, reaches, sockets, closes }: MannerInput,
): Manner {
  const by = layer?.by ?? "none";
  const network = !reaches
    ? "none"
    : by === "none" || sockets
    ? "open"
    : "proxy";
  const alone = by === "bwrap" && network !== "open" && !closes &&
    wanted !== "bwrap+worker";
  return { by, network, realm: alone ? "main" : "worker" };
}

/** What of this machine a script's process sees. Absolute real paths. */
export interface Seen {
  readonly runtime: string;
  readonly skillDir: string;
  readonly dataDir: string | undefined;
  readonly workspace: Workspace | undefined;
  readonly cwd: string;
  readonly network: Network;
  readonly scratchMiB: number;
  readonly processes: number;
  readonly account: Account | undefined;
}

/** The literal command before the runtime's flags, with placeholders. */
export function confinedCommand(
  layer: OsLayer | undefined,
  seen: Seen,
): string[] {
  if (layer === undefined) return [];
  const view = viewOf(seen, RUN, SCRATCH, DENODIR);
  return layer.by === "bwrap"
    ? sandboxCommand(layer, view)
    : landlockCommand(layer, view, seen.account);
}

/**
 * `PREFLIGHT` for directories that the layer cannot keep apart, a run's own
 * below `tmpDir` (real) among them.
 */
export function unshowable(
  layer: OsLayer | undefined,
  seen: Seen,
  tmpDir: string,
): Refusal | undefined {
  if (layer === undefined) return undefined;
  const run = join(tmpDir, "run");
  const view = viewOf(seen, run, join(run, "scratch"), join(run, "denodir"));
  const problem = layer.by === "bwrap"
    ? crossing(layer, view)
    : overridden(view);
  return problem === undefined ? undefined : refuse(
    "PREFLIGHT",
    problem,
    "Choose another place for the workspace, the data directory or TMPDIR, so that they lie apart.",
  );
}

function viewOf(
  seen: Seen,
  run: string,
  scratch: string,
  denodir: string,
): View {
  const { workspace, dataDir } = seen;
  const opened = workspace === undefined ? [] : [workspace.dir];
  return {
    runtime: seen.runtime,
    skillDir: seen.skillDir,
    readable: workspace?.mode === "read" ? opened : [],
    writable: [
      ...(dataDir === undefined ? [] : [dataDir]),
      ...(workspace?.mode === "write" ? opened : []),
    ],
    run,
    scratch,
    denodir,
    network: seen.network,
    cwd: seen.cwd,
    scratchMiB: seen.scratchMiB,
    processes: seen.processes,
  };
}
