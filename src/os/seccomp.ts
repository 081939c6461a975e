/**
 * The filter on system calls that a script's process starts under: what
 * neither namespaces nor Landlock bound, and what only widens the kernel's
 * surface. See seccomp(2) and Documentation/userspace-api/seccomp_filter.rst.
 */

import { encode, give, type Instruction, load, unless, when } from "./bpf.ts";
import * as rules from "./seccomp_rules.ts";
import {
  type Arch,
  KERNEL,
  type SyscallName,
  syscallNumber,
} from "./syscall_numbers.ts";

/** What a filter is made for. */
export interface FilterOptions {
  readonly arch: Arch;
  /** IPv4 and IPv6 sockets, and what asks for the interfaces' addresses. */
  readonly ip: boolean;
  /** New processes; threads there are in any case. */
  readonly processes: boolean;
  /**
   * Unix sockets, unless false; pairs of them there are in any case. Nothing
   * but a mount namespace keeps a program from those of the host.
   */
  readonly unix?: boolean;
}

/** Offsets in `struct seccomp_data` of linux/seccomp.h. */
const NUMBER = 0;
const ARCH = 4;
const FIRST_ARGUMENT = 16;

/** Families of address_families(7). */
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** Protocols of ip(7): the socket type's own, TCP, UDP. */
const PROTOCOLS = [0, 6, 17];
/** Asks personality(2) and changes nothing. */
const PERSONALITY_QUERY = 0xffffffff;
/** Modes of inode(7) that lend the file's owner or group to who starts it. */
const SET_ID = KERNEL.S_ISUID | KERNEL.S_ISGID;
/** `R_OK | W_OK` of access(2). */
const READ_AND_WRITE = 6;
/** With one of these open(2) reads its mode; O_TMPFILE has the other in it. */
const CREATES = KERNEL.O_CREAT | KERNEL.__O_TMPFILE;
const NAMESPACES = KERNEL.CLONE_NEWNS | KERNEL.CLONE_NEWCGROUP |
  KERNEL.CLONE_NEWUTS | KERNEL.CLONE_NEWIPC | KERNEL.CLONE_NEWUSER |
  KERNEL.CLONE_NEWPID | KERNEL.CLONE_NEWNET;

const ALLOW = give(KERNEL.SECCOMP_RET_ALLOW);
const EPERM = refusal(KERNEL.EPERM);
const ENOSYS = refusal(KERNEL.ENOSYS);
const EAFNOSUPPORT = refusal(KERNEL.EAFNOSUPPORT);
const EPROTONOSUPPORT = refusal(KERNEL.EPROTONOSUPPORT);

/**
 * The filter as `struct sock_filter[]`, which is what bubblewrap's `--seccomp`
 * reads and what seccomp(2) is given. A refused call fails with EPERM, one that
 * counts as unknown with ENOSYS, a socket of another family with EAFNOSUPPORT;
 * nothing is killed. arm64 is untested.
 */
export function seccompFilter(options: FilterOptions): Uint8Array<ArrayBuffer> {
  const { arch } = options;
  const lastKnown = syscallNumber(arch, rules.LAST_KNOWN)!;
  return encode([
    load(ARCH),
    // Another architecture's calls have other numbers: i386 on x86_64.
    ...unless("equal", archOf(arch), [EPERM]),
    load(NUMBER),
    // x32's numbers are above all others.
    ...when("above", lastKnown, [ENOSYS]),
    ...rules.UNKNOWN.flatMap((name) => on(arch, name, [ENOSYS])),
    ...rules.REFUSED.flatMap((name) => on(arch, name, [EPERM])),
    ...rules.ON_ITSELF.flatMap(([name, at]) =>
      on(arch, name, [
        argument(at),
        ...unless("equal", 0, [EPERM]),
        ...(at === 0 ? [] : kindsOf(name)),
        ALLOW,
      ])
    ),
    ...on(arch, "personality", [
      argument(0),
      ...unless("equal", PERSONALITY_QUERY, [EPERM]),
      ALLOW,
    ]),
    ...on(arch, "ioctl", [
      // The kernel looks at 32 bits of the request, whatever else is set.
      argument(1),
      ...when("equal", KERNEL.TIOCSTI, [EPERM]),
      ...when("equal", KERNEL.TIOCLINUX, [EPERM]),
      ALLOW,
    ]),
    ...rules.QUESTIONS.flatMap(([name, at]) =>
      on(arch, name, [
        argument(at),
        ...when("equal", READ_AND_WRITE, [EPERM]),
        ALLOW,
      ])
    ),
    ...rules.MODES.flatMap((call) => on(arch, call.name, modeRule(call))),
    ...processRules(options),
    ...socketRules(options),
    ALLOW,
  ]);
}

/** No set-id bit in the mode, where the call has one. */
function modeRule(
  { mode, flags }: { readonly mode: number; readonly flags?: number },
): Instruction[] {
  return [
    ...(flags === undefined
      ? []
      : [argument(flags), ...unless("any", CREATES, [ALLOW])]),
    argument(mode),
    ...when("any", SET_ID, [EPERM]),
    ALLOW,
  ];
}

function processRules({ arch, processes }: FilterOptions): Instruction[] {
  return [
    ...on(arch, "clone", [
      argument(0),
      ...when("any", NAMESPACES, [EPERM]),
      ...(processes ? [] : unless("any", KERNEL.CLONE_THREAD, [EPERM])),
      ALLOW,
    ]),
    ...(processes ? [] : [
      ...on(arch, "fork", [EPERM]),
      ...on(arch, "vfork", [EPERM]),
    ]),
  ];
}

function socketRules(
  { arch, ip, unix = true }: FilterOptions,
): Instruction[] {
  const local = when("equal", AF_UNIX, [ALLOW]);
  const inet = [
    argument(2),
    ...PROTOCOLS.flatMap((protocol) => when("equal", protocol, [ALLOW])),
    EPROTONOSUPPORT,
  ];
  // glibc's getaddrinfo and getifaddrs ask for addresses over netlink.
  const route = [
    argument(2),
    ...when("equal", NETLINK_ROUTE, [ALLOW]),
    EPROTONOSUPPORT,
  ];
  return [
    ...on(arch, "socket", [
      argument(0),
      ...(unix ? local : []),
      ...(ip
        ? [
          ...when("equal", AF_INET, inet),
          ...when("equal", AF_INET6, inet),
          ...when("equal", AF_NETLINK, route),
        ]
        : []),
      EAFNOSUPPORT,
    ]),
    ...on(arch, "socketpair", [argument(0), ...local, EAFNOSUPPORT]),
  ];
}

/** Only `PRIO_PROCESS` (0) or `IOPRIO_WHO_PROCESS` (1): not a whole account. */
function kindsOf(name: SyscallName): Instruction[] {
  const kind = name === "setpriority" ? 0 : 1;
  return [argument(0), ...unless("equal", kind, [EPERM])];
}

/** `body`, which must end the program, where the call is `name`. */
function on(
  arch: Arch,
  name: SyscallName,
  body: readonly Instruction[],
): Instruction[] {
  const number = syscallNumber(arch, name);
  return number === undefined ? [] : when("equal", number, body);
}

/** The low 32 bits of an argument: all that the kernel reads of an `int`. */
function argument(at: number): Instruction {
  return load(FIRST_ARGUMENT + 8 * at);
}

function archOf(arch: Arch): number {
  return arch === "x86_64"
    ? KERNEL.AUDIT_ARCH_X86_64
    : KERNEL.AUDIT_ARCH_AARCH64;
}

function refusal(errno: number): Instruction {
  return give(KERNEL.SECCOMP_RET_ERRNO | errno);
}
