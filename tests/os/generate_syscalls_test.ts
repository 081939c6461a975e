import assert from "node:assert/strict";
import {
  type SyscallName,
  syscallNumber,
} from "../../src/os/syscall_numbers.ts";
import {
  definesOf,
  NUMBERS,
  syscallNumbers,
  valueOf,
} from "../../tools/generate_syscalls.ts";
import { needs } from "../support/kernel.ts";

Deno.test({
  name: "syscallNumbers: the committed file is what the kernel's headers give",
  ...needs("headers"),
  async fn() {
    // Debian's linux-libc-dev for amd64; without it this fails on its path.
    assert.equal(await Deno.readTextFile(NUMBERS), await syscallNumbers());
  },
});

Deno.test("syscallNumbers: numbers known by heart", () => {
  const both = (name: SyscallName) => [
    syscallNumber("x86_64", name),
    syscallNumber("aarch64", name),
  ];
  assert.deepEqual(both("ptrace"), [101, 117]);
  assert.deepEqual(both("socket"), [41, 198]);
  assert.deepEqual(both("clone"), [56, 220]);
  assert.deepEqual(both("fork"), [57, undefined]);
  assert.deepEqual(both("landlock_restrict_self"), [446, 446]);
});

Deno.test("definesOf: comments and continuation do not hide or make a name", () => {
  const defines = definesOf(
    "#define A 1 /* one */\n/*\n#define B 2\n*/\n# define C (A | 0x10)\n#define F(x) x\n",
  );
  assert.deepEqual([...defines], [["A", "1"], ["C", "(A | 0x10)"]]);
});

Deno.test("valueOf: numbers of every base, shifts, names, or an error", () => {
  const defines = new Map([["A", "0x80000000"], ["B", "062"]]);
  assert.equal(valueOf("(A|B)", defines), 0x80000000 + 50);
  assert.equal(valueOf("(1ULL << 13)", defines), 8192);
  assert.equal(valueOf("0x7fff0000U", defines), 0x7fff0000);
  assert.throws(() => valueOf("sizeof(int)", defines), /no value is known/);
});
