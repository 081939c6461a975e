/** Strangers' text made safe to show, and lists and numbers in words. */

/**
 * What a reader cannot see or what changes how the rest is read: control,
 * format and bidi characters, line separators, lone surrogates, unassigned and
 * private code points, and everything Unicode calls ignorable.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/**
 * One line that shows everything in `text`: each unseen character stands as
 * `\u{202e}`. At most `max` characters come back, never cut inside an escape,
 * followed by `… (+123 characters)` when something was left off. Lone
 * surrogates count and show as one character each.
 */
export function visible(text: string, max = 200): string {
  if (text.length <= max && !UNSEEN.test(text)) return text;
  let shown = "";
  let width = 0;
  let taken = 0;
  for (const character of text) {
    const piece = UNSEEN.test(character) ? escapeOf(character) : character;
    const pieceWidth = piece === character ? 1 : piece.length;
    if (width + pieceWidth > max) {
      return `${shown}… (+${countFrom(text, taken)} characters)`;
    }
    shown += piece;
    width += pieceWidth;
    taken += character.length;
  }
  return shown;
}

/**
 * At most `most` of the words, joined by commas; the rest is counted:
 * `a, b and 3 more`.
 */
export function listed(words: readonly string[], most: number): string {
  const more = words.length - most;
  const shown = words.slice(0, most).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `count` with its thousands apart, for messages. */
export function counted(count: number): string {
  return count.toLocaleString("en-US");
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function countFrom(text: string, unit: number): number {
  let count = 0;
  for (let i = unit; i < text.length; count++) {
    i += text.codePointAt(i)! > 0xffff ? 2 : 1;
  }
  return count;
}
