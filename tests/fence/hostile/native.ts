/**
 * System calls made from native code. The flags keep a script from native code;
 * this is what is left to the operating system when they fail.
 */

import {
  type SyscallName,
  syscallNumber,
} from "../../../src/os/syscall_numbers.ts";
import type { Attack } from "./attack.ts";
import type { Mode } from "./modes.ts";

/** One call: how it is named in the report, which it is, its arguments. */
interface Call {
  readonly label: string;
  readonly call: SyscallName;
  /** A string becomes the address of its bytes and a NUL, a list of its own. */
  readonly args: readonly (number | string | readonly number[])[];
  /** It waits, or forks: only the error number counts. */
  readonly forks?: true;
}

const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97, EACCES: 13 };

/**
 * A script that makes the calls and says which were refused as such. Any other
 * answer, success or error, means that the kernel looked at the call.
 */
function native(calls: readonly Call[]): string {
  const here = calls.flatMap(({ label, call, args, forks }) => {
    const number = syscallNumber(Deno.build.arch, call);
    return number === undefined ? [] : [{ label, number, args, forks }];
  });
  return `const REFUSED = ${JSON.stringify(ERRNO)};
try {
  const { symbols } = Deno.dlopen("libc.so.6", {
    syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
    __errno_location: { parameters: [], result: "pointer" },
    _exit: { parameters: ["i32"], result: "void" },
  });
  const errno = new Deno.UnsafePointerView(symbols.__errno_location());
  const kept = [];
  const word = (arg) => {
    if (typeof arg === "number") return BigInt(arg);
    const bytes = typeof arg === "string" ? new TextEncoder().encode(arg + "\\0") : new Uint8Array(arg);
    kept.push(bytes);
    return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
  };
  const got = [], held = [];
  for (const { label, number, args, forks } of ${JSON.stringify(here)}) {
    const words = [number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(word);
    const result = symbols.syscall(...words);
    const error = errno.getInt32();
    if (forks && result === 0n) symbols._exit(0);
    const name = Object.keys(REFUSED).find((one) => REFUSED[one] === error);
    if (result === -1n && name !== undefined) held.push(label + " " + name);
    else got.push(label + " " + (result === -1n ? "error " + error : result));
  }
  if (got.length > 0) console.log("GOT " + got.join(" | "));
  if (held.length > 0) console.log((got.length > 0 ? "LEFT " : "HELD ") + held.join(" | "));
} catch (error) { console.log("HELD " + error.name + ": " + error.message); }
Deno.exit(0);
`;
}

/** Where the flags stand there is no native code to make a call: `native-ffi`. */
const WITHOUT_NATIVE_CODE: readonly Mode[] = [
  ...["flags", "bwrap", "bwrap+worker", "landlock"] as const,
];

function attack(kind: string, title: string, calls: readonly Call[]): Attack {
  return {
    id: kind,
    linux: true,
    kind,
    title: `native code: ${title}`,
    file: "a.mjs",
    source: native(calls),
    target: "none",
    control: "bare",
    notIn: WITHOUT_NATIVE_CODE,
  };
}

const SELF = 0;
/** Where there is nothing: a call that gets so far has passed. */
const NOWHERE = "/no/such/place";

/** Calls chosen so that any account's reach the kernel's own checks. */
export const NATIVE_ATTACKS: readonly Attack[] = [
  attack("native-namespaces", "new namespaces, and others'", [
    { label: "unshare", call: "unshare", args: [0x10000000] },
    { label: "unshare-files", call: "unshare", args: [0x400] },
    { label: "setns", call: "setns", args: [-1, 0] },
    { label: "clone-user", call: "clone", args: [0x10000011], forks: true },
    { label: "clone3", call: "clone3", args: [0, 0] },
  ]),
  attack("native-mounts", "mounts and roots", [
    { label: "mount", call: "mount", args: ["x", NOWHERE, "tmpfs", 0, 0] },
    { label: "umount", call: "umount2", args: [NOWHERE, 0x10000] },
    { label: "chroot", call: "chroot", args: [NOWHERE] },
    { label: "open_tree", call: "open_tree", args: [-1, NOWHERE, 0] },
    { label: "fspick", call: "fspick", args: [-1, NOWHERE, 0xff] },
    {
      label: "mount_setattr",
      call: "mount_setattr",
      args: [-1, NOWHERE, 0xffff],
    },
  ]),
  attack("native-processes", "other processes' memory and descriptors", [
    { label: "ptrace", call: "ptrace", args: [16, 0x7ffffff, 0, 0] },
    {
      label: "process_vm_readv",
      call: "process_vm_readv",
      args: [1, 0, 0, 0, 0, 1],
    },
    { label: "kcmp", call: "kcmp", args: [0x7ffffff, 0x7ffffff, 0, 0, 0] },
    { label: "pidfd_getfd", call: "pidfd_getfd", args: [-1, 0, 1] },
    {
      label: "process_madvise",
      call: "process_madvise",
      args: [-1, 0, 0, 0, 1],
    },
    { label: "move_pages", call: "move_pages", args: [SELF, 0, 0, 0, 0, 1] },
  ]),
  attack("native-keyring", "the session's key ring", [
    {
      label: "add_key",
      call: "add_key",
      args: ["user", "skillfence-test", "x", 1, -1],
    },
    { label: "keyctl", call: "keyctl", args: [0, -3, 0] },
    {
      label: "request_key",
      call: "request_key",
      args: ["user", "skillfence-none", 0, 0],
    },
  ]),
  attack("native-sockets", "sockets of other families", [
    { label: "vsock", call: "socket", args: [40, 1, 0] },
  ]),
  attack("native-terminal", "input pushed into a terminal", [
    { label: "TIOCSTI", call: "ioctl", args: [-1, 0x5412, "x"] },
    { label: "TIOCLINUX", call: "ioctl", args: [-1, 0x541c, "x"] },
  ]),
  attack("native-io-uring", "io_uring", [
    { label: "io_uring_setup", call: "io_uring_setup", args: [0, 0] },
    {
      label: "io_uring_enter",
      call: "io_uring_enter",
      args: [-1, 0, 0, 0, 0, 0],
    },
    {
      label: "io_uring_register",
      call: "io_uring_register",
      args: [-1, 0, 0, 0],
    },
  ]),
  attack("native-fork", "processes of its own", [
    { label: "clone", call: "clone", args: [17], forks: true },
    { label: "fork", call: "fork", args: [], forks: true },
  ]),
  attack("native-kernel", "kernel interfaces without a use here", [
    {
      label: "perf_event_open",
      call: "perf_event_open",
      args: [0, 0, -1, -1, -1],
    },
    { label: "userfaultfd", call: "userfaultfd", args: [-1] },
    {
      label: "name_to_handle_at",
      call: "name_to_handle_at",
      args: [-1, NOWHERE, 0, 0, -1],
    },
    { label: "mknod", call: "mknodat", args: [-1, `${NOWHERE}/x`, 0o20666, 0] },
    { label: "personality", call: "personality", args: [0x0040000] },
  ]),
  attack("native-clock", "clocks", [
    { label: "clock_settime", call: "clock_settime", args: [0, 0] },
    { label: "adjtimex", call: "adjtimex", args: [new Array(256).fill(0)] },
  ]),
  attack("native-ids", "other accounts", [
    { label: "setgroups", call: "setgroups", args: [0x7fffffff, 0] },
    { label: "setresuid", call: "setresuid", args: [-1, -1, -1] },
    { label: "setregid", call: "setregid", args: [-1, -1] },
  ]),
  attack("native-ipc", "System V and POSIX objects", [
    { label: "shmget", call: "shmget", args: [0x5f17, 0, 0] },
    { label: "semget", call: "semget", args: [0x5f17, 0, 0] },
    { label: "msgget", call: "msgget", args: [0x5f17, 0] },
    { label: "mq_open", call: "mq_open", args: ["skillfence-none", 0, 0, 0] },
  ]),
  attack("native-others", "limits and priorities of others", [
    { label: "prlimit64", call: "prlimit64", args: [1, 7, 0, 0] },
    { label: "setpriority", call: "setpriority", args: [1, 0, 0] },
    { label: "ioprio_set", call: "ioprio_set", args: [2, 1, 0] },
  ]),
  {
    id: "native-signals",
    linux: true,
    scoped: true,
    kind: "native-signals",
    title: "native code: signals to the server and to other runs",
    file: "a.mjs",
    source: `try {
  const { symbols } = Deno.dlopen("libc.so.6", { kill: { parameters: ["i32", "i32"], result: "i32" } });
  const got = [__SERVER__, -__SERVER__, __TARGET__].filter((pid) => symbols.kill(pid, 0) === 0);
  console.log(got.length > 0 ? "GOT processes " + got.join() : "HELD kill EPERM or ESRCH");
} catch (error) { console.log("HELD " + error.name + ": " + error.message); }
`,
    target: "process",
    control: "bare",
    notIn: WITHOUT_NATIVE_CODE,
  },
];
