/** Arguments of `skill_preview` and `skill_run` -> the call that is planned. */

import { ok, type Refusal, type Result } from "../base/refusal.ts";
import type { RecordedCall } from "../audit/recorder.ts";
import type { InputFile, RunCall } from "../fence/types.ts";
import { badArgument, cameText } from "./arguments.ts";
import type { PreviewArguments } from "./schemas/inputs.ts";
import { fromBase64 } from "./text_bytes.ts";

/** Applies the defaults and decodes the files; sizes are the planner's rule. */
export function readRunCall(args: PreviewArguments): Result<RunCall> {
  if (args.stdin?.isWellFormed() === false) return halfCharacter("stdin");
  const files: InputFile[] = [];
  for (const [i, file] of (args.files ?? []).entries()) {
    const bytes = contentOf(file, `files[${i}]`);
    if (!bytes.ok) return bytes;
    files.push({ name: file.name, bytes: bytes.value });
  }
  return ok({
    skill: args.name,
    script: args.script,
    args: args.args ?? [],
    stdin: args.stdin,
    files,
  });
}

/** What of the call is written down. */
export function recordedCall(args: PreviewArguments): RecordedCall {
  return { skill: args.name, script: args.script, args: args.args ?? [] };
}

function contentOf(
  file: { readonly text?: string; readonly base64?: string },
  place: string,
): Result<Uint8Array<ArrayBuffer>> {
  const { text, base64 } = file;
  if (text !== undefined && base64 !== undefined) {
    return badArgument(place, "text and base64", "one of the two");
  }
  if (text !== undefined) {
    return text.isWellFormed()
      ? ok(new TextEncoder().encode(text))
      : halfCharacter(`${place}.text`);
  }
  if (base64 === undefined) {
    return badArgument(place, "neither text nor base64", "one of the two");
  }
  const bytes = fromBase64(base64);
  return bytes === undefined
    ? badArgument(
      `${place}.base64`,
      cameText(base64),
      "base64 in the standard alphabet with padding",
    )
    : ok(bytes);
}

/** UTF-8 has no half characters: encoded, another one would stand there. */
function halfCharacter(place: string): Refusal {
  return badArgument(
    place,
    "text with half a character (a lone surrogate)",
    "well-formed text; in files also base64",
  );
}
