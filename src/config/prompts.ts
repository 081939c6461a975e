/** Where prompt files come from. */

import { resolve } from "node:path";
import { ok, type Refusal, type Result } from "../base/refusal.ts";
import type { JsonDirectoryReader } from "./directory.ts";
import type { PromptFlag } from "./flags.ts";
import { readPlain, splitPaths } from "./roots.ts";
import type { PromptSource } from "./types.ts";
import { type RawEnv, tildeComplaint } from "./values.ts";

/** The sources in the order in which they claim names. */
export interface Prompts {
  readonly prompts: readonly PromptSource[];
  readonly complaints: readonly Refusal[];
}

/** How sources are read. */
export interface PromptReading {
  /** Absolute; relative sources are resolved against it. */
  readonly cwd: string;
  readonly jsonDirectory: JsonDirectoryReader;
}

/**
 * `--prompt-file` and `--prompt-dir`, else `SKILLFENCE_PROMPTS`. Files come
 * before directories, so that no directory shadows a file that was named; among
 * themselves both keep their order. One that cannot be meant as written is
 * complained about and left out.
 */
export function readPrompts(
  flags: readonly PromptFlag[],
  env: RawEnv,
  { cwd, jsonDirectory }: PromptReading,
): Prompts {
  const listed = splitPaths(env("SKILLFENCE_PROMPTS"));
  const flagged = flags.filter((flag) =>
    ("file" in flag ? flag.file : flag.dir).trim() !== ""
  );
  const read = flagged.length > 0
    ? flagged.map((flag) => fromFlag(flag, { cwd, jsonDirectory }))
    : listed.map((path) => fromList(path, cwd));
  const sources = read.flatMap((result) => result.ok ? [result.value] : []);
  return {
    prompts: [
      ...sources.filter(({ kind }) => kind === "file"),
      ...sources.filter(({ kind }) => kind === "directory"),
    ],
    complaints: read.filter((result) => !result.ok),
  };
}

function fromFlag(
  flag: PromptFlag,
  { cwd, jsonDirectory }: PromptReading,
): Result<PromptSource> {
  if ("file" in flag) return file("--prompt-file", flag.file, cwd);
  const text = flag.dir.trim();
  return asSource(
    text.startsWith("{")
      ? jsonDirectory("--prompt-dir", text, cwd)
      : readPlain("--prompt-dir", text, cwd),
  );
}

// Told apart by name, since nothing is looked up on disk before the scan.
function fromList(path: string, cwd: string): Result<PromptSource> {
  return path.endsWith(".md")
    ? file("SKILLFENCE_PROMPTS", path, cwd)
    : asSource(readPlain("SKILLFENCE_PROMPTS", path, cwd));
}

function file(source: string, path: string, cwd: string): Result<PromptSource> {
  return tildeComplaint(source, path.trim()) ??
    ok({ kind: "file", file: resolve(cwd, path.trim()) });
}

function asSource(
  read: ReturnType<typeof readPlain>,
): Result<PromptSource> {
  if (!read.ok) return read;
  const { flat: _, ...directory } = read.value;
  return ok({ kind: "directory", directory });
}
