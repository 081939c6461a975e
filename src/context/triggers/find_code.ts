/** Finds code in Markdown: by a parser, and roughly without one. */

import { FENCE_ANYWHERE } from "./message_pieces.ts";

/** Finds the code in one piece of CommonMark: offsets into it, ascending. */
export type FindCode = (text: string) => [start: number, end: number][];

/** As much of a parsed node as is read here. */
interface Node {
  readonly type: string;
  readonly position?: {
    readonly start: { readonly offset?: number | undefined };
    readonly end: { readonly offset?: number | undefined };
  } | undefined;
  readonly children?: readonly Node[];
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
    return found.sort(([a], [b]) => a - b)
      .map(([start, end]) => [start + shift, end + shift]);
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

/**
 * The same for a paragraph in which nothing but backticks means anything, which
 * most are; undefined: the text may be something else.
 */
export function findPlainly(
  text: string,
): [start: number, end: number][] | undefined {
  return PLAIN.test(text) && !/[<\\]/.test(text) ? spansOf(text) : undefined;
}

/** Lines that all begin with a letter, and a blank line or more at the end. */
const PLAIN = /^(?:\p{L}[^\r\n]*(?:\r?\n|$))+(?:[ \t]*\r?\n)*$/u;

/** The same without parsing: fences anywhere, and spans within one line. */
export function roughly(text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  let fence: { mark: string; start: number } | undefined;
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const mark = FENCE_ANYWHERE.exec(line)?.[0].slice(-3);
    if (fence === undefined && mark !== undefined) {
      fence = { mark, start: index };
    } else if (fence !== undefined && mark === fence.mark) {
      found.push([fence.start, index + line.length]);
      fence = undefined;
    } else if (fence === undefined) {
      for (const [start, end] of spansOf(line)) {
        found.push([index + start, index + end]);
      }
    }
  }
  if (fence !== undefined) found.push([fence.start, text.length]);
  return found;
}

/** A run of backticks opens code that the next run of its length closes. */
function spansOf(text: string): [start: number, end: number][] {
  const runs = [...text.matchAll(/`+/g)];
  const next: (number | undefined)[] = [];
  const last = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = runs[at]![0];
    next[at] = last.get(length);
    last.set(length, at);
  }
  const found: [number, number][] = [];
  for (let at = 0; at < runs.length; at++) {
    const closing = next[at];
    if (closing === undefined) continue;
    const { 0: mark, index } = runs[closing]!;
    found.push([runs[at]!.index, index + mark.length]);
    at = closing;
  }
  return found;
}
