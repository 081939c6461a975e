/** One line of the table, and how its numbers are written. */

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: string;
  /** The most it may be, in words; empty where nothing was promised. */
  readonly bar: string;
  readonly over: boolean;
}

/** `value` against the most it may be; without a bar it is only told. */
export function row(
  what: string,
  value: number,
  bar?: number,
  unit = "",
): Row {
  return {
    what,
    value: `${value.toFixed(2)}${unit}`,
    bar: bar === undefined ? "" : `<= ${bar}${unit}`,
    over: bar !== undefined && value > bar,
  };
}

/** Something that must hold. */
export function holds(what: string, does: boolean): Row {
  return { what, value: does ? "yes" : "no", bar: "yes", over: !does };
}

/** What this machine cannot do, and why. */
export function skipped(what: string, why: string): Row {
  return { what: `${what}: ${why}`, value: "skipped", bar: "", over: false };
}

/** Milliseconds in words: `3.1 ms`, `54 ms`. */
export function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`;
}
