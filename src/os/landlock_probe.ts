/** Proving that Landlock holds on this machine, by a run that attacks it. */

import { join } from "node:path";
import { canonicalJson, sha256 } from "../base/digest.ts";
import { visible } from "../base/text.ts";
import { Kernel } from "./kernel.ts";
import { ownLauncher } from "./landlock.ts";
import { ABI_NEEDED, landlockAbi } from "./landlock_abi.ts";
import { causeOfFailure } from "./landlock_causes.ts";
import { LANDLOCK_CHECK_SCRIPT } from "./landlock_check.ts";
import { proveLandlock } from "./landlock_proof.ts";
import { linkedWith } from "./libraries.ts";
import { type ProbeKey, probeRecord } from "./probe_record.ts";
import { seccompFilter } from "./seccomp.ts";
import { KERNEL } from "./syscall_numbers.ts";
import type { Account, LandlockLayer, OsOff, OsProbed } from "./types.ts";

/** Raised when a proof asks for more: older records count no more. */
const GENERATION = 1;

/** What a probe needs to know. */
export interface LandlockProbeOptions {
  /** The script runtime: absolute and real. */
  readonly runtime: string;
  readonly account: Account | undefined;
  /** Where a directory may be made for the time of the probe. */
  readonly tmpDir: string;
  /** What that directory's name begins with. */
  readonly prefix: string;
  /** Where a proof, and the launcher's own cache, are kept. */
  readonly cacheDir: string | undefined;
  /** A run could not be set up: what is kept counts no more. */
  readonly fresh?: boolean;
  /** Stands for our own program in tests. */
  readonly launcher?: readonly string[];
}

/**
 * Asks the kernel for Landlock and proves by a run of the real launcher, with
 * all of Deno's permissions given, that nothing gets out. Takes about 0.2 s; a
 * proof that was kept since the machine started takes the time of one `ldd`.
 * Failures are not kept.
 */
export async function probeLandlock(
  options: LandlockProbeOptions,
): Promise<OsProbed<LandlockLayer>> {
  if (Deno.build.os !== "linux") return { ok: false, off: NOT_LINUX };
  const abi = askKernel();
  if (typeof abi !== "number") return { ok: false, off: abi };
  const { runtime, cacheDir } = options;
  const layer: LandlockLayer = {
    by: "landlock",
    abi,
    launcher: options.launcher ?? ownLauncher(cacheDir),
    libraries: (await linkedWith(runtime)).libraries,
  };
  const key = keyOf(layer, options);
  const record = probeRecord(cacheDir, key);
  const fresh = options.fresh === true;
  if (!fresh && await record.holds()) return { ok: true, layer };
  const off = await proveLandlock({ ...options, layer });
  if (off === undefined) {
    await record.keep();
    return { ok: true, layer };
  }
  // There is one record, so that this takes the place of a proof.
  if (fresh) await probeRecord(cacheDir, { ...key, off: true }).keep();
  return { ok: false, off };
}

const NOT_LINUX: OsOff = {
  cause: "not-linux",
  message: "Landlock exists on Linux only",
  advice: "On this system the permission flags and the worker hold.",
};

/** The kernel's ABI where it is enough. */
function askKernel(): number | OsOff {
  let abi: number;
  try {
    abi = landlockAbi(new Kernel());
  } catch (error) {
    return {
      cause: "no-system-calls",
      message: `the C library cannot be called: ${visible(String(error))}`,
      advice: "Start the server with all of Deno's permissions (-A).",
    };
  }
  if (abi < 0) return causeOfFailure({ failed: "landlock", errno: -abi });
  return abi >= ABI_NEEDED ? abi : causeOfFailure({
    failed: "landlock abi",
    errno: KERNEL.EOPNOTSUPP,
  });
}

/** All that a proof rests on. */
function keyOf(
  layer: LandlockLayer,
  { runtime, account }: LandlockProbeOptions,
): ProbeKey {
  const filter = seccompFilter({
    arch: Deno.build.arch,
    ip: false,
    unix: false,
    processes: false,
  });
  return {
    by: "landlock",
    generation: GENERATION,
    layer: sha256(canonicalJson(layer)),
    check: sha256(LANDLOCK_CHECK_SCRIPT),
    filter: sha256(filter),
    self: Deno.uid(),
    account: account?.uid ?? null,
    runtime: stamp(runtime),
    program: stamp(Deno.execPath()),
    source: source(),
  };
}

/** The launcher's modules, where they are not within the program. */
function source(): string {
  if (Deno.build.standalone) return "";
  const here = import.meta.dirname!;
  const stamps = [...Deno.readDirSync(here)].map(({ name }) =>
    stamp(join(here, name))
  );
  return sha256(stamps.sort().join("\n"));
}

/** Path, file, size and time of change. */
function stamp(path: string): string {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return [path, ino, size, mtime?.getTime()].join(" ");
  } catch {
    return path;
  }
}
