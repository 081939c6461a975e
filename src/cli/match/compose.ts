/** The text that a hook hands over: whole where it fits, else named. Pure. */

/** One hit, in its two forms. */
export interface HitText {
  /** Its block, with the skill's content; undefined when there is none. */
  readonly block: string | undefined;
  /** A line that says how to get the content. */
  readonly line: string;
}

/**
 * Hits in their order: each as its block where that still fits, and as its line
 * where not. Those that do not fit even so are counted. `fits` is asked about
 * texts that only grow. Undefined when nothing fits.
 */
export function compose(
  hits: readonly HitText[],
  fits: (text: string) => boolean,
): string | undefined {
  const shown: string[] = [];
  for (const { line } of hits) {
    if (!fits(joined([...shown, line, more(hits.length)]))) break;
    shown.push(line);
  }
  if (shown.length === 0) return undefined;
  const rest = hits.length - shown.length;
  const tail = rest === 0 ? [] : [more(rest)];
  for (const [index, { block }] of hits.slice(0, shown.length).entries()) {
    if (block === undefined) continue;
    const line = shown[index]!;
    shown[index] = block;
    if (!fits(joined([...shown, ...tail]))) shown[index] = line;
  }
  return joined([...shown, ...tail]);
}

function joined(parts: readonly string[]): string {
  return parts.join("\n\n");
}

function more(count: number): string {
  return `${count} more skills match; skill_match names them.`;
}
