/**
 * The only shell text of the product: descriptors and limits for a command,
 * which then takes the shell's place. It is a constant; whatever varies
 * reaches it as a positional parameter.
 */

import { type Status, statusOf } from "./status.ts";

/** What the shell ends with when it could not set things up: nothing ran. */
export const NOT_SET_UP = 125;

/**
 * $1 filter, $2 status, $3 to $6 the limits, $7 whether the shell itself writes
 * the status, each empty where it is not wanted; the command follows. `command` keeps a shell alive whose redirection failed.
 * POSIX counts `ulimit -f` in blocks of 512 bytes.
 */
const TEXT = `ulimit -c 0
if [ "$1" ]; then command exec 3<"$1" || exit ${NOT_SET_UP}; else exec 3<&-; fi
if [ "$2" ]; then command exec 4>"$2" || exit ${NOT_SET_UP}; else exec 4>&-; fi
if [ "$3" ]; then ulimit -d "$3" || exit ${NOT_SET_UP}; fi
if [ "$4" ]; then ulimit -f "$4" || exit ${NOT_SET_UP}; fi
if [ "$5" ]; then ulimit -t "$5" || exit ${NOT_SET_UP}; fi
if [ "$6" ]; then ulimit -n "$6" || exit ${NOT_SET_UP}; fi
if [ "$7" ]; then echo '{"started":true}' >&4 && exec 4>&- || exit ${NOT_SET_UP}; fi
shift 7
exec "$@"`;

/** Bounds that a process inherits; those left out stay as they are. */
export interface ProcessLimits {
  /** RLIMIT_DATA. */
  readonly dataKiB?: number;
  /** RLIMIT_FSIZE: the largest file. */
  readonly fileKiB?: number;
  /** RLIMIT_CPU: seconds of processor time. */
  readonly cpuSeconds?: number;
  /** RLIMIT_NOFILE. */
  readonly openFiles?: number;
}

/** A command and what it starts with. */
export interface Wrapped {
  /** Absolute path of a file that is open for reading as descriptor 3. */
  readonly filter?: string;
  /** Absolute path of a file that is emptied and open as descriptor 4. */
  readonly status?: string;
  /**
   * The command knows nothing of the status: the shell writes there that it
   * starts once all else is set up, and closes descriptor 4.
   */
  readonly plain?: boolean;
  readonly limits: ProcessLimits;
  /** Starts with the absolute path of a program. */
  readonly command: readonly string[];
}

/**
 * The command line that really starts: `/bin/sh` with the constant text. A
 * limit that cannot be set, or a file that cannot be opened, ends it with
 * `NOT_SET_UP` and a line on stderr before the command is reached. Windows has
 * none of this: there it is the command itself.
 */
export function wrapCommand(wrapped: Wrapped): string[] {
  const { filter = "", status = "", plain, limits, command } = wrapped;
  if (Deno.build.os === "windows") return [...command];
  return [
    "/bin/sh",
    "-c",
    TEXT,
    "skillfence",
    filter,
    status,
    whole(limits.dataKiB),
    whole(limits.fileKiB, 2),
    whole(limits.cpuSeconds),
    whole(limits.openFiles),
    plain ? "plain" : "",
    ...command,
  ];
}

function whole(value: number | undefined, times = 1): string {
  if (value === undefined) return "";
  const number = Math.floor(value * times);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new RangeError(`no limit: ${value}`);
  }
  return String(number);
}

/** Bytes of a status file that are looked at: it holds three short lines. */
const STATUS_BYTES = 4096;

/**
 * What the status file says so far. A file that is missing, empty, cut short or
 * nonsense says that nothing started.
 */
export function readStatus(path: string): Status {
  try {
    using file = Deno.openSync(path, { read: true });
    const bytes = new Uint8Array(STATUS_BYTES);
    let size = 0;
    while (size < bytes.length) {
      const read = file.readSync(bytes.subarray(size));
      if (read === null) break;
      size += read;
    }
    return statusOf(new TextDecoder().decode(bytes.subarray(0, size)));
  } catch {
    return { started: false };
  }
}
