/** A command's output as data in a text: harmless, and fenced. */

import { tagEscaper } from "../../base/own_tag.ts";
import { visible } from "../../base/text.ts";
import { wholeCharacters } from "../../base/utf8.ts";

/** Bytes of an output that are delivered. */
export const MAX_OUTPUT = 51_200;
const CUT = "... [output truncated]";
const WORDS = 300;
/** Reads as the end of a block that the text may be delivered in. */
const escaped = tagEscaper("EXTRA_INFO");

/**
 * Output as text: cut on a character's boundary and marked, blank at neither
 * end, every control and unseen character but line ends and tabs spelled out.
 * What is not UTF-8 stands as U+FFFD.
 */
export function outputText(bytes: Uint8Array, total: number): string {
  const cut = total > MAX_OUTPUT;
  const kept = bytes.subarray(0, MAX_OUTPUT);
  const whole = cut ? kept.subarray(0, wholeCharacters(kept)) : kept;
  const text = new TextDecoder().decode(whole).trim();
  const lines = text.split(/\r\n|\r|\n/).map(harmless);
  return [...lines, ...cut ? [CUT] : []].join("\n");
}

function harmless(line: string): string {
  return escaped(
    line.split("\t").map((part) => visible(part, Infinity)).join("\t"),
  );
}

/** Puts outputs into one text, so that none can end its fence. */
export class Fencing {
  readonly #taken: ReadonlySet<number>;

  /** `rest` is the text around the outputs: its backticks pair with none. */
  constructor(rest: string) {
    this.#taken = new Set([...rest.matchAll(/`+/g)].map(([run]) => run.length));
  }

  /**
   * One line as a code span, several as a block of their own; also one line
   * whose backticks a stray one of the text around could pair with.
   */
  output(text: string): string {
    if (text === "") return "";
    if (!text.includes("\n") && !this.#pairs(text)) return this.span(text);
    const fence = "`".repeat(Math.max(3, longest(text) + 1));
    return `\n\n${fence}text\n${text}\n${fence}\n\n`;
  }

  /** One line as a code span; backticks that could pair stand as `'`. */
  span(line: string): string {
    const text = this.#pairs(line) ? line.replaceAll("`", "'") : line;
    let length = longest(text) + 1;
    while (this.#taken.has(length)) length++;
    const ticks = "`".repeat(length);
    const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
    return ticks + pad + text + pad + ticks;
  }

  #pairs(text: string): boolean {
    for (const [run] of text.matchAll(/`+/g)) {
      if (this.#taken.has(run.length)) return true;
    }
    return false;
  }

  /** What stands in the place of a command that gave no output. */
  error(command: string, why: string, said?: string): string {
    const name = this.span(oneLine(command, 80));
    const rest = said === undefined || said.trim() === ""
      ? ""
      : `: ${this.span(oneLine(said, WORDS))}`;
    return `[Error: command ${name} ${plain(why)}${rest}]`;
  }
}

/** The first words of what a program said, on one line. */
export function oneLine(text: string, max: number): string {
  const folded = text.trim().replace(/\s+/g, " ");
  return escaped(visible(folded, max));
}

/** Words of ours with strangers' in them: no backtick may pair with a span's. */
function plain(why: string): string {
  return oneLine(why, 2 * WORDS).replaceAll("`", "'");
}

function longest(text: string): number {
  let most = 0;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length);
  return most;
}
