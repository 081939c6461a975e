/** One directory to look in, from a plain path or from its JSON form. */

import { resolve } from "node:path";
import { z } from "zod";
import { globProblem } from "../base/name_filter.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { Directory } from "./types.ts";
import { quoted, tildeComplaint } from "./values.ts";

const ACCEPTED =
  'Accepted: {"dir": "/path", "include": ["glob"], "ignore": ["glob"], "watch": true}; only dir is required.';

const Glob = z.string().superRefine((glob, context) => {
  const problem = globProblem(glob);
  if (problem !== undefined) {
    context.addIssue({ code: "custom", message: `is no glob: ${problem}` });
  }
});

const Shape = z.strictObject({
  dir: z.string().trim().min(1),
  include: z.array(Glob).default([]),
  ignore: z.array(Glob).default([]),
  watch: z.boolean().default(true),
});

/** A directory without filters, watched. */
export function plainDirectory(path: string): Directory {
  return { path, include: [], ignore: [], watch: true };
}

/**
 * Reads the JSON form. Refused (`CONFIG`) with the name of its source, the
 * value and what is accepted; a relative `dir` is resolved against `cwd`.
 */
export function jsonDirectory(
  source: string,
  text: string,
  cwd: string,
): Result<Directory> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong(source, text, "not JSON");
  }
  const read = Shape.safeParse(value);
  if (!read.success) return wrong(source, text, firstIssue(read.error));
  const { dir, ...filters } = read.data;
  return tildeComplaint(source, dir) ??
    ok({ path: resolve(cwd, dir), ...filters });
}

/** A directory as the JSON form spells it, what is usual left out. */
export function directoryJson(directory: Directory): string {
  const { path, include, ignore, watch } = directory;
  return JSON.stringify({
    dir: path,
    ...(include.length > 0 ? { include } : {}),
    ...(ignore.length > 0 ? { ignore } : {}),
    ...(watch ? {} : { watch }),
  });
}

/** Whether a plain path says everything about a directory. */
export function isPlain({ include, ignore, watch }: Directory): boolean {
  return watch && include.length === 0 && ignore.length === 0;
}

function wrong(source: string, text: string, why: string): Refusal {
  return refuse("CONFIG", `${source} is ${quoted(text)}: ${why}`, ACCEPTED);
}

function firstIssue({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
