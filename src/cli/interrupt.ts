/** Ctrl-C and its like: what was started ends, what was made is removed. */

/** An abort signal, and the exit code that its cause asks for. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** 128 and the signal's number; undefined when nothing came. */
  exitCode(): number | undefined;
}

const CODES: readonly (readonly [Deno.Signal, number])[] =
  Deno.build.os === "windows" ? [["SIGINT", 130], ["SIGBREAK", 149]] : [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ];

/**
 * Runs `work` with a signal that the first SIGINT, SIGTERM or SIGHUP aborts. A
 * second one ends the process at once, after `atOnce`.
 */
export async function interruptible<T>(
  work: (interrupt: Interrupt) => Promise<T>,
  atOnce: () => void,
): Promise<T> {
  const controller = new AbortController();
  let code: number | undefined;
  const listeners = CODES.map(([name, exitCode]) => {
    const listener = () => {
      if (code !== undefined) {
        atOnce();
        Deno.exit(exitCode);
      }
      code = exitCode;
      controller.abort();
    };
    Deno.addSignalListener(name, listener);
    return () => Deno.removeSignalListener(name, listener);
  });
  try {
    return await work({ signal: controller.signal, exitCode: () => code });
  } finally {
    for (const remove of listeners) remove();
  }
}
