/** Whether a command is a script of the skill or a program of the host. */

import { ok, refuse, type Result } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import type { Skill } from "../../catalog/types.ts";

/** What the first word of a command names. */
export type CommandKind =
  | { readonly kind: "script"; readonly path: string }
  | { readonly kind: "host" };

const SCRIPT = /\.[cm]?[jt]sx?$/;

/**
 * A word with `/`, or one that is a served file of the skill in JavaScript or
 * TypeScript, is a script; every other word is a program's name.
 */
export function commandKind(
  { name, files, flat }: Pick<Skill, "name" | "files" | "flat">,
  first: string,
): Result<CommandKind> {
  const path = first.startsWith("./") ? first.slice(2) : first;
  const own = !flat && files.some((file) => file.path === path);
  if (!first.includes("/") && !(own && SCRIPT.test(path))) {
    return ok({ kind: "host" });
  }
  const shown = visible(first, 80);
  if (!own) {
    return refuse(
      "NOT_FOUND",
      `"${shown}" is no file of ${name}, and programs are named without a path`,
      "Name a file as the skill's manifest does.",
    );
  }
  return SCRIPT.test(path) ? ok({ kind: "script", path }) : refuse(
    "INTERPRETER_UNAVAILABLE",
    `"${shown}" is neither JavaScript nor TypeScript, so it cannot run fenced`,
    "Write it in JavaScript or TypeScript.",
  );
}
