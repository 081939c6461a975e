/**
 * Writes `src/os/syscall_numbers.ts` from the kernel's headers as Debian's
 * `linux-libc-dev` (amd64) installs them. With `--check` it writes nothing and
 * fails when the file is not current.
 */

import { join } from "node:path";
import * as rules from "../src/os/seccomp_rules.ts";
import { say, warn } from "./say.ts";

/** The generated file. */
export const NUMBERS: string = join(
  import.meta.dirname!,
  "..",
  "src",
  "os",
  "syscall_numbers.ts",
);

const INCLUDE = "/usr/include";
/** arm64 has no table of its own: it includes the generic one. */
const TABLES = {
  x86_64: "x86_64-linux-gnu/asm/unistd_64.h",
  aarch64: "asm-generic/unistd.h",
};

const CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  "linux/audit.h": ["AUDIT_ARCH_X86_64", "AUDIT_ARCH_AARCH64"],
  "linux/bpf_common.h": [
    ...["BPF_LD", "BPF_W", "BPF_ABS", "BPF_ALU", "BPF_AND", "BPF_K"],
    ...["BPF_JMP", "BPF_JEQ", "BPF_JGT", "BPF_JSET", "BPF_RET"],
  ],
  "linux/seccomp.h": [
    "SECCOMP_RET_ALLOW",
    "SECCOMP_RET_ERRNO",
    "SECCOMP_SET_MODE_FILTER",
  ],
  "linux/sched.h": [
    ...["CLONE_THREAD", "CLONE_NEWNS", "CLONE_NEWCGROUP", "CLONE_NEWUTS"],
    ...["CLONE_NEWIPC", "CLONE_NEWUSER", "CLONE_NEWPID", "CLONE_NEWNET"],
  ],
  "linux/prctl.h": [
    "PR_SET_PDEATHSIG",
    "PR_SET_DUMPABLE",
    "PR_SET_NO_NEW_PRIVS",
  ],
  "linux/capability.h": ["_LINUX_CAPABILITY_VERSION_3"],
  "linux/close_range.h": ["CLOSE_RANGE_CLOEXEC"],
  "linux/landlock.h": [
    "LANDLOCK_CREATE_RULESET_VERSION",
    ...["EXECUTE", "WRITE_FILE", "READ_FILE", "READ_DIR", "REMOVE_DIR"].map(
      accessName,
    ),
    ...["REMOVE_FILE", "MAKE_DIR", "MAKE_REG", "REFER"].map(accessName),
  ],
  // O_NOFOLLOW is the one that arm64 has a number of its own for.
  "asm-generic/fcntl.h": [
    ...["O_WRONLY", "O_TRUNC", "O_APPEND", "O_CLOEXEC", "O_NOFOLLOW", "O_PATH"],
    ...["O_CREAT", "__O_TMPFILE"],
  ],
  "linux/stat.h": ["S_ISUID", "S_ISGID"],
  "asm-generic/poll.h": ["POLLERR", "POLLHUP"],
  "asm-generic/errno-base.h": [
    ...["EPERM", "ENOENT", "ESRCH", "E2BIG", "ENOEXEC", "EAGAIN"],
    ...["ENOMEM", "EACCES", "ENOTDIR", "EINVAL"],
  ],
  "asm-generic/errno.h": [
    ...["ENOSYS", "ELOOP", "EPROTONOSUPPORT", "EOPNOTSUPP", "EAFNOSUPPORT"],
  ],
  "asm-generic/ioctls.h": ["TIOCSTI", "TIOCLINUX"],
};

function accessName(right: string): string {
  return `LANDLOCK_ACCESS_FS_${right}`;
}

/** Every `#define NAME VALUE` of a header's text, whatever surrounds it. */
export function definesOf(header: string): Map<string, string> {
  const text = header.replace(/\/\*.*?\*\//gs, "");
  const found = new Map<string, string>();
  for (
    const [, name, value] of text.matchAll(
      /^#\s*define\s+(\w+)[ \t]+(\S.*?)\s*$/gm,
    )
  ) {
    // The generic headers define a number once; later lines are for others.
    if (!found.has(name!)) found.set(name!, value!);
  }
  return found;
}

/** The value of a constant: numbers, shifts, `|` and names of `defines`. */
export function valueOf(
  text: string,
  defines: ReadonlyMap<string, string>,
): number {
  const bare = text.trim().replace(/^\((.*)\)$/, "$1").trim();
  if (bare.includes("|")) {
    return bare.split("|").reduce(
      (sum, part) => (sum | valueOf(part, defines)) >>> 0,
      0,
    );
  }
  const shift = /^1U?L{0,2}\s*<<\s*(\d+)$/.exec(bare);
  if (shift) return 2 ** Number(shift[1]);
  const number = /^(0x[0-9a-f]+|\d+)U?L{0,2}$/i.exec(bare)?.[1];
  if (number !== undefined) {
    return /^0\d/.test(number) ? parseInt(number, 8) : Number(number);
  }
  const other = defines.get(bare);
  if (other === undefined) throw new Error(`no value is known for "${bare}"`);
  return valueOf(other, defines);
}

/** The whole file. Throws when a header or a name is missing. */
export async function syscallNumbers(): Promise<string> {
  const header = (name: string): Promise<string> =>
    Deno.readTextFile(join(INCLUDE, name));
  const [x86, arm] = [
    definesOf(await header(TABLES.x86_64)),
    definesOf(await header(TABLES.aarch64)),
  ];
  const names = [
    ...rules.REFUSED,
    ...rules.UNKNOWN,
    ...rules.ON_ITSELF.map(([name]) => name),
    ...rules.MODES.map(({ name }) => name),
    ...rules.QUESTIONS.map(([name]) => name),
    rules.LAST_KNOWN,
    ...rules.OTHERS,
  ].sort();
  const number = (name: string, defines: ReadonlyMap<string, string>) => {
    const text = defines.get(`__NR_${name}`);
    return text === undefined ? "null" : String(valueOf(text, defines));
  };
  const unknown = names.find((name) => !x86.has(`__NR_${name}`));
  if (unknown !== undefined) throw new Error(`no header has ${unknown}`);
  const every = new Map(definesOf(await header("linux/elf-em.h")));
  const constants: string[] = [];
  for (const [file, wanted] of Object.entries(CONSTANTS)) {
    for (const [name, value] of definesOf(await header(file))) {
      every.set(name, value);
    }
    for (const name of wanted) {
      constants.push(`  ${name}: ${written(name, every)},`);
    }
  }
  return [
    "/**",
    " * Numbers of the kernel's interface, generated by `tools/generate_syscalls.ts`",
    " * from Debian's `linux-libc-dev`; do not edit. arm64's are untested.",
    " */",
    "",
    "/** What numbers are known for. */",
    'export type Arch = "x86_64" | "aarch64";',
    "",
    "/** A call that the filter or the launcher names; x86_64 has them all. */",
    "export type SyscallName = keyof typeof NUMBERS;",
    "",
    "/** A call's number; undefined for those that arm64 never had. */",
    "export function syscallNumber(",
    "  arch: Arch,",
    "  name: SyscallName,",
    "): number | undefined {",
    '  return NUMBERS[name][arch === "x86_64" ? 0 : 1] ?? undefined;',
    "}",
    "",
    "/** For x86_64, and for aarch64. */",
    "const NUMBERS = {",
    ...names.map((name) =>
      `  ${name}: [${number(name, x86)}, ${number(name, arm)}],`
    ),
    "} as const;",
    "",
    "/** Constants by the headers' names. */",
    "export const KERNEL = {",
    ...constants,
    "} as const;",
    "",
  ].join("\n");
}

function written(name: string, defines: ReadonlyMap<string, string>): string {
  const value = valueOf(name, defines);
  return value > 0xffff ? `0x${value.toString(16)}` : String(value);
}

if (import.meta.main) {
  const text = await syscallNumbers();
  const current = await Deno.readTextFile(NUMBERS).catch(() => "");
  if (!Deno.args.includes("--check")) {
    await Deno.writeTextFile(NUMBERS, text);
    say(NUMBERS);
  } else if (current !== text) {
    warn("src/os/syscall_numbers.ts is not current: run this without --check");
    Deno.exit(1);
  }
}
