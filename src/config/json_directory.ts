/** The JSON form of a directory, with its filters. */

import { resolve } from "node:path";
import * as z from "zod";
import { globProblem } from "../base/name_filter.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { SKILL_DIR } from "./directory.ts";
import type { SkillRoot } from "./types.ts";
import { quoted, tildeComplaint } from "./values.ts";

const ACCEPTED =
  'Accepted: {"dir": "/path", "include": ["glob"], "ignore": ["glob"], "watch": true}; only dir is required.';
const ACCEPTED_OF_ROOT = ACCEPTED.replace("}", ', "flat": false}');

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

const RootShape = Shape.extend({ flat: z.boolean().default(false) });

/**
 * Reads the JSON form. Refused (`CONFIG`) with the name of its source, the
 * value and what is accepted; a relative `dir` is resolved against `cwd`.
 */
export function jsonDirectory(
  source: string,
  text: string,
  cwd: string,
): Result<SkillRoot> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong(source, text, "not JSON");
  }
  const read = (source === SKILL_DIR ? RootShape : Shape).safeParse(value);
  if (!read.success) return wrong(source, text, firstIssue(read.error));
  const { dir, ...filters } = read.data;
  return tildeComplaint(source, dir) ??
    ok({ flat: false, ...filters, path: resolve(cwd, dir) });
}

function wrong(source: string, text: string, why: string): Refusal {
  return refuse(
    "CONFIG",
    `${source} is ${quoted(text)}: ${why}`,
    source === SKILL_DIR ? ACCEPTED_OF_ROOT : ACCEPTED,
  );
}

function firstIssue({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
