/** What `run` hands to a script: files by name, and standard input. */

import { basename, resolve } from "node:path";
import { readBounded } from "../base/bounded_read.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { MAX_INPUT_BYTES } from "../fence/check_call.ts";
import type { InputFile } from "../fence/types.ts";

/** Bytes of stdin and files together; the fence counts them again. */
const MAX_INPUT = MAX_INPUT_BYTES;

/** Reads the files, each under its base name. Relative paths are below `cwd`. */
export async function readInputFiles(
  paths: readonly string[],
  cwd: string,
): Promise<Result<InputFile[]>> {
  const files: InputFile[] = [];
  for (const path of paths) {
    const name = basename(path);
    if (files.some((file) => file.name === name)) {
      return bad(`two files are named ${visible(name)}`, "Rename one of them.");
    }
    const read = await readBounded(resolve(cwd, path), MAX_INPUT);
    if (!read.ok) return bad(`${visible(path)}: ${read.message}`, read.hint);
    if (read.value.truncated) return tooMuch();
    files.push({ name, bytes: read.value.bytes });
  }
  return ok(files);
}

/** Reads a stream to its end as text; what is not UTF-8 is refused. */
export async function readInputText(
  stream: ReadableStream<Uint8Array>,
): Promise<Result<string>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_INPUT) return tooMuch();
    chunks.push(new Uint8Array(chunk));
  }
  try {
    const bytes = await new Blob(chunks).bytes();
    return ok(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    );
  } catch {
    return bad(
      "standard input is not UTF-8 text",
      "Hand bytes in as a file: --file FILE.",
    );
  }
}

function tooMuch(): Result<never> {
  return refuse(
    "TOO_LARGE",
    "standard input and files are more than 8 MiB together",
    "Hand in less, or put the data into the skill's data directory.",
  );
}

function bad(message: string, hint: string): Result<never> {
  return refuse("INVALID_ARGUMENTS", message, hint);
}
