/** Our own tags in strangers' text, made harmless. Pure. */

const UNSEEN = String.raw`[\s\p{C}\p{Default_Ignorable_Code_Point}]*`;

/**
 * A function that gives a text in which nothing reads as this tag, opening or
 * closing, in any case and with anything unseen inside: its `<` becomes `&lt;`.
 */
export function tagEscaper(tag: string): (text: string) => string {
  const pattern = new RegExp(
    `<(?=${UNSEEN}(?:/${UNSEEN})?${[...tag].join(UNSEEN)})`,
    "giu",
  );
  return (text) => text.replace(pattern, "&lt;");
}
