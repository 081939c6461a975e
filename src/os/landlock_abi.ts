/**
 * Landlock's rights and structures, by ABI: landlock(7) and the kernel's
 * Documentation/userspace-api/landlock.rst.
 */

import { cString, type Kernel } from "./kernel.ts";
import { KERNEL } from "./syscall_numbers.ts";

/** `LANDLOCK_RULE_PATH_BENEATH` of enum landlock_rule_type. */
const PATH_BENEATH = 1;
/** Of ABI 3, which Debian 12's headers are too old for. */
const TRUNCATE = 1 << 14;

const {
  LANDLOCK_ACCESS_FS_EXECUTE: EXECUTE,
  LANDLOCK_ACCESS_FS_READ_FILE: READ_FILE,
  LANDLOCK_ACCESS_FS_READ_DIR: READ_DIR,
  LANDLOCK_ACCESS_FS_WRITE_FILE: WRITE_FILE,
} = KERNEL;
const READ = READ_FILE | READ_DIR;
const WRITE = WRITE_FILE | TRUNCATE;
/** The only rights that a rule on a file may name. */
const OF_FILES = EXECUTE | READ_FILE | WRITE;

/**
 * What is allowed beneath a path, by the launcher's options. Nobody may make
 * links, sockets, FIFOs or devices: a server would meet them later.
 */
export const RIGHTS = {
  exec: EXECUTE | READ,
  ro: READ,
  wo: WRITE,
  rw: READ | WRITE | KERNEL.LANDLOCK_ACCESS_FS_MAKE_REG |
    KERNEL.LANDLOCK_ACCESS_FS_MAKE_DIR | KERNEL.LANDLOCK_ACCESS_FS_REMOVE_DIR |
    KERNEL.LANDLOCK_ACCESS_FS_REMOVE_FILE | KERNEL.LANDLOCK_ACCESS_FS_REFER,
} as const;

/** The ABI that truncation is known since, without which files can be emptied. */
export const ABI_NEEDED = 3;
const ABI_NET = 4;
const ABI_IOCTL = 5;
/** Abstract sockets and signals are bounded from here on. */
export const ABI_SCOPES = 6;

/** How many rights on files each ABI knows, from the lowest bit. */
function fileRights(abi: number): number {
  return abi >= ABI_IOCTL ? 16 : 15;
}

/** The kernel's ABI; negative: the error number that says why there is none. */
export function landlockAbi(kernel: Kernel): number {
  return kernel.call(
    "landlock_create_ruleset",
    0,
    0,
    KERNEL.LANDLOCK_CREATE_RULESET_VERSION,
  );
}

/**
 * A new ruleset's descriptor, or a negative error number. It handles every
 * right on files that the ABI and we know, binding and connecting over TCP
 * unless `ip`, and scopes abstract sockets and signals.
 */
export function createRuleset(
  kernel: Kernel,
  { abi, ip }: { abi: number; ip: boolean },
): number {
  // struct landlock_ruleset_attr: what an older kernel lacks must be zero.
  const attributes = new BigUint64Array([
    (1n << BigInt(fileRights(abi))) - 1n,
    abi >= ABI_NET && !ip ? 0b11n : 0n,
    abi >= ABI_SCOPES ? 0b11n : 0n,
  ]);
  const bytes = new Uint8Array(attributes.buffer);
  return kernel.call("landlock_create_ruleset", bytes, bytes.length, 0);
}

/** Allows `rights` on the file, or beneath the directory, of a descriptor. */
export function allowBeneath(
  kernel: Kernel,
  ruleset: number,
  { fd, isDirectory, rights }: {
    fd: number;
    isDirectory: boolean;
    rights: number;
  },
): number {
  // struct landlock_path_beneath_attr is packed.
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(isDirectory ? rights : rights & OF_FILES), true);
  view.setInt32(8, fd, true);
  return kernel.call("landlock_add_rule", ruleset, PATH_BENEATH, bytes, 0);
}

const AT_FDCWD = -100;
/** arm64 has a number of its own (arch/arm64/include/uapi/asm/fcntl.h). */
const O_NOFOLLOW = { x86_64: KERNEL.O_NOFOLLOW, aarch64: 0o100000 };

/** Opens a path for a rule, or with `flags`; negative: an error number. */
export function openPath(
  kernel: Kernel,
  path: string,
  { follow, flags = KERNEL.O_PATH }: { follow: boolean; flags?: number },
): number {
  return kernel.call(
    "openat",
    AT_FDCWD,
    cString(path),
    flags | KERNEL.O_CLOEXEC | (follow ? 0 : O_NOFOLLOW[Deno.build.arch]),
    0,
  );
}
