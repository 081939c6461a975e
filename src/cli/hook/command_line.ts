/** A command as one line, for the shell that clients hand it to. Pure. */

const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/** The words as a POSIX shell reads them back, or `cmd.exe` on Windows. */
export function commandLine(
  words: readonly string[],
  windows: boolean,
): string {
  return words.map((word) => {
    if (PLAIN.test(word) || windows && /^[\w.:\\-]+$/.test(word)) return word;
    return windows
      ? `"${word.replaceAll('"', '\\"')}"`
      : `'${word.replaceAll("'", `'\\''`)}'`;
  }).join(" ");
}
