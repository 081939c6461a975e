/** The base binary (`denort`) that a program is compiled onto. */

import { join } from "node:path";
import { BuildError } from "./build_error.ts";
import { elfSize } from "./elf.ts";
import { type NpmPackage, packedTarball } from "./npm_pack.ts";
import { runDeno } from "./run_deno.ts";
import { fileFromTarball } from "./tar.ts";
import { RUNTIME_VERSION, type Target } from "./targets.ts";
import { fileFromZip } from "./zip.ts";

/** Where the base comes from: Deno's own download, or npm (tests only). */
export type BaseKind = "official" | "offline";

/** A base and the Deno that can compile onto it. */
export interface Base {
  /** Path of the Deno executable of the base's own version. */
  readonly compiler: string;
  /** Its `DENO_DIR`, kept apart from the user's and from other versions'. */
  readonly denoDir: string;
  /** The base itself; undefined when the compiler brings its own. */
  readonly denort: Uint8Array | undefined;
}

/** The one platform that has an offline base. */
export const OFFLINE_TRIPLE = "x86_64-unknown-linux-gnu";

/** A Deno whose `denort` ships inside a program that is on npm. */
const OFFLINE_DENO: NpmPackage = {
  name: "@deno/linux-x64-glibc",
  version: "2.7.11",
  integrity:
    "sha512-TCRXqy4rHI+pKmWfjIz/qfDyfTz61qhxj+03kEJ3r0YzRGsXNoHyE7WiUawwUK2hbrBAu7hn3m5833VUYqRzOg==",
};

/** A program that Deno 2.7.11 compiled: its ELF part is that `denort`. */
const OFFLINE_CARRIER: NpmPackage = {
  name: "@stdy/cli-linux-x64",
  version: "0.22.2",
  integrity:
    "sha512-kp5QdG26EC8gEzVXI0YgzmiiFHz7DFCNRLNfAWa2rDPHr/jUBnfkP8AlbTPmv0YNQpnKn1wzSWHFw88fn/OTog==",
};

/**
 * The base for tests where Deno's own download is out of reach.
 *
 * @throws {BuildError} for any platform but Linux x64.
 */
export async function offlineBase(
  target: Target,
  cacheDir: string,
  workDir: string,
): Promise<Base> {
  if (target.triple !== OFFLINE_TRIPLE) {
    throw new BuildError(
      `the offline base exists for ${OFFLINE_TRIPLE} only, not ${target.triple}`,
    );
  }
  const deno = await packedTarball(OFFLINE_DENO, cacheDir);
  const compiler = join(workDir, "deno-offline");
  await Deno.writeFile(compiler, fileFromTarball(deno, "package/deno"), {
    mode: 0o755,
  });
  const program = fileFromTarball(
    await packedTarball(OFFLINE_CARRIER, cacheDir),
    "package/bin/steady",
  );
  return {
    compiler,
    denoDir: join(cacheDir, `deno-dir-${OFFLINE_DENO.version}`),
    denort: program.subarray(0, elfSize(program)),
  };
}

/**
 * The base that `deno compile` downloads, of the pinned version.
 *
 * Only where the runtime is appended is it taken out of the downloaded archive;
 * an empty program is compiled first, since that is what downloads it.
 *
 * @throws {BuildError} when the download fails.
 */
export async function officialBase(
  target: Target,
  cacheDir: string,
  workDir: string,
): Promise<Base> {
  const denoDir = join(cacheDir, `deno-dir-${RUNTIME_VERSION}`);
  const compiler = Deno.execPath();
  const probe = join(workDir, "probe.js");
  await Deno.writeTextFile(probe, "");
  try {
    await runDeno(
      // deno-fmt-ignore
      ["compile", "--no-config", "--no-lock", "--no-check", "--target",
        target.triple, "--output", join(workDir, "probe"), probe],
      { cwd: workDir, env: { DENO_DIR: denoDir } },
    );
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    throw new BuildError(
      `the official base binary of Deno ${RUNTIME_VERSION} cannot be had. ` +
        "Where its download is out of reach, --base offline builds a binary " +
        `for tests (never for a release).\n${error.message}`,
    );
  }
  if (!target.appends) return { compiler, denoDir, denort: undefined };
  const archive = await Deno.readFile(
    join(
      denoDir,
      "dl/release",
      `v${RUNTIME_VERSION}`,
      `denort-${target.triple}.zip`,
    ),
  );
  return { compiler, denoDir, denort: fileFromZip(archive, "denort") };
}
