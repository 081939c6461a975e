/** A stranger's text between tags that it cannot close. Pure. */

import { tagEscaper } from "../../base/own_tag.ts";
import { visible } from "../../base/text.ts";

const TAG = "UNTRUSTED_CONTENT";

/** `text` with our own tag in it made harmless. */
export const escapeTag: (text: string) => string = tagEscaper(TAG);

/**
 * The text between our tags, after a line that says where it comes from.
 * `origin` is shown on one line, whatever it holds.
 */
export function untrusted(origin: string, text: string): string {
  const inside = escapeTag(text);
  const end = inside.endsWith("\n") ? "" : "\n";
  const from = escapeTag(visible(origin, 600));
  return `From ${from}:\n<${TAG}>\n${inside}${end}</${TAG}>\n`;
}
