/**
 * What of a message is code. Fences at the left margin are found line by line;
 * what lies between is parsed as CommonMark, and only as much of it as holds a
 * place that is asked about, since parsing costs more than all matching.
 */

import { lastUpTo } from "./ascending.ts";

/** Finds the code in one piece of CommonMark: offsets into it, ascending. */
export type FindCode = (text: string) => [start: number, end: number][];

/** Longest piece that is parsed, and how much of one message; UTF-16 units. */
const MAX_PIECE = 16_384;
const MAX_PARSED = 65_536;

/** A fence, wherever it may stand. */
const FENCE_ANYWHERE = /^[\s>*+\-\d.)]*(?:`{3}|~{3})/;
/** A fence that opens a block of the document itself. */
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** HTML, whose blocks take in everything up to a blank line. */
const HTML = /^ {0,3}<[a-z/]/i;
/** HTML that goes on over blank lines. */
const LONG_HTML = /^ {0,3}<(?:[!?]|(?:script|pre|style|textarea)\b)/i;
/** A line that, after a blank one, ends every list, quote and indented block. */
const FRESH = /^(?:\p{L}|\p{N}*\p{L})/u;
/** What an indented block begins with, maybe in a list or a quote. */
const INDENTED = /^[\s>*+\-\d.)]*(?: {4}|\t)/;

/** As much of a parsed node as is read here. */
interface Node {
  readonly type: string;
  readonly position?: {
    readonly start: { readonly offset?: number | undefined };
    readonly end: { readonly offset?: number | undefined };
  } | undefined;
  readonly children?: readonly Node[];
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** A fenced block; the rest is to be parsed. */
  readonly fenced: boolean;
}

/** Loads the parser. */
export async function codeFinder(): Promise<FindCode> {
  const { fromMarkdown } = await import("mdast-util-from-markdown");
  return (text) => {
    const found: [number, number][] = [];
    // Nothing that these make can hold or cut code, and some take long.
    const disable = {
      null: [
        "attention",
        "characterReference",
        "labelEnd",
        "labelStartImage",
        "labelStartLink",
      ],
    };
    collect(fromMarkdown(text, { extensions: [{ disable }] }), found);
    // The parser drops a byte order mark and counts from after it.
    const shift = text.startsWith("\ufeff") ? 1 : 0;
    return found.map(([start, end]) => [start + shift, end + shift]);
  };
}

function collect(root: Node, found: [number, number][]): void {
  // A stack of our own: quotes nest as deep as a text is long.
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === "code" || node.type === "inlineCode") {
      found.push([node.position!.start.offset!, node.position!.end.offset!]);
    } else for (const child of node.children ?? []) open.push(child);
  }
}

/** The code of one message. */
export class CodeParts {
  readonly #text: string;
  /** First and last backtick, first fence of tildes; -1: none. */
  readonly #firstTick: number;
  readonly #lastTick: number;
  readonly #tildes: number;
  readonly #ticks: boolean;
  #lines: readonly number[] | undefined;
  #pieces: readonly Piece[] | undefined;
  readonly #parsed = new Map<Piece, [number, number][]>();
  #left = MAX_PARSED;

  constructor(text: string) {
    this.#text = text;
    this.#firstTick = text.indexOf("`");
    this.#lastTick = text.lastIndexOf("`");
    this.#tildes = text.indexOf("~~~");
    this.#ticks = text.includes("```");
  }

  /** False where a look at the text around it tells that it is no code. */
  mayHold(start: number, end: number): boolean {
    if (this.#firstTick >= 0 && this.#firstTick < end) {
      if (this.#lastTick >= start || this.#ticks) return true;
    }
    if (this.#tildes >= 0 && this.#tildes < end) return true;
    // Both ends: a match may begin on one line and end on another.
    return this.#indented(start) || this.#indented(end - 1);
  }

  /** Whether any of it is code. What is too long to be parsed is none. */
  holds(start: number, end: number, find: FindCode): boolean {
    this.#pieces ??= piecesOf(this.#text);
    for (const piece of between(this.#pieces, start, end)) {
      if (piece.fenced) return true;
      for (const [from, to] of this.#codeOf(piece, find)) {
        if (from < end && start < to) return true;
      }
    }
    return false;
  }

  #indented(index: number): boolean {
    this.#lines ??= linesOf(this.#text);
    const line = this.#lines[lastUpTo(this.#lines, index)]!;
    // The rest of a line has no part in it.
    return INDENTED.test(this.#text.slice(line, Math.min(index, line + 1_000)));
  }

  #codeOf(piece: Piece, find: FindCode): [number, number][] {
    let found = this.#parsed.get(piece);
    if (found !== undefined) return found;
    found = [];
    const length = piece.end - piece.start;
    if (length <= MAX_PIECE && length <= this.#left) {
      this.#left -= length;
      found = find(this.#text.slice(piece.start, piece.end))
        .map(([from, to]) => [from + piece.start, to + piece.start]);
    }
    this.#parsed.set(piece, found);
    return found;
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

/**
 * Cuts at fences that stand at the left margin, and before paragraphs that
 * nothing above can reach into. Where that cannot be told, it does not cut.
 */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let fence: { mark: string; length: number } | undefined;
  let blank = true;
  let html = false;
  // A line may end in a bare carriage return; that is not cut up.
  let whole = /\r(?!\n)/.test(text);
  const cut = (end: number, fenced: boolean) => {
    if (end > start) pieces.push({ start, end, fenced });
    start = end;
  };
  for (let at = 0; at < text.length && !whole;) {
    const stop = text.indexOf("\n", at);
    const next = stop < 0 ? text.length : stop + 1;
    const line = text.slice(at, next).replace(/\r?\n$/, "");
    if (fence !== undefined) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (closing?.startsWith(fence.mark) && closing.length >= fence.length) {
        fence = undefined;
        cut(next, true);
      }
      // A paragraph after a fence is a fresh one.
      blank = true;
    } else {
      const opening = FENCE.exec(line);
      const marks = opening?.[1] ?? opening?.[2];
      html ||= HTML.test(line);
      if (marks !== undefined && !html) {
        cut(at, false);
        fence = { mark: marks[0]!, length: marks.length };
      } else if (FENCE_ANYWHERE.test(line) || LONG_HTML.test(line)) {
        whole = true;
      } else if (blank && FRESH.test(line)) cut(at, false);
      blank = /^[ \t]*$/.test(line);
      if (blank) html = false;
    }
    at = next;
  }
  cut(text.length, fence !== undefined);
  return pieces;
}
