/** Proving that bubblewrap holds on this machine, by a run that attacks it. */

import { canonicalJson, sha256 } from "../base/digest.ts";
import { visible } from "../base/text.ts";
import { scriptsUid, unreachable } from "./account.ts";
import { CHECK_SCRIPT } from "./bwrap_check.ts";
import { type BwrapProgram, bwrapProgram } from "./bwrap_program.ts";
import { proveBwrap } from "./bwrap_proof.ts";
import { findProgram } from "./find_program.ts";
import { linkedWith } from "./libraries.ts";
import { type ProbeKey, probeRecord } from "./probe_record.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Account, BwrapLayer, OsOff, OsProbed } from "./types.ts";

/** Raised when a proof asks for more: older records count no more. */
const GENERATION = 1;

/** What a probe needs to know. */
export interface BwrapProbeOptions {
  /** The script runtime: absolute and real. */
  readonly runtime: string;
  readonly account: Account | undefined;
  /** Where a directory may be made for the time of the probe. */
  readonly tmpDir: string;
  /** What that directory's name begins with. */
  readonly prefix: string;
  /** `PATH` as set. */
  readonly searchPath: string | undefined;
  /** Where a proof is kept; see `probeRecord`. */
  readonly cacheDir: string | undefined;
  /** A run could not be set up: what is kept counts no more. */
  readonly fresh?: boolean;
  /** Stand for the fixed places in tests. */
  readonly places?: readonly string[];
}

/**
 * Finds bubblewrap and proves by a run of the real command, with all of Deno's
 * permissions given, that nothing gets out. Takes about 0.1 s; a proof that was
 * kept since the machine started takes the time of two `ldd`. Failures are not
 * kept.
 */
export async function probeBwrap(
  options: BwrapProbeOptions,
): Promise<OsProbed<BwrapLayer>> {
  if (Deno.build.os !== "linux") return { ok: false, off: NOT_LINUX };
  const program = await bwrapProgram(options.searchPath, options.places);
  if ("cause" in program) return { ok: false, off: program };
  const hidden = await outOfReach(options);
  if (hidden !== undefined) return { ok: false, off: hidden };
  const layer = await layerOf(program, options);
  const { arch } = Deno.build;
  const filter = seccompFilter({ arch, ip: true, processes: false });
  const key = keyOf(layer, options, filter);
  const record = probeRecord(options.cacheDir, key);
  const fresh = options.fresh === true;
  if (!fresh && await record.holds()) return { ok: true, layer };
  const off = await proveBwrap({ ...options, layer, filter });
  if (off !== undefined) {
    // There is one record, so that this takes the place of a proof.
    if (fresh) {
      await probeRecord(options.cacheDir, { ...key, off: true }).keep();
    }
    return { ok: false, off };
  }
  await record.keep();
  return { ok: true, layer };
}

const NOT_LINUX: OsOff = {
  cause: "not-linux",
  message: "bubblewrap exists on Linux only",
  advice: "On this system the permission flags and the worker hold.",
};

/** Scripts' account must get to the runtime and to what each run makes. */
async function outOfReach(
  { account, runtime, tmpDir }: BwrapProbeOptions,
): Promise<OsOff | undefined> {
  if (account === undefined) return undefined;
  const real = await Deno.realPath(tmpDir).catch(() => tmpDir);
  const at = [runtime, real]
    .map((path) => unreachable(path, account, "execute"))
    .find((path) => path !== undefined);
  return at === undefined ? undefined : {
    cause: "out-of-reach",
    message: `${scriptsUid(account)}, cannot go through ${visible(at)}`,
    advice:
      "Move it to where every account may read, open the directory with `chmod o+x`, or set SKILLFENCE_UID.",
  };
}

async function layerOf(
  program: BwrapProgram,
  { runtime, searchPath }: BwrapProbeOptions,
): Promise<BwrapLayer> {
  const { path: prlimit } = await findProgram("prlimit", searchPath);
  const [linked, prlimitLinked] = await Promise.all([
    linkedWith(runtime),
    prlimit === undefined ? undefined : linkedWith(prlimit),
  ]);
  const warnings = [linked.warning, prlimitLinked?.warning];
  return {
    by: "bwrap",
    ...program,
    libraries: linked.libraries,
    prlimit: prlimit === undefined || prlimitLinked === undefined
      ? undefined
      : { path: prlimit, libraries: prlimitLinked.libraries },
    warnings: [
      ...program.warnings,
      ...new Set(warnings.filter((warning) => warning !== undefined)),
      ...prlimit === undefined
        ? ["`prlimit` is not installed: processes are not bounded"]
        : [],
    ],
  };
}

/** All that a proof rests on. */
function keyOf(
  layer: BwrapLayer,
  { runtime, account }: BwrapProbeOptions,
  filter: Uint8Array,
): ProbeKey {
  return {
    by: "bwrap",
    generation: GENERATION,
    layer: sha256(canonicalJson(layer)),
    check: sha256(CHECK_SCRIPT),
    filter: sha256(filter),
    self: Deno.uid(),
    account: account?.uid ?? null,
    runtime,
    ...stamp("runtime", runtime),
    ...stamp("bwrap", layer.path),
  };
}

function stamp(name: string, path: string): Record<string, number> {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return {
      [`${name}Inode`]: ino ?? 0,
      [`${name}Size`]: size,
      [`${name}Time`]: mtime?.getTime() ?? 0,
    };
  } catch {
    // Not there: the run will say so.
    return {};
  }
}
