/** A stranger's text between tags that it cannot close. Pure. */

import { visible } from "../../base/text.ts";

const TAG = "UNTRUSTED_CONTENT";

/** The tag, opening or closing, in any case and with anything unseen inside. */
const UNSEEN = String.raw`[\s\p{C}\p{Default_Ignorable_Code_Point}]*`;
const OWN_TAG = new RegExp(
  `<(?=${UNSEEN}(?:/${UNSEEN})?${[...TAG].join(UNSEEN)})`,
  "giu",
);

/** `text` with our own tag in it made harmless: its `<` becomes `&lt;`. */
export function escapeTag(text: string): string {
  return text.replace(OWN_TAG, "&lt;");
}

/**
 * The text between our tags, after a line that says where it comes from.
 * `origin` is shown on one line, whatever it holds.
 */
export function untrusted(origin: string, text: string): string {
  const inside = escapeTag(text);
  const end = inside.endsWith("\n") ? "" : "\n";
  return `From ${visible(origin, 600)}:\n<${TAG}>\n${inside}${end}</${TAG}>\n`;
}
