/** Where in the frontmatter something is wrong, what, and how to fix it. */

import { visible } from "../base/text.ts";

/** What the parser stumbled on, in one sentence. */
export function wordsFor(error: { code: string; message: string }): string {
  if (error.code === "RESOURCE_EXHAUSTION") {
    return "the YAML is nested too deeply";
  }
  if (error.code === "MULTIPLE_DOCS") {
    return "the frontmatter holds more than one YAML document";
  }
  return visible(error.message.replace(/\s+/g, " "), 160);
}

/** What to do about it; `key` is the top-level key it lies in. */
export function hintFor(code: string, message: string, key?: string): string {
  const shownKey = key === undefined ? "key" : visible(key, 60);
  switch (code) {
    case "TAB_AS_INDENT":
      return "Indent with blanks, not tabs.";
    case "TAG_RESOLVE_FAILED":
      return "Remove the tag (the !word), or quote the value.";
    case "MULTIPLE_DOCS":
      return "Remove the line that holds three dots.";
    case "RESOURCE_EXHAUSTION":
      return "Use fewer levels.";
    case "BAD_DQ_ESCAPE":
      return "Double the backslash, or use 'single' quotes.";
    case "BAD_INDENT":
      return message.startsWith("Flow")
        ? "Close the bracket, or quote the value."
        : "Line up the keys that belong together.";
    case "MISSING_CHAR":
    case "MULTILINE_IMPLICIT_KEY":
      return message.includes("quote")
        ? "Close the quote."
        : "Write key: value, and indent a line that continues the one above.";
    default:
      return `Quote the value, as in ${shownKey}: "..." or ${shownKey}: '...'.`;
  }
}

/** The top-level key whose value the offset lies in. */
export function topKeyAt(source: string, offset: number): string | undefined {
  const upTo = source.slice(0, offset + 1);
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = source.indexOf("\n", start);
  const lines = upTo.slice(0, start).split("\n").slice(0, -1);
  lines.push(source.slice(start, lineEnd < 0 ? undefined : lineEnd));
  for (const line of lines.reverse()) {
    const key = /^([^\s#:'"[\]{},?-][^:]{0,99}):(?:\s|$)/.exec(line);
    if (key !== null) return key[1];
  }
  return undefined;
}

/** Line 1 of SKILL.md is the opening fence. */
export function positionIn(
  source: string,
  offset: number,
): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length + 1, column: [...before.at(-1)!].length + 1 };
}
