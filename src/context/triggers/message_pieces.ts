/** A message cut where no block of CommonMark can reach across. */

/** A fence, wherever it may stand. */
export const FENCE_ANYWHERE = /^[\s>*+\-\d.)]*(?:`{3}|~{3})/;
/** A fence that opens a block of the document itself. */
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** One that may, when it is not in an item of a list. */
const INDENTED_FENCE = /^ {1,3}(?:`{3}|~{3})/;
/** HTML, whose blocks take in everything up to a blank line. */
const HTML = /^ {0,3}<[a-z/]/i;
/** HTML that goes on over blank lines. */
const LONG_HTML = /^ {0,3}<(?:[!?]|(?:script|pre|style|textarea)\b)/i;
/** A line that, after a blank one, begins a block of the document itself. */
const FRESH = /^\S/;
/** One that does so after any line: a heading, an item of a list. */
const FRESH_ANYWHERE = /^(?:#{1,6}|[*+-]) [\p{L}`]/u;

/** A part of a message, in UTF-16 units. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** A fenced block; the rest is to be parsed. */
  readonly fenced: boolean;
}

/**
 * Cuts at fences that stand at the left margin, and before paragraphs that
 * nothing above can reach into. Where that cannot be told, it does not cut.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let fence: { mark: string; length: number } | undefined;
  let blank = true;
  let html = false;
  // A line may end in a bare carriage return; that is not cut up.
  let whole = text.includes("\r") && /\r(?!\n)/.test(text);
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
      } else if (
        marks !== undefined || INDENTED_FENCE.test(line) || LONG_HTML.test(line)
      ) {
        whole = true;
      } else if (
        blank ? FRESH.test(line) : !html && FRESH_ANYWHERE.test(line)
      ) cut(at, false);
      blank = /^[ \t]*$/.test(line);
      if (blank) html = false;
    }
    at = next;
  }
  cut(text.length, fence !== undefined);
  return pieces;
}
