/** What a call may hand to a script: checked before anything else costs time. */

import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { RunCall } from "./types.ts";

/** Arguments at most, and bytes of UTF-8 of all of them. */
export const MAX_ARGS = 64;
export const MAX_ARG_BYTES: number = 8 * 1024;
/** Bytes of stdin and files together. */
export const MAX_INPUT_BYTES: number = 8 * 1024 * 1024;
/** Files at most. */
export const MAX_FILES = 64;
const MAX_FILE_NAME_BYTES = 255;

/** A call past its bounds, its text as bytes. */
export interface CheckedCall {
  readonly stdin: Uint8Array<ArrayBuffer>;
}

/** Refuses with `INVALID_ARGUMENTS` or `TOO_LARGE` what no script is handed. */
export function checkCall(call: RunCall): Result<CheckedCall> {
  const args = checkArgs(call.args);
  if (args !== undefined) return args;
  const names = checkNames(call.files.map(({ name }) => name));
  if (names !== undefined) return names;
  const stdin = new TextEncoder().encode(call.stdin ?? "");
  const bytes = call.files.reduce(
    (sum, file) => sum + file.bytes.length,
    stdin.length,
  );
  if (bytes <= MAX_INPUT_BYTES) return ok({ stdin });
  return refuse(
    "TOO_LARGE",
    `stdin and files hold ${bytes} bytes together, and at most ${MAX_INPUT_BYTES} are handed over`,
    "Hand over less, or let the script read from its data directory or workspace.",
  );
}

function checkArgs(args: readonly string[]): Refusal | undefined {
  if (args.length > MAX_ARGS) {
    return refused(
      `args holds ${args.length} arguments, and at most ${MAX_ARGS} are accepted`,
    );
  }
  const broken = args.findIndex((arg) =>
    arg.includes("\0") || !arg.isWellFormed()
  );
  if (broken >= 0) {
    return refused(
      `args[${broken}] holds a NUL character or half a character, which no program can be given`,
    );
  }
  const bytes = new TextEncoder().encode(args.join("")).length;
  return bytes <= MAX_ARG_BYTES ? undefined : refused(
    `args holds ${bytes} bytes of UTF-8, and at most ${MAX_ARG_BYTES} are accepted`,
  );
}

function checkNames(names: readonly string[]): Refusal | undefined {
  if (names.length > MAX_FILES) {
    return refused(
      `files holds ${names.length} files, and at most ${MAX_FILES} are accepted`,
    );
  }
  const seen = new Set<string>();
  for (const name of names) {
    const why = nameProblem(name);
    if (why !== undefined) {
      return refused(`the file name "${visible(name, 80)}" ${why}`);
    }
    // One name on a file system that does not tell case apart.
    const folded = name.normalize("NFC").toLowerCase();
    if (seen.has(folded)) {
      return refused(`two files are named "${visible(name, 80)}"`);
    }
    seen.add(folded);
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === "" || name === "." || name === "..") return "is no name";
  if (/[/\\]/.test(name)) return "is a path; give one plain segment";
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(name)) return "holds a control character";
  if (!name.isWellFormed()) return "holds half a character";
  return new TextEncoder().encode(name).length > MAX_FILE_NAME_BYTES
    ? "is longer than a file name can be"
    : undefined;
}

function refused(message: string): Refusal {
  return refuse(
    "INVALID_ARGUMENTS",
    message,
    "Pass long or binary input as stdin or files.",
  );
}
