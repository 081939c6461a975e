/** Rooms that are opened late: what texts run, and what skills declare. */

import { fileURLToPath } from "node:url";
import type { Recorder } from "../audit/recorder.ts";
import type { Result } from "../base/refusal.ts";
import type { FileDigests } from "../catalog/file_digests.ts";
import type { Config } from "../config/types.ts";
import type { FenceGround } from "../fence/fence_ground.ts";
import { hardLimits } from "../fence/hard_limits.ts";
import type { Planner } from "../fence/plan.ts";
import { realPathSoFar } from "../fence/preflight.ts";
import type { RunnerOptions } from "../fence/run.ts";
import { readMcpGrant } from "../grant/parse_mcp.ts";
import type { McpGrant, RenderGrant } from "../grant/types.ts";
import type { CatalogDoor } from "./engine_types.ts";
import { renderGrantOf, RenderRoom } from "./render_room.ts";
import { UpstreamRoom } from "./upstream_room.ts";

/** What they share with the rest of the engine. */
export interface LaterParts {
  readonly config: Config;
  readonly catalog: CatalogDoor;
  readonly ground: FenceGround;
  readonly planner: Planner;
  readonly runner: Omit<RunnerOptions, "maxRuns">;
  readonly digests: FileDigests;
  readonly cacheDir: () => Promise<Result<string>>;
  readonly record: Recorder;
  /** Absolute real directories that are worked in. */
  readonly workspaces: () => Promise<readonly string[]>;
}

/** The rooms and the owner's words about them. */
export interface LaterRooms {
  readonly texts: RenderRoom;
  readonly upstream: UpstreamRoom;
  readonly renderGrant: RenderGrant;
  readonly mcpGrant: McpGrant;
  /** Kills everything, at once. */
  closeSync(): void;
}

/** Reads the two grants; nothing is started or loaded. */
export function laterRooms(parts: LaterParts): LaterRooms {
  const { config, catalog, ground, planner, runner, record } = parts;
  const renderGrant = renderGrantOf(config);
  const mcpGrant = readMcpGrant(config.mcpText);
  const texts = new RenderRoom({
    grant: renderGrant,
    workspaces: parts.workspaces,
    record,
    runs: {
      config,
      planner,
      runtime: () => ground.runtime(),
      account: () => ground.account(),
      os: (path) => ground.os(path),
      hardLimits,
      runner,
    },
  });
  const upstream = new UpstreamRoom(async () => ({
    config,
    grant: mcpGrant,
    snapshot: () => catalog.snapshot(),
    account: () => ground.account(),
    os: () => ground.osState(),
    onLayerFailed: () => ground.forget(),
    hardLimits,
    cacheDir: parts.cacheDir,
    tmpDir: realPathSoFar(runner.tmpDir),
    upstream: runner.upstream,
    certificates: runner.certificates,
    ourselves: await ourselves(),
    digests: parts.digests,
  }));
  return {
    texts,
    upstream,
    renderGrant,
    mcpGrant,
    closeSync: () => {
      upstream.closeSync();
      texts.closeSync();
    },
  };
}

/** What a declared server may not be: our executable, or where we start. */
async function ourselves(): Promise<string[]> {
  const main = fileURLToPath(Deno.mainModule);
  const own = Deno.build.standalone ? [Deno.execPath(), main] : [main];
  const real = own.map((path) => Deno.realPath(path).catch(() => path));
  return await Promise.all(real);
}
