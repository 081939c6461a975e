/**
 * What of a message is code. Fences at the left margin are found line by line;
 * what lies between is parsed as CommonMark, and only as much of it as holds a
 * place that is asked about, since parsing costs more than all matching.
 */

import { lastUpTo } from "./ascending.ts";
import { type FindCode, findPlainly, roughly } from "./find_code.ts";
import { type Piece, piecesOf } from "./message_pieces.ts";

/** Longest piece that is parsed, and how much of one message; UTF-16 units. */
const MAX_PIECE = 4_096;
const MAX_PARSED = 32_768;
/** Quotes and lists in quotes and lists, of which parsing would take long. */
const NESTED = /^(?:[ \t]*(?:>|[*+-]|\d+[.)])){16}/m;

/** What an indented block begins with, maybe in a list or a quote. */
const INDENTED = /^[\s>*+\-\d.)]*(?: {4}|\t)/;
/** Anything that code blocks are made with. */
const BLOCKS = /`{3}|~{3}|\t|(?:^|[\n\r>*+\-\d.) ]) {4}/;

/** A piece, and what was found out about it when it was first asked about. */
interface Known extends Piece {
  ticks?: readonly [first: number, last: number];
  blocks?: boolean;
  code?: { readonly starts: number[]; readonly ends: number[] };
}

/** The code of one message. */
export class CodeParts {
  readonly #text: string;
  /** First and last backtick, first fence of tildes; -1: none. */
  readonly #firstTick: number;
  readonly #lastTick: number;
  readonly #tildes: number;
  readonly #ticks: boolean;
  readonly #indents: boolean;
  #lines: readonly number[] | undefined;
  #pieces: readonly Known[] | undefined;
  #left = MAX_PARSED;

  constructor(text: string) {
    this.#text = text;
    this.#firstTick = text.indexOf("`");
    this.#lastTick = text.lastIndexOf("`");
    this.#tildes = text.indexOf("~~~");
    this.#ticks = text.includes("```");
    this.#indents = text.includes("\t") || text.includes("    ");
  }

  /** False where a look at the text around it tells that it is no code. */
  mayHold(start: number, end: number): boolean {
    if (this.#firstTick >= 0 && this.#firstTick < end) {
      if (this.#lastTick >= start || this.#ticks) return true;
    }
    if (this.#tildes >= 0 && this.#tildes < end) return true;
    // Both ends: a match may begin on one line and end on another.
    return this.#indents && (this.#indented(start) || this.#indented(end - 1));
  }

  /** Whether any of it is code. What is too long to be parsed is told roughly. */
  holds(start: number, end: number, find: FindCode): boolean {
    this.#pieces ??= piecesOf(this.#text);
    for (const piece of between(this.#pieces, start, end)) {
      if (piece.fenced) return true;
      if (!this.#mayHold(piece, start, end)) continue;
      const code = this.#codeOf(piece, find);
      // The last that begins before the end is the only one that may reach it.
      const from = code.starts[lastUpTo(code.starts, end - 1)];
      const to = code.ends[lastUpTo(code.starts, end - 1)];
      if (from !== undefined && from < end && to! > start) return true;
    }
    return false;
  }

  #indented(index: number): boolean {
    this.#lines ??= linesOf(this.#text);
    const line = this.#lines[lastUpTo(this.#lines, index)]!;
    // The rest of a line has no part in it.
    return INDENTED.test(this.#text.slice(line, Math.min(index, line + 1_000)));
  }

  /** The same as `mayHold`, with nothing but the piece to look at. */
  #mayHold(piece: Known, start: number, end: number): boolean {
    if (piece.ticks === undefined) {
      const text = this.#text.slice(piece.start, piece.end);
      const [first, last] = [text.indexOf("`"), text.lastIndexOf("`")];
      piece.ticks = [first + piece.start, last + piece.start];
      if (first < 0) piece.ticks = [Infinity, -1];
      piece.blocks = BLOCKS.test(text);
    }
    const [first, last] = piece.ticks;
    return piece.blocks! || (first < end && last >= start);
  }

  #codeOf(piece: Known, find: FindCode): NonNullable<Known["code"]> {
    const length = piece.end - piece.start;
    if (piece.code === undefined) {
      const text = this.#text.slice(piece.start, piece.end);
      let code = findPlainly(text);
      if (
        code === undefined && length <= MAX_PIECE && length <= this.#left &&
        !NESTED.test(text)
      ) {
        this.#left -= length;
        code = find(text);
      }
      code ??= roughly(text);
      piece.code = {
        starts: code.map(([from]) => from + piece.start),
        ends: code.map(([, to]) => to + piece.start),
      };
    }
    return piece.code;
  }
}

function linesOf(text: string): number[] {
  const lines = [0];
  for (const { index } of text.matchAll(/\r\n?|\n/g)) lines.push(index + 1);
  return lines;
}

/** The pieces that `start` to `end` touches. */
function* between(
  pieces: readonly Piece[],
  start: number,
  end: number,
): Iterable<Piece> {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  for (; low < pieces.length && pieces[low]!.start < end; low++) {
    yield pieces[low]!;
  }
}
