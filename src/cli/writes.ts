/** Everything the server ever writes, and where it stands now. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUDIT_BOUNDS } from "../audit/audit_log.ts";
import { logProblem } from "../audit/log_problem.ts";
import { CARRIED } from "../fence/carried.ts";
import { OUTPUT_LIMITS } from "../fence/outputs.ts";
import type { FullEngine } from "../server/engine.ts";
import { refusalWords } from "./refused.ts";

/** One kind of thing that is written. */
export interface WrittenPlace {
  readonly what: string;
  /** Absolute path or a pattern of one; undefined when it is turned off. */
  readonly place: string | undefined;
  readonly mode: string;
  /** Bytes there now; undefined when nothing is there or it cannot be read. */
  readonly bytes: number | undefined;
  /** How long it stays. */
  readonly until: string;
  readonly turnOff: string;
  /** What is out of the ordinary about the place. */
  readonly note?: string;
  /** Nothing can be written there, though the owner asked for it. */
  readonly broken?: true;
}

const UNTIL =
  "until you remove it; a carried runtime of another version, 30 days unused";

/** Entries walked for a size before it is called unknown. */
const MAX_ENTRIES = 100_000;

/**
 * The list, in the order in which a run meets it. The cache directory is found,
 * and made when it is not there, as a run would do.
 */
export async function writtenPlaces(
  { config, cache, account }: FullEngine,
): Promise<WrittenPlace[]> {
  const temporary = tmpdir();
  const cached = await cache.get();
  const scripts = await account();
  const other = scripts.ok && scripts.value !== undefined;
  const opened = other ? await cache.reachable(scripts.value) : cached;
  const noRun = "--no-run";
  const places: (Omit<WrittenPlace, "bytes"> & { measure: boolean })[] = [
    {
      what:
        "scratch of a run: files in, SKILL_OUT, Deno's cache, its record of permissions, the socket of its proxy",
      place: join(temporary, "skillfence-*"),
      mode: other ? "0711, what is in it 0700" : "0700",
      until: "removed after the run; what a crash leaves, at a later start",
      turnOff: noRun,
      measure: false,
    },
    {
      what: "files that runs left behind, for skill_file",
      place: join(temporary, "skillfence-*"),
      mode: "0700",
      until:
        `${OUTPUT_LIMITS.keepMs / 3_600_000} hour, ${OUTPUT_LIMITS.runs} ` +
        `runs, ${
          OUTPUT_LIMITS.totalBytes / 1024 / 1024
        } MiB, or the server's end`,
      turnOff: noRun,
      measure: false,
    },
    {
      what: "cache: the carried runtime and skills, unpacked; which other " +
        "runtime passed the probe; file digests of skills that ran; the token " +
        "that --http made",
      place: cached.ok ? cached.value.path : undefined,
      note: cached.ok ? cached.value.note : refusalWords(cached),
      mode: "0700",
      until: cached.ok && cached.value.temporary
        ? "removed at the server's end: no lasting place can be trusted"
        : UNTIL,
      turnOff: CARRIED === undefined
        ? noRun
        : `${noRun} and a directory of your own for skills`,
      measure: true,
    },
    ...(opened.ok && cached.ok && opened.value.path !== cached.value.path
      ? [{
        what: "runtime and bundled skills, where scripts' account reaches them",
        place: opened.value.path,
        mode: "0711",
        until: opened.value.temporary ? "removed at the server's end" : UNTIL,
        turnOff: `${noRun}, or run the server as an ordinary account`,
        measure: true,
      }]
      : []),
    {
      what: "when which skill comes up, for hooks: names, paths and triggers",
      place: cached.ok && !cached.value.temporary
        ? join(cached.value.path, "match")
        : undefined,
      mode: "0700",
      until: "the newest 64, one for each set of roots and workspaces",
      turnOff: "it has no switch",
      measure: true,
    },
    {
      what: "data of a skill's scripts, one directory a skill",
      place: config.dataDir,
      mode: "0700",
      until: "until you remove it",
      turnOff: "leave MCP_DATA_DIR and SKILLFENCE_DATA_DIR unset",
      measure: true,
    },
    await auditPlace(config.auditLog),
  ];
  return await Promise.all(places.map(async ({ measure, ...place }) => ({
    ...place,
    bytes: measure && place.place !== undefined
      ? await sizeOf(place.place)
      : undefined,
  })));
}

async function auditPlace(
  path: string | undefined,
): Promise<Omit<WrittenPlace, "bytes"> & { measure: boolean }> {
  const problem = path === undefined ? undefined : await logProblem(path);
  const { maxBytes, keep } = AUDIT_BOUNDS;
  return {
    what: "audit log: a line for every preview, run, refusal and cancellation",
    place: path,
    mode: "0600",
    ...(problem === undefined ? {} : {
      note: `it ${problem.why}, so every line is lost. ${problem.remedy}`,
      broken: true,
    }),
    until: `until you remove it, ${keep + 1} files of ${
      maxBytes / 1024 / 1024
    } MiB at most`,
    turnOff: "leave SKILLFENCE_AUDIT_LOG unset",
    measure: true,
  };
}

/** Bytes of a regular file, or of those below `dir`; no link is followed. */
async function sizeOf(dir: string): Promise<number | undefined> {
  let bytes = 0;
  let entries = 0;
  const open = [dir];
  try {
    const top = await Deno.lstat(dir);
    if (top.isFile) return top.size;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for await (const entry of Deno.readDir(next)) {
        if (++entries > MAX_ENTRIES) return undefined;
        const path = join(next, entry.name);
        if (entry.isDirectory) open.push(path);
        else if (entry.isFile) bytes += (await Deno.lstat(path)).size;
      }
    }
    return bytes;
  } catch {
    return undefined;
  }
}
