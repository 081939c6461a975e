/** Lines for the person who runs a tool. */

const encoder = new TextEncoder();

/** Writes one line to stdout. */
export function say(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

/** Writes one line to stderr. */
export function warn(line: string): void {
  Deno.stderr.writeSync(encoder.encode(`${line}\n`));
}
