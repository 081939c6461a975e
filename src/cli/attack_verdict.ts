/** Judging a hostile script by what it left. */

/** What was seen of one attack. */
export type Seen = "held" | "got through" | "unclear";

/** What a script printed, as text. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** How Deno's permission flags, and the loader under them, refuse. */
export const FLAG_WORDS: RegExp =
  /NotCapable|Requires \w+ access|--no-remote|--no-npm/;
/** How a kernel says that something is not there, or not allowed. */
export const KERNEL_WORDS: RegExp =
  /NotFound|No such file|[Mm]odule not found|Cannot find module|\bE(?:NOENT|PERM|ACCES|ROFS|NOSYS|AFNOSUPPORT|CONNREFUSED|NETUNREACH|SRCH|NXIO|XDEV)\b|os error (?:1|2|3|13|30|38|97|101|111)\b/;

/**
 * Judges. Held only when every way that the script tried was stopped in
 * accepted words, or when it was not loaded, in accepted words: a script that
 * failed for another reason shows nothing. The secret in any output is a
 * breach, whatever else was printed.
 */
export function seenIn(
  { stdout, stderr }: Printed,
  options: { readonly secret: string; readonly words: readonly RegExp[] },
): Seen {
  const shows = stdout.includes(options.secret) ||
    stderr.includes(options.secret);
  if (shows || /^GOT/m.test(stdout)) return "got through";
  const accepted = (text: string) =>
    options.words.some((words) => words.test(text));
  const reports = stdout.match(/^HELD.*$/gm);
  if (reports === null) return accepted(stderr) ? "held" : "unclear";
  return reports.every((line) => line.split(" | ").every(accepted))
    ? "held"
    : "unclear";
}
