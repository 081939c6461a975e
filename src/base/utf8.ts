/** UTF-8 read without mangling: what is valid, what is cut, where it breaks. */

/** Text read from bytes. */
export interface DecodedText {
  /** Without a byte order mark. Invalid bytes stand as U+FFFD. */
  readonly text: string;
  /** Index of the first byte that is not UTF-8; undefined when all are. */
  readonly invalidAt: number | undefined;
}

/**
 * Decodes UTF-8. With `cut`, the bytes are known to be the start of more, and
 * a character cut at their end is left off rather than called invalid.
 */
export function decodeUtf8(
  bytes: Uint8Array,
  options: { readonly cut?: boolean } = {},
): DecodedText {
  const whole = options.cut === true
    ? bytes.subarray(0, wholeCharacters(bytes))
    : bytes;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(whole);
    return { text, invalidAt: undefined };
  } catch {
    const text = new TextDecoder().decode(whole);
    return { text, invalidAt: firstInvalid(whole) };
  }
}

/**
 * How many of the leading bytes remain when a character that is incomplete at
 * the end is left off: `length` or up to three less.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? length - back : length;
  }
  return length;
}

function firstInvalid(bytes: Uint8Array): number {
  // The longest start that could still go on well, by halving; a character
  // left incomplete at its end is the invalid one.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (couldGoOn(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return wholeCharacters(bytes.subarray(0, good));
}

function couldGoOn(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
