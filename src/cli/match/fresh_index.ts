/** The index in force, made again beside us where it no longer stands. */

import { diskFs } from "../../catalog/scan_fs.ts";
import type { Config } from "../../config/types.ts";
import type { Flags } from "../../config/flags.ts";
import {
  type IndexGround,
  indexKey,
  indexMark,
  isLocked,
  readIndex,
  type Standing,
  standing,
} from "../../context/match_index.ts";
import { cacheCandidates } from "../../fence/cache_candidates.ts";
import { ownCommand } from "../own_command.ts";
import { flagWords } from "./arguments.ts";
import type { Deadline } from "./deadline.ts";

/** Milliseconds kept for matching and reading when an index is waited for. */
const REST_MS = 60;
/** Milliseconds between two looks for it. */
const LOOK_MS = 10;

/** How skills are found. */
export interface IndexRequest {
  readonly config: Config;
  readonly flags: Flags;
  readonly cwd: string;
  readonly ground: IndexGround;
  readonly deadline: Deadline;
}

/**
 * The skills of a ground. Without an index that stands, another process is set
 * to making one and waited for as long as the deadline allows; then the old one
 * counts, or there are none (undefined).
 */
export async function freshIndex(
  request: IndexRequest,
): Promise<Standing | undefined> {
  const { config, ground, deadline } = request;
  const { cacheDir: explicit, env } = config;
  const caches = cacheCandidates({ explicit, env });
  const key = await indexKey(ground);
  const look = () => {
    const index = readIndex(caches, key);
    return index && standing(index, diskFs(), () => deadline.passed());
  };
  const mark = indexMark(caches, key);
  const old = look();
  if (old?.moved === false && !old.old) return old;
  if (!isLocked(caches, key)) startRefresh(request);
  if (old?.moved === false) return old;
  while (deadline.left() > REST_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (indexMark(caches, key) === mark) continue;
    return look() ?? old;
  }
  return old;
}

/** Starts `match --refresh` by itself: nobody waits for it, or ends it with us. */
function startRefresh({ flags, ground, cwd }: IndexRequest): void {
  const [program, ...before] = ownCommand();
  const workspaces = ground.workspaces;
  const child = new Deno.Command(program, {
    args: [
      ...before,
      "match",
      "--refresh",
      ...flagWords({ ...flags, workspaces }),
    ],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  child.unref();
}
