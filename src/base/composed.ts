/** Strangers' text in Unicode's composed form. */

/** Putting marks in order takes time by the square of their number. */
const LONG_MARKS = /(\p{M}{32,})/u;

/**
 * The text in normal form C. Of 32 or more marks in a row, which no language
 * has, those after a letter stay as they are.
 */
export function composed(text: string): string {
  if (!LONG_MARKS.test(text)) return text.normalize("NFC");
  return text.split(LONG_MARKS)
    .map((part, index) => index % 2 === 1 ? part : part.normalize("NFC"))
    .join("");
}
