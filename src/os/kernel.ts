/** System calls by name, made from the calling thread over FFI. */

import { KERNEL, type SyscallName, syscallNumber } from "./syscall_numbers.ts";

/** A number, or bytes that the call is given the address of. */
export type Argument = number | bigint | Uint8Array<ArrayBuffer>;

const LONG = "i64";
const SYMBOLS = {
  syscall: {
    parameters: [LONG, LONG, LONG, LONG, LONG, LONG, LONG],
    result: LONG,
  },
  __errno_location: { parameters: [], result: "pointer" },
} as const;

/** glibc's name, and musl's. */
const LIBRARIES: readonly string[] = [
  "libc.so.6",
  `libc.musl-${Deno.build.arch}.so.1`,
];

/**
 * The kernel as this thread reaches it. Rules that a call puts on its thread
 * are on no other, until `execve` ends the others.
 */
export class Kernel {
  readonly #symbols: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
  readonly #errno: Deno.UnsafePointerView;
  /** Held, so that addresses stay valid until the call has returned. */
  #held: readonly Argument[] = [];

  /** Throws where there is no Linux C library to call. */
  constructor() {
    this.#symbols = openLibrary().symbols;
    const errno = this.#symbols.__errno_location();
    if (errno === null) throw new Error("the C library has no errno");
    this.#errno = new Deno.UnsafePointerView(errno);
  }

  /** What the call returned; when it failed, its error number, negative. */
  call(name: SyscallName, ...args: Argument[]): number {
    const number = syscallNumber(Deno.build.arch, name);
    if (number === undefined) return -KERNEL.ENOSYS;
    this.#held = args;
    const [a, b, c, d, e, f] = this.#held.map(word);
    const result = this.#symbols.syscall(
      BigInt(number),
      a ?? 0n,
      b ?? 0n,
      c ?? 0n,
      d ?? 0n,
      e ?? 0n,
      f ?? 0n,
    );
    return result === -1n ? -this.#errno.getInt32() : Number(result);
  }
}

function openLibrary(): Deno.DynamicLibrary<typeof SYMBOLS> {
  const reasons: string[] = [];
  for (const library of LIBRARIES) {
    try {
      return Deno.dlopen(library, SYMBOLS);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(reasons[0]);
}

function word(argument: Argument): bigint {
  return argument instanceof Uint8Array
    ? BigInt(addressOf(argument))
    : BigInt(argument);
}

/** Where bytes lie, valid as long as something else keeps them alive. */
export function addressOf(bytes: Uint8Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

/** A text as C wants it. Throws when a NUL is within it, which would end it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes("\0")) throw new TypeError("a NUL within a C string");
  return new TextEncoder().encode(`${text}\0`);
}

/** A `char *[]` of these strings, ended by NULL, and what it points at. */
export class CStrings {
  readonly pointers: Uint8Array<ArrayBuffer>;
  /** Held here, so that the pointers stay valid. */
  readonly #strings: readonly Uint8Array<ArrayBuffer>[];

  constructor(strings: readonly Uint8Array<ArrayBuffer>[]) {
    this.#strings = strings;
    this.pointers = new Uint8Array(8 * (strings.length + 1));
    const words = new BigUint64Array(this.pointers.buffer);
    for (const [at, bytes] of this.#strings.entries()) {
      words[at] = addressOf(bytes);
    }
  }
}

/** An error number's name, for the few that setting up a process may meet. */
export function errorOf(number: number): string {
  const name = Object.entries(KERNEL).find(([name, value]) =>
    /^E[A-Z0-9]+$/.test(name) && value === number
  );
  return name?.[0] ?? `error ${number}`;
}
