/** What the launcher does to its own process besides Landlock. */

import { addressOf, cString, type Kernel } from "./kernel.ts";
import type { LaunchSpec } from "./launcher_spec.ts";
import { seccompFilter } from "./seccomp.ts";
import { KERNEL } from "./syscall_numbers.ts";

/** One call on the way, and its result: negative is an error number. */
export type Step = readonly [name: string, act: () => number];

/** Of signal(7). */
const SIGKILL = 9;
const SIGPIPE = 13;
/** `SIG_SETMASK` of asm-generic/signal-defs.h. */
const SIG_SETMASK = 2;
/** Size of the kernel's `sigset_t`. */
const SIGNAL_SET = 8;
/** Size of `struct sock_filter`. */
const INSTRUCTION = 8;
const STDOUT = 1;
const FIRST_OTHER = 3;
const LAST = 0xffffffff;

/** The account, without any capability, in the directory it can reach. */
export function identity(kernel: Kernel, { account, cwd }: LaunchSpec): Step[] {
  // struct __user_cap_header_struct and two empty __user_cap_data_struct.
  const header = new Uint8Array(
    new Uint32Array([KERNEL._LINUX_CAPABILITY_VERSION_3, 0]).buffer,
  );
  const { uid, gid } = account ?? { uid: 0, gid: 0 };
  const become: Step[] = [
    ["setgroups", () => kernel.call("setgroups", 0, 0)],
    ["setresgid", () => kernel.call("setresgid", gid, gid, gid)],
    ["setresuid", () => kernel.call("setresuid", uid, uid, uid)],
  ];
  return [
    ...account === undefined ? [] : become,
    ["capset", () => kernel.call("capset", header, new Uint8Array(24))],
    ["chdir", () => kernel.call("chdir", cString(cwd))],
    [
      "no_new_privs",
      () => kernel.call("prctl", KERNEL.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
    ],
  ];
}

/**
 * To end when the server ends. Comes after the change of account, which would
 * undo it (PR_SET_PDEATHSIG(2const)); a server that ended before is gone from
 * above us and from the other end of our output.
 */
export function fate(kernel: Kernel): Step[] {
  const parent = kernel.call("getppid");
  // struct pollfd: descriptor, no events, what came back.
  const poll = new Uint8Array(8);
  const view = new DataView(poll.buffer);
  view.setInt32(0, STDOUT, true);
  return [
    [
      "parent death signal",
      () => kernel.call("prctl", KERNEL.PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0),
    ],
    [
      "parent",
      () => kernel.call("getppid") === parent ? 0 : -KERNEL.ESRCH,
    ],
    ["output", () => {
      const result = kernel.call("ppoll", poll, 1, new Uint8Array(16), 0);
      const gone = KERNEL.POLLERR | KERNEL.POLLHUP;
      return (view.getInt16(6, true) & gone) === 0 ? result : -KERNEL.ESRCH;
    }],
  ];
}

/** What `execve` would hand on: descriptors, signals ignored or held back. */
export function inheritance(kernel: Kernel): Step[] {
  // A `struct sigaction` of zeros is the default.
  return [
    [
      "SIGPIPE",
      () =>
        kernel.call("rt_sigaction", SIGPIPE, new Uint8Array(32), 0, SIGNAL_SET),
    ],
    ["signal mask", () =>
      kernel.call(
        "rt_sigprocmask",
        SIG_SETMASK,
        new Uint8Array(SIGNAL_SET),
        0,
        SIGNAL_SET,
      )],
    [
      "close_range",
      () =>
        kernel.call(
          "close_range",
          FIRST_OTHER,
          LAST,
          KERNEL.CLOSE_RANGE_CLOEXEC,
        ),
    ],
  ];
}

/**
 * Neither processes, which nothing would tell from the server's, nor more
 * sockets than the network needs: Landlock knows no UDP, and of unix sockets
 * only the abstract ones.
 */
export function filter(kernel: Kernel, { network, unix }: LaunchSpec): Step {
  const program = seccompFilter({
    arch: Deno.build.arch,
    ip: network === "open",
    unix: unix ?? network !== "none",
    processes: false,
  });
  return ["seccomp", () => {
    // struct sock_fprog: how many instructions, and where.
    const bytes = new Uint8Array(16);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, program.length / INSTRUCTION, true);
    view.setBigUint64(8, addressOf(program), true);
    return kernel.call("seccomp", KERNEL.SECCOMP_SET_MODE_FILTER, 0, bytes);
  }];
}
