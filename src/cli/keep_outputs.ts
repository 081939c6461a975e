/** Copies what a script left to a directory of the caller's. */

import { dirname, join, resolve } from "node:path";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { listed, visible } from "../base/text.ts";
import type { Output } from "../fence/types.ts";

/** The part of the output store that is used here. */
interface Store {
  open(id: string): Promise<Result<{ readonly file: string }>>;
}

/** Which files were kept, and which were not. */
export interface KeptOutputs {
  /** Absolute paths, in the order of the outputs. */
  readonly paths: readonly string[];
  /** Names what was not kept and why. */
  readonly refusal: Refusal | undefined;
}

/** Names in one refusal at most. */
const MAX_NAMED = 5;

/** Makes `dir` before the run, so that no result is lost for want of it. */
export async function makeKeptDir(dir: string): Promise<Result<void>> {
  try {
    await Deno.mkdir(dir, { recursive: true });
    return ok(undefined);
  } catch (error) {
    return refuse(
      "PATH_REFUSED",
      `--out ${visible(dir)} cannot be used: ${reasonOf(error)}`,
      "Name a directory that is there or can be made.",
    );
  }
}

/**
 * Copies every `out/` file below `dir`. Paths come from the store's own listing
 * of real files, so they hold no `..`; a file that exists already is left alone,
 * named, and costs itself only.
 */
export async function keepOutputs(
  outputs: readonly Output[],
  store: Store,
  dir: string,
): Promise<KeptOutputs> {
  const paths: string[] = [];
  const missed: string[] = [];
  for (const { id, path } of outputs) {
    if (!path.startsWith("out/")) continue;
    const target = resolve(join(dir, path.slice(4)));
    const opened = await store.open(id);
    const why = opened.ok
      ? await copy(opened.value.file, target)
      : opened.message;
    if (why === undefined) paths.push(target);
    else missed.push(`${visible(path)} (${why})`);
  }
  return { paths, refusal: missed.length === 0 ? undefined : notKept(missed) };
}

function notKept(missed: readonly string[]): Refusal {
  return refuse(
    "PATH_REFUSED",
    `not kept: ${listed(missed, MAX_NAMED)}`,
    "Name an empty or new directory with --out.",
  );
}

/** Returns why not, or undefined. */
async function copy(from: string, to: string): Promise<string | undefined> {
  try {
    await Deno.mkdir(dirname(to), { recursive: true });
    const bytes = await Deno.readFile(from);
    await Deno.writeFile(to, bytes, { createNew: true, mode: 0o600 });
    return undefined;
  } catch (error) {
    return error instanceof Deno.errors.AlreadyExists
      ? "there is one already"
      : reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? visible(error.message) : "unknown error";
}
