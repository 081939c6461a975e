/** How long an answer may take, counted from the start of the process. */

/** Milliseconds that printing and ending take. */
const END_MS = 30;
/** What a start takes before the first line of ours, where it cannot be told. */
const START_MS = 80;
/** Ticks of `/proc`, per second: fixed on Linux. */
const TICKS = 100;

/** A moment after which nothing is said. */
export class Deadline {
  readonly #at: number;

  /** `left` are milliseconds from now. */
  constructor(left: number) {
    this.#at = performance.now() + left;
  }

  /** Milliseconds; 0 when it has passed. */
  left(): number {
    return Math.max(0, this.#at - performance.now());
  }

  passed(): boolean {
    return this.left() === 0;
  }

  /** Resolves when it has passed, with `value`. */
  async wait<T>(value: T): Promise<T> {
    while (!this.passed()) {
      await new Promise((resolve) => setTimeout(resolve, this.left()));
    }
    return value;
  }
}

/** The deadline of a process that may take so many milliseconds. */
export function answerDeadline(withinMs: number): Deadline {
  return new Deadline(withinMs - END_MS - sinceStart());
}

/** Milliseconds since the process was started. */
function sinceStart(): number {
  const own = performance.now();
  if (Deno.build.os !== "linux") return own + START_MS;
  try {
    // Fields are counted behind the name, which may hold anything.
    const stat = Deno.readTextFileSync("/proc/self/stat");
    const started = Number(
      stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19],
    );
    const [uptime] = Deno.readTextFileSync("/proc/uptime").split(" ");
    const since = Number(uptime) * 1000 - started * 1000 / TICKS;
    return since >= own && since < 60_000 ? since : own + START_MS;
  } catch {
    return own + START_MS;
  }
}
