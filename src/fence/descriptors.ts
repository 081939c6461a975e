/**
 * Marks every descriptor above 2 close-on-exec. `Deno.Command` passes inherited
 * ones on, and an inherited socket can be used by a script without any
 * permission, so the server does this once, before it starts anything.
 */

/** `CLOSE_RANGE_CLOEXEC` of linux/close_range.h. */
const CLOSE_RANGE_CLOEXEC = 4;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const FIRST = 3;
const LAST = 0xffffffff;

/** Outcome in words for `doctor` and the log. */
export interface DescriptorState {
  readonly closed: boolean;
  readonly note: string;
}

/**
 * Makes descriptors above 2 stay out of every later child. Linux only: glibc's
 * or musl's `close_range`, else `fcntl` on each. Fails soft, with the reason.
 */
export function keepDescriptorsFromChildren(): DescriptorState {
  if (Deno.build.os !== "linux") {
    return {
      closed: false,
      note: "inherited descriptors are not closed on this system",
    };
  }
  const reasons: string[] = [];
  for (const library of libraryNames()) {
    for (const mark of [markByRange, markOneByOne]) {
      try {
        mark(library);
        return {
          closed: true,
          note: "descriptors above 2 do not reach a script",
        };
      } catch (error) {
        reasons.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return {
    closed: false,
    note: `inherited descriptors could not be closed: ${
      reasons[0] ?? "unknown"
    }`,
  };
}

function libraryNames(): string[] {
  return ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`, "libc.so"];
}

function markByRange(library: string): void {
  const libc = Deno.dlopen(library, {
    close_range: { parameters: ["u32", "u32", "i32"], result: "i32" },
  });
  const result = libc.symbols.close_range(FIRST, LAST, CLOSE_RANGE_CLOEXEC);
  libc.close();
  if (result !== 0) throw new Error("close_range is not available here");
}

/** Kernels before 5.11 and C libraries before 2.34 lack the range call. */
function markOneByOne(library: string): void {
  const libc = Deno.dlopen(library, {
    fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  });
  for (const entry of Deno.readDirSync("/proc/self/fd")) {
    const descriptor = Number(entry.name);
    if (descriptor >= FIRST) {
      // The listing's own descriptor is gone by now: EBADF is no failure.
      libc.symbols.fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
  }
  libc.close();
}
