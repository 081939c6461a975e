/** What the command line writes to, so that tests and pipes are one case. */

/** Colours by meaning. Each is the identity when colour is off. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Standard output and error, and what is known about them. */
export interface Screen {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string | Uint8Array) => void;
  /** Width of the terminal on stdout; undefined for a pipe or a file. */
  readonly columns: number | undefined;
  readonly errIsTerminal: boolean;
  readonly inIsTerminal: boolean;
  /** For stdout. */
  readonly paint: Paint;
}

/** A `Paint` that colours, or one that does nothing. */
export function paintFor(color: boolean): Paint {
  const wrap = (open: number, close: number) => (text: string) =>
    color ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    strong: wrap(1, 22),
    quiet: wrap(2, 22),
    good: wrap(32, 39),
    warn: wrap(33, 39),
    bad: wrap(31, 39),
  };
}

/**
 * The process's own screen. Colour is on only on a terminal that is not `dumb`
 * and without `NO_COLOR` (set and not empty, as no-color.org asks).
 */
export function processScreen(
  env: (name: string) => string | undefined,
): Screen {
  const terminal = Deno.stdout.isTerminal();
  return {
    out: (text) => writeAll(Deno.stdout, text),
    err: (text) => writeAll(Deno.stderr, text),
    columns: terminal ? terminalColumns() : undefined,
    errIsTerminal: Deno.stderr.isTerminal(),
    inIsTerminal: Deno.stdin.isTerminal(),
    paint: paintFor(terminal && !env("NO_COLOR") && env("TERM") !== "dumb"),
  };
}

function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}

/** A reader that went away (`skillfence list | head`) ends the output quietly. */
function writeAll(
  stream: { writeSync(p: Uint8Array): number },
  text: string | Uint8Array,
): void {
  const bytes = typeof text === "string"
    ? new TextEncoder().encode(text)
    : text;
  try {
    for (let at = 0; at < bytes.length;) {
      at += stream.writeSync(bytes.subarray(at));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
