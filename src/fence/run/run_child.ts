/** One child of a Plan: what is laid around it, its end, what it tried. */

import { join } from "node:path";
import { errorName } from "../../base/error_name.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import type { ProxyRecord, RunProxy } from "../../proxy/types.ts";
import { startProxy } from "../../proxy/proxy.ts";
import type { UpstreamSettings } from "../../proxy/route.ts";
import { swappedSince } from "../preflight/checked_dir.ts";
import type { Clock } from "../clock.ts";
import { fillIn } from "./fill_in.ts";
import { DENODIR_MIB, PROXY_SOCKET } from "../../os/mounts.ts";
import { Redactor } from "./redact.ts";
import { runEnvironment } from "./run_env.ts";
import { processLimits } from "../plan/run_limits.ts";
import type { SandboxFilters } from "./sandbox_filters.ts";
import { makeProxyDir, type Scratch } from "../disk/scratch.ts";
import {
  notSetUp,
  type Spawned,
  type Spawner,
  type SpawnRequest,
} from "./spawn.ts";
import { StorageWatch, type WatchedStorage } from "./storage_watch.ts";
import type { Plan, PreparedRun } from "../types.ts";

/** The system call filter of a run, below its own directory. */
const FILTER = "filter.bpf";

/** What a child is started with. */
export interface ChildDeps {
  readonly spawner: Spawner;
  readonly filters: SandboxFilters;
  readonly clock: Clock;
  /** The server's own proxy, for the run's proxy to go through. */
  readonly upstream: UpstreamSettings;
  /** Certificates (PEM) that the run's proxy trusts beside the usual ones. */
  readonly certificates: () => Promise<readonly string[]>;
  /** Called when what should confine the script did not start it. */
  readonly onLayerFailed: () => void;
  /** Proxies that live, so that a signal handler can end them. */
  readonly proxies: Set<RunProxy>;
}

/** A child that ended. */
export interface EndedChild {
  readonly ended: Spawned;
  /** What went through the run's proxy, where there was one. */
  readonly record: ProxyRecord | undefined;
  /** In words, limits that turned out not to be enforced. */
  readonly notEnforced: readonly string[];
}

/**
 * Starts the child of a Plan in its scratch and brings it to its end. A refusal
 * means that no script was started.
 */
export async function runChild(
  prepared: PreparedRun,
  scratch: Scratch,
  deps: ChildDeps,
  signal: AbortSignal | undefined,
): Promise<Result<EndedChild>> {
  const { plan } = prepared;
  const watch = new StorageWatch({
    storage: watched(plan, scratch),
    limits: plan.limits,
    clock: deps.clock,
  });
  const tooMuch = await watch.before();
  if (tooMuch !== undefined) return tooMuch;
  const proxied = await openProxy(prepared, scratch, deps);
  if (!proxied.ok) return proxied;
  const proxy = proxied.value;
  try {
    const held = setUp(plan, scratch, deps.filters);
    if (!held.ok) return held;
    // As late as can be: see docs/fence.md.
    const swapped = swappedSince(prepared.checked);
    if (swapped !== undefined) return swapped;
    const ended = await deps.spawner.run({
      ...command(prepared, scratch),
      ...held.value,
      ...(prepared.account === undefined || plan.confinement.by === "landlock"
        ? {}
        : { account: prepared.account }),
      cwd: plan.cwd,
      env: runEnvironment(prepared, scratch, proxy?.placeholders),
      stdin: prepared.stdin,
      timeoutMs: plan.timeoutMs,
      outputBytes: plan.limits.outputBytesPerStream,
      limits: processLimits(plan.limits),
      ...(prepared.redact.size === 0
        ? {}
        : { outputFilter: () => new Redactor(prepared.redact) }),
      ...(signal === undefined ? {} : { signal }),
      over: watch.signal,
      onStart: (pid) => watch.start(pid),
    });
    const overLimit = await watch.end();
    if (!ended.ok) return ended;
    const failed = notSetUp(ended.value);
    if (failed !== undefined) {
      deps.onLayerFailed();
      return failed;
    }
    return ok({
      ended: {
        ...ended.value,
        overLimit: ended.value.overLimit ?? overLimit,
      },
      record: await proxy?.close(),
      notEnforced: watch.notCounted,
    });
  } finally {
    proxy?.closeSync();
    if (proxy !== undefined) deps.proxies.delete(proxy);
  }
}

/** The program and its arguments, with this run's directories filled in. */
function command(
  { plan, runtimePath }: PreparedRun,
  scratch: Scratch,
): Pick<SpawnRequest, "path" | "args"> {
  const flags = fillIn(plan.flags, plan.argv.length, scratch);
  const [path, ...args] = fillIn(plan.confinement.command, 0, scratch);
  return path === undefined
    ? { path: runtimePath, args: flags }
    : { path, args: [...args, ...flags] };
}

/** The files that the confining program is handed as descriptors. */
function setUp(
  { confinement }: Plan,
  { base, status }: Scratch,
  filters: SandboxFilters,
): Result<Pick<SpawnRequest, "filter" | "status" | "plain">> {
  switch (confinement.by) {
    case "none":
      // On Windows nothing stands before the runtime that could fail.
      return ok(
        Deno.build.os === "windows" ? {} : { status, plain: true },
      );
    case "landlock":
      return ok({ status });
    case "bwrap": {
      const filter = join(base, FILTER);
      try {
        const bytes = filters.for(confinement.network);
        // Readable for the account that scripts run as.
        Deno.writeFileSync(filter, bytes, { createNew: true, mode: 0o444 });
        return ok({ filter, status });
      } catch (error) {
        return refuse(
          "SPAWN_FAILED",
          `The system call filter could not be written: ${errorName(error)}.`,
          "Check the space in TMPDIR.",
        );
      }
    }
  }
}

/** What of a run counts against its limits. */
function watched(plan: Plan, scratch: Scratch): WatchedStorage {
  const { by } = plan.confinement;
  const data = plan.dataDir === null ? [] : [plan.dataDir];
  return by === "bwrap"
    ? {
      dirs: [scratch.out, ...data],
      inside: [
        { path: scratch.scratch, sizeMiB: plan.limits.diskMiB },
        // A script fills it through the caches and the storage of the web.
        { path: scratch.denodir, sizeMiB: DENODIR_MIB },
      ],
      status: scratch.status,
      audit: scratch.audit,
    }
    : {
      dirs: [scratch.scratch, scratch.denodir, ...data],
      audit: scratch.audit,
    };
}

async function openProxy(
  { plan, proxy, account }: PreparedRun,
  scratch: Scratch,
  { proxies, upstream, certificates }: ChildDeps,
): Promise<Result<RunProxy | undefined>> {
  if (plan.confinement.network !== "proxy") return ok(undefined);
  try {
    makeProxyDir(scratch, account);
  } catch (error) {
    return refuse(
      "SPAWN_FAILED",
      `The directory of the run's proxy could not be made: ${
        errorName(error)
      }.`,
      "Check the space in TMPDIR.",
    );
  }
  const started = await startProxy({
    socket: join(scratch.base, PROXY_SOCKET),
    rules: proxy,
    upstream,
    caCerts: await certificates(),
    ...(account === undefined ? {} : { owner: account }),
  });
  if (started.ok) proxies.add(started.value);
  return started;
}
