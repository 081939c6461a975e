/** `match --refresh`: makes the index, in a process of its own. */

import { tmpdir } from "node:os";
import { visible } from "../../base/text.ts";
import { diskFs } from "../../catalog/scan_fs.ts";
import type { Config } from "../../config/types.ts";
import { keepIndex, type Scanned } from "../../context/keep_index.ts";
import { indexKey, isLocked, lock, unlock } from "../../context/match_index.ts";
import { CacheDir } from "../../fence/cache_dir.ts";
import { CARRIED } from "../../fence/carried.ts";
import { ok } from "../../base/refusal.ts";
import { RootedCatalog } from "../../server/rooted_catalog.ts";
import { WalkedDirectories } from "../../watch/walked.ts";
import type { CliHost } from "../host.ts";
import { startConfig } from "../start.ts";
import type { MatchArguments } from "./arguments.ts";
import { groundOf } from "./ground.ts";

/** Milliseconds that one may take. */
const MOST_MS = 60_000;

/**
 * Makes the index of the workspaces that were given and no others. One at a time
 * for each; one that fails keeps its lock, so that the next try waits.
 */
export async function refresh(
  host: CliHost,
  { flags }: MatchArguments,
): Promise<void> {
  const config = await startConfig(host, flags);
  if (config === undefined || config.complaints.length > 0) return;
  const place = await cacheDir(config).get();
  if (!place.ok || place.value.temporary) return;
  const cache = place.value.path;
  const ground = groundOf(host, config, config.workspaces);
  const key = await indexKey(ground);
  if (isLocked([cache], key) || !await lock(cache, key)) return;
  const { timer, passed } = timeOut(MOST_MS);
  try {
    const made = make(config).then(async (scanned) => {
      await keepIndex({ ...scanned, ground, cache });
      await unlock(cache, key);
    });
    await Promise.race([made, passed]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    host.screen.err(`skillfence: no index: ${visible(why)}\n`);
  } finally {
    clearTimeout(timer);
  }
}

async function make(config: Config): Promise<
  Pick<Scanned, "snapshot" | "walked">
> {
  const walked = new WalkedDirectories();
  const catalog = new RootedCatalog(config, {
    carried: CARRIED,
    cache: cacheDir(config),
    // Nothing is run: no other account has to reach what is unpacked.
    account: () => Promise.resolve(ok(undefined)),
    fs: walked.listening(diskFs()),
    workspaces: () => Promise.resolve(config.workspaces),
  });
  const snapshot = await catalog.snapshot();
  return { snapshot, walked: walked.paths };
}

function cacheDir({ cacheDir, env }: Config): CacheDir {
  return new CacheDir({ explicit: cacheDir, env, tmpDir: tmpdir() });
}

function timeOut(
  ms: number,
): {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly passed: Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { timer: setTimeout(resolve, ms), passed: promise };
}
