/** Starting a granted server: its place, its fence, its process, its connection. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Config } from "../config/types.ts";
import { ensureDataDir } from "../fence/disk/data_dir.ts";
import type { ScratchKeeper } from "../fence/disk/scratch.ts";
import type { HardLimits } from "../fence/hard_limits.ts";
import { swappedSince } from "../fence/preflight/checked_dir.ts";
import {
  nativeCrossing,
  nativeLaunch,
  nativeSandbox,
  type NativeView,
} from "../os/native.ts";
import { nativePlaces } from "../os/native_places.ts";
import { seccompFilter } from "../os/seccomp.ts";
import type { Account, BwrapLayer } from "../os/types.ts";
import type { Status } from "../os/status.ts";
import { readStatus, wrapCommand } from "../os/wrapper.ts";
import type { UpstreamSettings } from "../proxy/route.ts";
import type { GrantedProcess, GrantedServer } from "./granted_server.ts";
import { openWay } from "./http_way.ts";
import { ServerChild } from "./server_child.ts";
import type { Session } from "./session.ts";
import { environment, limitsOf } from "./start_terms.ts";
import { makeStartPlace, type StartPlace } from "./start_place.ts";

/** What servers are started with. */
export interface StartDeps {
  readonly config: Pick<Config, "env" | "ceiling" | "http">;
  readonly keeper: ScratchKeeper;
  readonly hardLimits: () => Promise<HardLimits>;
  /** The server's own proxy, for connections to go through. */
  readonly upstream: UpstreamSettings;
  /** Certificates (PEM) trusted beside the usual ones. */
  readonly certificates: () => Promise<readonly string[]>;
  /** Keeps this server's environment from its own account; see `dumpable.ts`. */
  readonly hide: () => boolean;
  /** Words before a command that nothing holds; see `end_with_parent.ts`. */
  readonly endWithParent: () => Promise<readonly string[]>;
  /** Whether a `/proc` can be had there; tried once. */
  readonly procfs: (
    layer: BwrapLayer,
    account: Account | undefined,
  ) => Promise<boolean>;
  /** Called when a layer of the operating system failed to set up a start. */
  readonly onLayerFailed: () => void;
  readonly now: () => number;
  readonly initializeMs?: number;
}

/** MiB of HOME and TMPDIR. */
const HOME_MIB = 256;
const PROCESSES = 128;

/** Starts it and connects. What it leaves is removed once it has ended. */
export async function openServer(
  server: GrantedServer,
  deps: StartDeps,
  signal: AbortSignal,
): Promise<Result<Session>> {
  const { Session } = await import("./session.ts");
  const { process, expanded: { transport } } = server;
  if (transport.kind === "http") {
    const made = await deps.keeper.makeDir();
    if (!made.ok) return made;
    const way = await openWay({
      url: transport.url,
      meant: server.rights.url === transport.url,
      upstream: deps.upstream,
      certificates: await deps.certificates(),
      listen: deps.config.http?.listen,
    }, made.value);
    if (!way.ok) {
      await deps.keeper.remove(made.value);
      return way;
    }
    const { headers } = transport;
    const closeSync = () => {
      way.value.closeSync();
      void deps.keeper.remove(made.value);
    };
    return await Session.open(
      { way: { ...way.value, closeSync }, headers },
      signal,
      deps.initializeMs,
    );
  }
  const child = await startProcess(server, process!, deps);
  if (!child.ok) return child;
  const { started, status } = child.value;
  const session = await Session.open(
    { child: started, now: deps.now },
    signal,
    deps.initializeMs,
  );
  if (session.ok) return session;
  const { fence } = process!;
  // A program that never began says nothing; what confines it does.
  if (fence.by === "layer" && started.exitCode !== null && !status().started) {
    deps.onLayerFailed();
    return refuse(
      "SPAWN_FAILED",
      `it was not started: ${started.said() || session.message}`,
      "Run `skillfence doctor`: it says which layer of the fence holds here.",
    );
  }
  return session;
}

interface Started {
  readonly started: ServerChild;
  /** What the confining program said of itself, as far as it got. */
  readonly status: () => Status;
}

async function startProcess(
  server: GrantedServer,
  process: GrantedProcess,
  deps: StartDeps,
): Promise<Result<Started>> {
  const { account, rights } = server;
  const { dataDir, checked, fence } = process;
  if (fence.by === "none" && account === undefined && !deps.hide()) {
    return refuse(
      "FENCE_UNAVAILABLE",
      "nothing would keep this server's environment from it",
      "Let a layer of the operating system hold here: see `skillfence doctor`.",
    );
  }
  if (dataDir !== undefined) {
    const ensured = await ensureDataDir(dataDir, account);
    if (!ensured.ok) return ensured;
  }
  const net = rights.net;
  const filter = seccompFilter({
    arch: Deno.build.arch,
    ip: net,
    // With the host's network come its abstract sockets: a desktop's, a bus.
    unix: !net,
    processes: true,
  });
  const made = await makeStartPlace(deps.keeper, account, filter);
  if (!made.ok) return made;
  const place = made.value;
  const undo = async <T>(refusal: T): Promise<T> => {
    await deps.keeper.remove(place.run);
    return refusal;
  };
  const confined = await confine(server, process, { place, deps });
  if (!confined.ok) return await undo(confined);
  // As late as can be: see docs/fence.md.
  const swapped = checked && swappedSince([checked]);
  if (swapped !== undefined) return await undo(swapped);
  const mark = crypto.randomUUID();
  const child = ServerChild.start({
    command: confined.value,
    cwd: fence.by === "none" ? place.home : place.run,
    env: environment(server, process, {
      home: place.home,
      lang: deps.config.env("LANG"),
      mark,
    }),
    // The launcher takes it on by itself.
    account: isLandlock(process) ? undefined : account,
    status: place.status,
    mark: fence.by === "none" ? mark : undefined,
    now: deps.now,
  });
  if (!child.ok) return await undo(child);
  let last: Status | undefined;
  const status = () => last ?? readStatus(place.status);
  void child.value.ended.then(() => {
    last = status();
    return deps.keeper.remove(place.run);
  });
  return ok({ started: child.value, status });
}

function isLandlock({ fence }: GrantedProcess): boolean {
  return fence.by === "layer" && fence.layer.by === "landlock";
}

/** The whole command line, the shell that sets the limits first. */
async function confine(
  server: GrantedServer,
  process: GrantedProcess,
  { place, deps }: { place: StartPlace; deps: StartDeps },
): Promise<Result<string[]>> {
  const { account, rights, expanded: { transport } } = server;
  const { program, fence, dataDir, skillDir } = process;
  const args = transport.kind === "stdio" ? transport.args : [];
  const command = [program.path, ...args];
  const limits = limitsOf(deps.config.ceiling, await deps.hardLimits());
  const { status, filter } = place;
  if (fence.by === "none") {
    const first = await deps.endWithParent();
    return ok(wrapCommand({
      status,
      plain: true,
      limits,
      command: [...first, ...command],
    }));
  }
  const { layer } = fence;
  const places = nativePlaces();
  const inSkill = skillDir !== undefined &&
    program.path.startsWith(`${skillDir}/`);
  const view: NativeView = {
    readable: [...skillDir === undefined ? [] : [skillDir], ...program.shown],
    executable: [...program.shown, ...inSkill ? [skillDir] : []],
    writable: dataDir === undefined ? [] : [dataDir],
    run: place.run,
    home: place.home,
    homeMiB: HOME_MIB,
    cwd: place.home,
    network: rights.net ? "open" : "none",
    processes: PROCESSES,
    procfs: layer.by === "bwrap" && await deps.procfs(layer, account),
  };
  const crossing = nativeCrossing(view, places);
  if (crossing !== undefined) {
    return refuse(
      "PREFLIGHT",
      crossing,
      "Choose another place for the data directory or TMPDIR, so that they lie apart.",
    );
  }
  return ok(
    layer.by === "bwrap"
      ? wrapCommand({
        filter,
        status,
        limits,
        command: [...nativeSandbox(layer, places, view), ...command],
      })
      : wrapCommand({
        status,
        limits,
        command: nativeLaunch(layer, places, { view, account, command }),
      }),
  );
}
