/** The compiled binary of the sources as they are, for tests and measuring. */

import { join } from "node:path";
import { OFFLINE_TRIPLE } from "./base.ts";
import { compileBinary } from "./compile_binary.ts";
import { sourcesDigest } from "./sources.ts";
import { findTarget } from "./targets.ts";

/** Whether a binary can be built on this machine without Deno's download. */
export const CAN_BUILD_BINARY = Deno.build.target === OFFLINE_TRIPLE;

/** Path of the default binary of this machine. */
export function binaryPath(root: string): string {
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  return join(root, "dist", `skillfence${suffix}`);
}

/** Where builds keep what they downloaded. */
export function cacheDir(root: string): string {
  return join(root, "dist", "cache");
}

/** Notes beside a binary what it was built from. */
export async function noteSources(
  output: string,
  digest: string,
): Promise<void> {
  await Deno.writeTextFile(`${output}.sources`, `${digest}\n`);
}

/**
 * The path of a binary built from the present sources; one is built on the
 * offline base when `dist/` has none. Safe to call from several processes.
 *
 * @throws {BuildError} when it cannot be built.
 */
export async function ensureBinary(
  root: string,
  onStep: (line: string) => void = () => {},
): Promise<string> {
  const output = binaryPath(root);
  await Deno.mkdir(join(root, "dist"), { recursive: true });
  using lock = await Deno.open(join(root, "dist", "build.lock"), {
    create: true,
    write: true,
  });
  await lock.lock(true);
  const digest = await sourcesDigest(root);
  if (await isBuiltFrom(output, digest)) return output;
  await compileBinary({
    root,
    target: findTarget(),
    base: "offline",
    output,
    cacheDir: cacheDir(root),
    onStep,
  });
  await noteSources(output, digest);
  return output;
}

async function isBuiltFrom(output: string, digest: string): Promise<boolean> {
  try {
    await Deno.stat(output);
    return (await Deno.readTextFile(`${output}.sources`)).trim() === digest;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
