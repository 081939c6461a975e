/** Getting carried skills out of the executable and into the cache directory. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { byCodeUnit } from "../base/order.ts";
import { childOf } from "../base/place.ts";
import { removeTree } from "./disk/remove_tree.ts";
import { NAME_DIGITS } from "./runtime/unpack_executable.ts";

const PLACING_ROUNDS = 5;

/**
 * Unpacks a directory that the executable carries (such as the bundled skills)
 * to `<cacheDir>/skills-<digest>`, and returns that path. An unpacked one is
 * digested again at every start and replaced when it was changed.
 */
export async function unpackTree(
  from: string,
  sha256: string,
  cacheDir: string,
): Promise<Result<string>> {
  const path = join(cacheDir, `skills-${sha256.slice(0, NAME_DIGITS)}`);
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    if (await holdsTree(path, sha256)) {
      await openTree(path);
      return ok(path);
    }
    await copyTree(from, temporary);
    if (await treeDigest(temporary) !== sha256) {
      return refuse(
        "NOT_FOUND",
        "the bundled skills are damaged: their SHA-256 is not the one they were built with",
        "Get the executable again and check its sum.",
      );
    }
    await openTree(temporary);
    await putInPlace(temporary, path, sha256);
    return ok(path);
  } catch (error) {
    return refuse(
      "NOT_FOUND",
      `the bundled skills could not be unpacked (${errorName(error)})`,
      "Set SKILLFENCE_CACHE_DIR to a directory that this account may write, or name skills with --skills.",
    );
  } finally {
    await removeTree(temporary);
  }
}

/** Only the directory around it says who gets there; scripts' account has to. */
async function openTree(dir: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  await Deno.chmod(dir, 0o755);
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    if (isDirectory) await openTree(join(dir, name));
    else await Deno.chmod(join(dir, name), 0o644);
  }
}

/** Others may do the same at the same time: whoever is first wins. */
async function putInPlace(
  made: string,
  path: string,
  sha256: string,
): Promise<void> {
  for (let left = PLACING_ROUNDS;; left--) {
    try {
      return await Deno.rename(made, path);
    } catch (error) {
      if (await holdsTree(path, sha256)) return;
      if (left === 0) throw error;
    }
    // What stands there was changed: it goes in one step, then bit by bit.
    const aside = `${path}.${crypto.randomUUID()}.tmp`;
    await Deno.rename(path, aside).catch(() => {});
    await removeTree(aside);
  }
}

async function holdsTree(path: string, sha256: string): Promise<boolean> {
  try {
    return await treeDigest(path) === sha256;
  } catch {
    return false;
  }
}

/**
 * Hex SHA-256 over a `<path>` and a `<hex SHA-256 of the bytes>` line for every
 * file below `dir`, directory by directory in name order; paths relative and
 * `/`-separated. The build digests what it packs in the same way.
 */
export async function treeDigest(dir: string): Promise<string> {
  const all = createHash("sha256");
  for (const path of await filesBelow(dir)) {
    const bytes = await Deno.readFile(join(dir, path));
    const digest = createHash("sha256").update(bytes).digest("hex");
    all.update(`${path}\n${digest}\n`);
  }
  return all.digest("hex");
}

/**
 * Ends the name of every file of a carried directory. `deno compile` takes what
 * has a module's ending into its module graph: it would follow the imports of a
 * skill's script, and put what they name into the executable.
 */
export const PACKED_SUFFIX = ".packed";

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  for (const path of await filesBelow(from)) {
    const segments = path.split("/").slice(0, -1);
    await Deno.mkdir(join(to, ...segments), { recursive: true, mode: 0o700 });
    // In the executable's file system `fstat` fails, so files are read whole.
    const bytes = await Deno.readFile(join(from, path));
    const name = path.endsWith(PACKED_SUFFIX)
      ? path.slice(0, -PACKED_SUFFIX.length)
      : path;
    await Deno.writeFile(join(to, name), bytes);
  }
}

async function filesBelow(dir: string, below = ""): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(dir, below)));
  entries.sort((a, b) => byCodeUnit(a.name, b.name));
  const files: string[] = [];
  for (const entry of entries) {
    const path = childOf(below, entry.name);
    if (entry.isDirectory) files.push(...await filesBelow(dir, path));
    else files.push(path);
  }
  return files;
}
