/** Where the frontmatter ends and the body begins. Small: it knows no YAML. */

/** Where the frontmatter lies in a SKILL.md. */
export type Split =
  | { readonly kind: "none" | "unterminated"; readonly body: string }
  | { readonly kind: "block"; readonly yaml: string; readonly body: string };

/**
 * Splits text (without byte order mark) at its frontmatter fences. LF and CRLF
 * both end a line; the closing fence may be the end of the text and may follow
 * the opening one at once. `body` is verbatim, and the whole text when there is
 * no block.
 */
export function splitFrontmatter(text: string): Split {
  const opening = /^---[ \t]*(?=\r?\n)/.exec(text);
  if (opening === null) return { kind: "none", body: text };
  const start = opening[0].length;
  for (
    let newline = text.indexOf("\n---", start);
    newline >= 0;
    newline = text.indexOf("\n---", newline + 1)
  ) {
    const lineEnd = text.indexOf("\n", newline + 1);
    const line = text.slice(newline + 1, lineEnd < 0 ? undefined : lineEnd);
    if (!/^---[ \t]*\r?$/.test(line)) continue;
    // The line before may end in CRLF, whose CR belongs to its end.
    const end = text[newline - 1] === "\r" ? newline - 1 : newline;
    return {
      kind: "block",
      yaml: end <= start ? "" : text.slice(text.indexOf("\n", start) + 1, end),
      body: lineEnd < 0 ? "" : text.slice(lineEnd + 1),
    };
  }
  return { kind: "unterminated", body: text };
}
