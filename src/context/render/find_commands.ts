/** Finding the commands of a text, as CommonMark reads it. */

import type { FoundCommand } from "../types.ts";
import { costly, MAX_MS, readingGuard } from "./reading_guard.ts";

/** What of a text is not plain: commands, and backslashes that only escape. */
export interface FoundMarks {
  readonly commands: readonly FoundCommand[];
  /** Offsets of the backslashes of `\!` right before a code span. */
  readonly escapes: readonly number[];
  /** In words, why nothing was looked for; undefined: all of it was read. */
  readonly unread: string | undefined;
}

/** The part of a syntax tree's node that is looked at. */
interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly position?: {
    readonly start: { readonly offset?: number };
    readonly end: { readonly offset?: number };
  };
}

const NOTHING: FoundMarks = { commands: [], escapes: [], unread: undefined };
const BOM = "\ufeff";
/** Their text is a label, which an output could break out of. */
const LABELS: readonly string[] = ["link", "linkReference"];
const VOID =
  /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i;

/**
 * The commands of a text in their order; none where it cannot be read, or not
 * in about so many milliseconds.
 */
export async function findCommands(
  text: string,
  withinMs: number = MAX_MS,
): Promise<FoundCommand[]> {
  return [...(await findMarks(text, withinMs)).commands];
}

/**
 * Commands and escapes. Only an inline code span directly after an unescaped
 * `!` counts, outside code blocks, HTML, comments, links and images. The parser
 * is loaded for a text that may hold one. Never throws.
 */
export async function findMarks(
  text: string,
  withinMs: number = MAX_MS,
): Promise<FoundMarks> {
  if (!text.includes("!`")) return NOTHING;
  const why = costly(text);
  if (why !== undefined) return { ...NOTHING, unread: why };
  const { fromMarkdown } = await import("mdast-util-from-markdown");
  // The parser leaves a byte order mark out of its offsets.
  const shift = text.startsWith(BOM) ? 1 : 0;
  const guard = readingGuard(withinMs);
  try {
    const tree: Node = fromMarkdown(text.slice(shift), {
      extensions: [guard.extension],
    });
    return marksIn(tree, text, shift);
  } catch {
    return { ...NOTHING, unread: guard.why };
  }
}

function marksIn(tree: Node, text: string, shift: number): FoundMarks {
  const commands: FoundCommand[] = [];
  const escapes: number[] = [];
  // Without recursion: a text decides how deep this goes.
  const waiting: Node[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (LABELS.includes(node.type)) continue;
    const children = node.children ?? [];
    waiting.push(...children);
    for (const span of outsideTags(children, text, shift)) {
      const start = span.start - 1;
      if (text[start] !== "!") continue;
      if (slashesBefore(text, start) % 2 === 1) escapes.push(start - 1);
      else {
        const { end } = span;
        const inner = between(text.slice(span.start, end));
        if (inner.trim() !== "") commands.push({ start, end, text: inner });
      }
    }
  }
  commands.sort((a, b) => a.start - b.start);
  escapes.sort((a, b) => a - b);
  return { commands, escapes, unread: undefined };
}

/** Backslashes right before `end`. */
function slashesBefore(text: string, end: number): number {
  let start = end;
  while (text[start - 1] === "\\") start--;
  return end - start;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The code spans among siblings that stand within no HTML element there. */
function outsideTags(
  siblings: readonly Node[],
  text: string,
  shift: number,
): Span[] {
  const spans: Span[] = [];
  let open = 0;
  for (const { type, position } of siblings) {
    const start = (position?.start.offset ?? 0) + shift;
    const end = (position?.end.offset ?? 0) + shift;
    if (type === "inlineCode" && open === 0) spans.push({ start, end });
    if (type !== "html") continue;
    const tag = text.slice(start, end);
    if (/^<\//.test(tag)) open = Math.max(0, open - 1);
    else if (/^<[a-z]/i.test(tag) && !tag.endsWith("/>") && !VOID.test(tag)) {
      open++;
    }
  }
  return spans;
}

/** What a code span holds; CommonMark leaves one blank off at both ends. */
function between(span: string): string {
  const ticks = /^`+/.exec(span)![0].length;
  const inner = span.slice(ticks, -ticks);
  return /^[ \r\n].*[^ \r\n].*[ \r\n]$/s.test(inner)
    ? inner.slice(1, -1)
    : inner;
}
