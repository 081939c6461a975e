/**
 * Builds the executable: `deno task compile [--target T] [--base B]`.
 *
 * `--target T`  a target triple; the file is then `dist/skillfence-<T>`.
 * `--base B`    `official` (default) or `offline`: a base for tests, from npm.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { binaryPath, cacheDir, noteSources } from "./build/binary.ts";
import { BuildError } from "./build/build_error.ts";
import { compileBinary } from "./build/compile_binary.ts";
import { sourcesDigest } from "./build/sources.ts";
import { findTarget } from "./build/targets.ts";
import { say, warn } from "./say.ts";

/** Builds what the arguments ask for. */
async function main(args: string[]): Promise<void> {
  const { target: triple, base } = readArguments(args);
  const root = join(import.meta.dirname!, "..");
  const target = findTarget(triple);
  const output = triple === undefined
    ? binaryPath(root)
    : join(root, "dist", `skillfence-${triple}${target.suffix}`);
  const digest = await sourcesDigest(root);
  await compileBinary({
    root,
    target,
    base,
    output,
    cacheDir: cacheDir(root),
    onStep: warn,
  });
  await noteSources(output, digest);
  const { size } = await Deno.stat(output);
  say(`${output} (${Math.round(size / 1e6)} MB)`);
}

function readArguments(
  args: string[],
): { target: string | undefined; base: "official" | "offline" } {
  try {
    const { values } = parseArgs({
      args,
      options: { target: { type: "string" }, base: { type: "string" } },
    });
    const base = values.base ?? "official";
    if (base === "official" || base === "offline") {
      return { target: values.target, base };
    }
    throw new BuildError(`--base ${base}: official or offline`);
  } catch (error) {
    if (error instanceof TypeError) throw new BuildError(error.message);
    throw error;
  }
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    warn(`error: ${error.message}`);
    Deno.exit(1);
  }
}
