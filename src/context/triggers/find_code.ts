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
      for (const span of line.matchAll(/(?<!`)(`+)(?!`)[^`]+\1(?!`)/g)) {
        found.push([index + span.index, index + span.index + span[0].length]);
      }
    }
  }
  if (fence !== undefined) found.push([fence.start, text.length]);
  return found;
}
