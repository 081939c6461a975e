/** A few words of classic BPF, as seccomp filters are written in. */

import { KERNEL } from "./syscall_numbers.ts";

/** One `struct sock_filter` of linux/filter.h. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip when a test holds, and when it does not. */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** How the loaded word is compared: equal, greater (unsigned), any bit set. */
export type Test = "equal" | "above" | "any";

const SIZE = 8;
const JUMP_MOST = 0xff;
const TESTS: Readonly<Record<Test, number>> = {
  equal: KERNEL.BPF_JEQ,
  above: KERNEL.BPF_JGT,
  any: KERNEL.BPF_JSET,
};

/** Loads the 32-bit word at a byte offset of `struct seccomp_data`. */
export function load(offset: number): Instruction {
  const code = KERNEL.BPF_LD | KERNEL.BPF_W | KERNEL.BPF_ABS;
  return { code, jt: 0, jf: 0, k: offset };
}

/** Ends the program with an action. */
export function give(action: number): Instruction {
  return { code: KERNEL.BPF_RET | KERNEL.BPF_K, jt: 0, jf: 0, k: action };
}

/** `body` where the test holds; else what follows. */
export function when(
  test: Test,
  k: number,
  body: readonly Instruction[],
): Instruction[] {
  return [jump(test, k, { jt: 0, jf: body.length }), ...body];
}

/** `body` where the test does not hold; else what follows. */
export function unless(
  test: Test,
  k: number,
  body: readonly Instruction[],
): Instruction[] {
  return [jump(test, k, { jt: body.length, jf: 0 }), ...body];
}

function jump(
  test: Test,
  k: number,
  to: { jt: number; jf: number },
): Instruction {
  if (to.jt > JUMP_MOST || to.jf > JUMP_MOST) {
    throw new RangeError("a BPF jump goes over 255 instructions at most");
  }
  return { code: KERNEL.BPF_JMP | TESTS[test] | KERNEL.BPF_K, k, ...to };
}

/** The program's bytes; both supported architectures are little-endian. */
export function encode(
  program: readonly Instruction[],
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * SIZE);
  const view = new DataView(bytes.buffer);
  for (const [at, { code, jt, jf, k }] of program.entries()) {
    view.setUint16(at * SIZE, code, true);
    view.setUint8(at * SIZE + 2, jt);
    view.setUint8(at * SIZE + 3, jf);
    view.setUint32(at * SIZE + 4, k, true);
  }
  return bytes;
}
