/**
 * The composition root of the server and the command line: rooms are put
 * together here and nowhere else.
 */

import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ok, type Result } from "../base/refusal.ts";
import { openInSkill } from "../catalog/bundle_file.ts";
import { diskFs } from "../catalog/scan_fs.ts";
import { FileDigests } from "../catalog/file_digests.ts";
import type { Config } from "../config/types.ts";
import { CacheDir } from "../fence/cache_dir.ts";
import { ownCertificates } from "../fence/ca_certs.ts";
import { CARRIED } from "../fence/carried.ts";
import { hardLimits } from "../fence/hard_limits.ts";
import { interpreterProblem } from "../fence/interpreters.ts";
import { realPathSoFar } from "../fence/preflight.ts";
import type { OsState } from "../fence/os_layer.ts";
import { Planner } from "../fence/plan.ts";
import { Runner, type RunnerOptions } from "../fence/run.ts";
import { type RuntimeFinder, runtimeSources } from "../fence/runtime.ts";
import { probeRuntime } from "../fence/runtime_probe.ts";
import { AuditLog } from "../audit/audit_log.ts";
import { Recorder } from "../audit/recorder.ts";
import type { Account } from "../os/types.ts";
import { reportGrant } from "../grant/grant_report.ts";
import { readGrant } from "../grant/parse_grant.ts";
import { permitsFor } from "../grant/permit.ts";
import { FenceGround } from "../fence/fence_ground.ts";
import { systemEffects } from "../watch/effects.ts";
import { watchTargets } from "../watch/targets.ts";
import { WalkedDirectories } from "../watch/walked.ts";
import { Watcher } from "../watch/watcher.ts";
import { ContextRoom } from "./context_room.ts";
import type { Engine } from "./engine_types.ts";
import { internalRefusal } from "./errors.ts";
import { IndexKeeper } from "./index_keeper.ts";
import { ofKey, once } from "./kept.ts";
import { laterRooms } from "./later_rooms.ts";
import { Live } from "./live.ts";
import { stderrLogger } from "./log.ts";
import { nativeLookup } from "./native_lookup.ts";
import { PromptDoor } from "./prompts/prompt_door.ts";
import { ServedSkills } from "./resources/served_skills.ts";
import { RootedCatalog } from "./rooted_catalog.ts";
import { systemProxies } from "./system_proxies.ts";

/** Milliseconds in which a client lists what it has just connected to. */
const FIRST_ANSWERS_MS = 500;

/** What an engine is told besides its configuration. */
export interface Surroundings {
  /**
   * Name of the connected client, asked for at each scan; undefined when no
   * client is on this machine.
   */
  readonly client?: () => string | undefined;
  /**
   * Absolute paths of the client's own roots, asked for at each scan; they
   * count where the configuration names no workspace.
   */
  readonly workspaces?: (() => Promise<readonly string[]>) | undefined;
  /** Of the program, when it serves: hooks then find what it scanned. */
  readonly version?: string;
}

/** The engine, and what `doctor` looks at besides. */
export interface FullEngine extends Engine {
  readonly cache: CacheDir;
  /** The account scripts run as; undefined: the server's own. */
  account(): Promise<Result<Account | undefined>>;
  readonly runtimes: RuntimeFinder;
  /** The layer of the operating system, and why others do not hold. */
  osState(): Promise<OsState>;
}

/**
 * Puts the rooms together. Nothing is read, made or started yet: the catalogue
 * scans, the runtime is found and the cache directory made on first use.
 */
export function createEngine(
  config: Config,
  surroundings: Surroundings = {},
): FullEngine {
  const { client, version } = surroundings;
  const own = () => Promise.resolve(config.workspaces);
  const workspaces = config.workspaces.length > 0
    ? own
    : surroundings.workspaces ?? own;
  const tmpDir = tmpdir();
  const { auditLog } = config;
  const record = new Recorder(
    auditLog === undefined ? undefined : new AuditLog({
      path: auditLog,
      warn: (text) => stderrLogger(config.log).warn(text),
    }),
  );
  const cache = new CacheDir({
    explicit: config.cacheDir,
    env: config.env,
    tmpDir,
  });
  const grant = readGrant(config.grantText, config.hosted);
  const ground = new FenceGround({
    config,
    cache,
    tmpDir,
    runtime: {
      sources: runtimeSources(
        config.denoPath,
        config.env("PATH"),
        CARRIED,
        dirname(fileURLToPath(Deno.mainModule)),
      ),
      cache,
      probe: (path) => probeRuntime(path, tmpDir),
    },
  });
  const walked = new WalkedDirectories();
  const catalog = new RootedCatalog(config, {
    carried: CARRIED,
    cache,
    account: () => ground.account(),
    fs: walked.listening(diskFs()),
    native: client === undefined ? undefined : nativeLookup(config, client),
    workspaces,
  });
  const effects = systemEffects();
  const digests = new FileDigests();
  const cachePath = async () => {
    const place = await cache.get();
    return place.ok ? ok(place.value.path) : place;
  };
  const planner = new Planner({
    digests,
    config,
    catalog,
    grant,
    runtime: () => ground.runtime(),
    account: () => ground.account(),
    os: (path) => ground.os(path),
    hardLimits,
    tmpDir: realPathSoFar(tmpDir),
    cacheDir: cachePath,
  });
  const runs: Omit<RunnerOptions, "maxRuns"> = {
    behindProxy: config.behindProxy,
    tmpDir,
    upstream: systemProxies(config.env),
    certificates: once(() => ownCertificates(config.env)),
    onLayerFailed: () => ground.forget(),
  };
  const runner = new Runner({ ...runs, maxRuns: config.maxRuns });
  const later = laterRooms({
    config,
    catalog,
    ground,
    planner,
    runner: runs,
    digests,
    cacheDir: cachePath,
    record,
    workspaces: () => context.workspaces(),
  });
  const context = new ContextRoom({
    config,
    workspaces,
    texts: later.texts,
    onMoved: () => live.contextMoved(),
    onFound: () => live.contextFound(),
    client: client ?? (() => undefined),
  });
  const prompts = new PromptDoor(config.prompts, () => catalog.snapshot());
  const keeper = version === undefined ? undefined : new IndexKeeper({
    config,
    version,
    workspaces: () => context.workspaces(),
    cache,
    walked: () => walked.paths,
    after: effects.after,
    lookAgain: () => live.lookAgain(),
    onError: (error) =>
      stderrLogger(config.log).debug(`no index for hooks: ${error}`),
  });
  const live = new Live({
    catalog,
    prompts,
    lookAtContext: (snapshot, hints) => context.look(snapshot, hints),
    contextPlaces: () => context.places(),
    looked: keeper && ((skills, moved) => keeper.looked(skills, moved)),
    walked,
    workspaces,
    watcher: (onWake) =>
      new Watcher({
        targets: watchTargets(config),
        effects,
        pollMs: config.pollMs,
        onWake,
      }),
    later: (run) => effects.after(FIRST_ANSWERS_MS, run),
    onError: (error) => internalRefusal(error, stderrLogger(config.log)),
  });
  return {
    config,
    grant,
    catalog,
    prompts,
    live,
    planner,
    context,
    upstream: later.upstream,
    renderGrant: later.renderGrant,
    mcpGrant: later.mcpGrant,
    record,
    runner: {
      run: (prepared, options) => runner.run(prepared, options),
      outputs: runner.outputs,
      sweep: () => runner.sweep(),
      closeSync: () => {
        live.closeSync();
        later.closeSync();
        runner.closeSync();
        record.flushSync();
        cache.closeSync();
      },
    },
    runtime: () => ground.runtime(),
    layers: () => ground.layers(),
    rank: (query) => catalog.rank(query),
    permits: ({ name, workspace, declaration }) =>
      permitsFor({ skill: name, workspace }, declaration, grant),
    interpreterProblem,
    grantNotes: ofKey((snapshot) =>
      reportGrant(grant, snapshot.skills.values())
    ),
    openFile: openInSkill,
    digests,
    served: ofKey((snapshot) => new ServedSkills(snapshot)),
    notes: () => catalog.notes(),
    cache,
    account: () => ground.account(),
    runtimes: ground.runtimes,
    osState: () => ground.osState(),
  };
}
