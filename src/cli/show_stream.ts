/** A script's output as it reaches stdout or stderr. */

import { visible } from "../base/text.ts";
import type { CapturedStream } from "../fence/types.ts";
import type { Screen } from "./screen.ts";

const TAB = 8;

/** Bytes of the stream that were not kept. */
function gapOf(stream: CapturedStream): number {
  return stream.total - stream.head.length - stream.tail.length;
}

/**
 * Writes a stream: unchanged into a pipe, on a terminal line by line and made
 * visible. A gap is told on stderr, where it cannot be taken for output.
 */
export function writeStream(
  stream: CapturedStream,
  write: Screen["out"],
  options: { readonly terminal: boolean; readonly tell: Screen["err"] },
): void {
  const put = (bytes: Uint8Array) =>
    bytes.length > 0 && write(options.terminal ? terminalText(bytes) : bytes);
  put(stream.head);
  const gap = gapOf(stream);
  if (gap > 0) options.tell(`skillfence: ${gap} bytes here were not kept\n`);
  put(stream.tail);
}

/**
 * Text for a terminal: every line by itself, made visible and cut, tabs as
 * blanks. Ends with a newline unless it is empty.
 */
export function terminalText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (text === "") return "";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => visible(expandTabs(line)) + "\n").join("");
}

function expandTabs(line: string): string {
  let expanded = "";
  for (const part of line.split(/(\t)/)) {
    expanded += part === "\t"
      ? " ".repeat(TAB - (expanded.length % TAB))
      : part;
  }
  return expanded;
}
