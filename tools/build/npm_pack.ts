/** Tarballs from the npm registry that the user's npm is set up for. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { BuildError } from "./build_error.ts";

/** An exact package and what its tarball must hash to (`sha512-<base64>`). */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Fetches `<name>@<version>` into `directory`, as one `.tgz` file. */
export type Fetch = (spec: string, directory: string) => Promise<void>;

/**
 * The bytes of a package's tarball, from `cacheDir` or else the registry.
 * Checked against `integrity` every time; a cached file that fails is fetched
 * anew.
 *
 * @throws {BuildError} when it cannot be had or is not what it must be.
 */
export async function packedTarball(
  pkg: NpmPackage,
  cacheDir: string,
  fetch: Fetch = npmPack,
): Promise<Uint8Array> {
  const spec = `${pkg.name}@${pkg.version}`;
  const name = spec.replace(/^@/, "").replace(/[/@]/g, "-");
  const cached = join(cacheDir, `${name}.tgz`);
  try {
    const bytes = await Deno.readFile(cached);
    if (integrityOf(bytes) === pkg.integrity) return bytes;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.mkdir(cacheDir, { recursive: true });
  const work = await Deno.makeTempDir({ dir: cacheDir, prefix: "pack-" });
  try {
    await fetch(spec, work);
    const packed = [...Deno.readDirSync(work)]
      .find((entry) => entry.isFile && entry.name.endsWith(".tgz"));
    if (packed === undefined) {
      throw new BuildError(`npm pack ${spec} left no tarball`);
    }
    const path = join(work, packed.name);
    const bytes = await Deno.readFile(path);
    const actual = integrityOf(bytes);
    if (actual !== pkg.integrity) {
      throw new BuildError(
        `${spec} is not the pinned one: ${actual}, not ${pkg.integrity}`,
      );
    }
    await Deno.rename(path, cached);
    return bytes;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The integrity string of some bytes, as npm writes it. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

async function npmPack(spec: string, directory: string): Promise<void> {
  const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(npm, {
      args: ["pack", "--silent", "--ignore-scripts", spec],
      cwd: directory,
      stdin: "null",
    }).output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new BuildError(`npm is needed to fetch ${spec}, and is not on PATH`);
  }
  if (output.success) return;
  const said = new TextDecoder().decode(output.stderr).trim();
  throw new BuildError(`npm pack ${spec} failed (${output.code}): ${said}`);
}
