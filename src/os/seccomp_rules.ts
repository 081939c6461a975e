/** What the system call filter refuses, by name; numbers come from elsewhere. */

import type { SyscallName } from "./syscall_numbers.ts";

/**
 * Refused with EPERM whatever the arguments: other processes' memory, key
 * rings (shared with the host, as no namespace covers them), mounts,
 * namespaces, kernel interfaces that have no use here, kernel and clock
 * settings, devices and FIFOs, other accounts, and System V and POSIX objects,
 * which Landlock cannot bound.
 */
export const REFUSED: readonly SyscallName[] = [
  ...["ptrace", "process_vm_readv", "process_vm_writev"] as const,
  ...["kcmp", "pidfd_getfd", "process_madvise"] as const,
  ...["move_pages", "migrate_pages"] as const,
  ...["add_key", "request_key", "keyctl"] as const,
  ...["mount", "umount2", "pivot_root", "chroot"] as const,
  ...["unshare", "setns"] as const,
  ...["bpf", "perf_event_open", "userfaultfd", "fanotify_init"] as const,
  ...["init_module", "finit_module", "delete_module", "create_module"] as const,
  ...["kexec_load", "kexec_file_load"] as const,
  ...["quotactl", "quotactl_fd", "acct"] as const,
  ...["name_to_handle_at", "open_by_handle_at"] as const,
  ...["mknod", "mknodat"] as const,
  ...["swapon", "swapoff", "reboot", "syslog", "vhangup"] as const,
  ...["sethostname", "setdomainname"] as const,
  ...["iopl", "ioperm", "modify_ldt"] as const,
  ...["settimeofday", "clock_settime", "clock_adjtime", "adjtimex"] as const,
  ...["nfsservctl", "lookup_dcookie", "uselib", "sysfs", "_sysctl"] as const,
  ...["setuid", "setgid", "setreuid", "setregid", "setresuid"] as const,
  ...["setresgid", "setgroups", "setfsuid", "setfsgid"] as const,
  ...["shmget", "shmat", "shmctl"] as const,
  ...["semget", "semop", "semtimedop", "semctl"] as const,
  ...["msgget", "msgsnd", "msgrcv", "msgctl"] as const,
  ...["mq_open", "mq_unlink"] as const,
];

/**
 * Answered as by a kernel that lacks them, so that callers take their older
 * way: io_uring does I/O past this filter, and clone3 has its flags in memory,
 * where no filter can read them.
 */
export const UNKNOWN: readonly SyscallName[] = [
  ...["io_uring_setup", "io_uring_enter", "io_uring_register"] as const,
  "clone3",
  ...["open_tree", "move_mount", "mount_setattr"] as const,
  ...["fsopen", "fsconfig", "fsmount", "fspick"] as const,
  // Its mode is in memory too: see `MODES`.
  "openat2",
];

/**
 * Calls that give a file its mode: which argument that is, and for those that
 * have a mode only when they create, which one the flags are. With a set-id bit
 * they are EPERM, since the file outlives the run and works for every account
 * that can start it. Of mknod(2) see `REFUSED`; fchmodat2 is later than
 * `LAST_KNOWN`.
 */
export const MODES: readonly {
  readonly name: SyscallName;
  readonly mode: number;
  readonly flags?: number;
}[] = [
  { name: "chmod", mode: 1 },
  { name: "fchmod", mode: 1 },
  { name: "fchmodat", mode: 2 },
  { name: "creat", mode: 1 },
  { name: "mkdir", mode: 1 },
  { name: "mkdirat", mode: 2 },
  { name: "open", mode: 2, flags: 1 },
  { name: "openat", mode: 3, flags: 2 },
];

/**
 * Calls that ask what may be done with a file, and which argument says what.
 * Reading and writing in one question (`R_OK | W_OK`) is EPERM: so asks sqlite
 * for a script, of a directory that no permission is asked for, and neither
 * Landlock nor a flag stands before it. Reading, writing and executing each by
 * itself can be asked for; sqlite's own question for a temporary directory is
 * another one as well.
 */
export const QUESTIONS: readonly (readonly [SyscallName, number])[] = [
  ["access", 1],
  ["faccessat", 2],
  ["faccessat2", 2],
];

/**
 * Calls that change the process named by an argument: allowed on the caller
 * alone (0), refused with EPERM otherwise. Without a process namespace the
 * server is among the others.
 */
export const ON_ITSELF: readonly (readonly [SyscallName, number])[] = [
  ["prlimit64", 0],
  ["sched_setaffinity", 0],
  ["sched_setscheduler", 0],
  ["sched_setparam", 0],
  ["sched_setattr", 0],
  ["setpriority", 1],
  ["ioprio_set", 1],
];

/**
 * The last call of the kernel headers that these rules were written against
 * (Linux 5.17). Later ones, and x32's, are unknown here too.
 */
export const LAST_KNOWN: SyscallName = "set_mempolicy_home_node";

/** Further names whose numbers are needed, by the filter and the launcher. */
export const OTHERS: readonly string[] = [
  ...["clone", "fork", "vfork", "personality", "ioctl"],
  ...["socket", "socketpair"],
  ...["landlock_create_ruleset", "landlock_add_rule"],
  ...["landlock_restrict_self", "seccomp", "prctl", "capset", "getppid"],
  ...["write", "ftruncate", "close_range", "chdir"],
  ...["rt_sigaction", "rt_sigprocmask", "ppoll", "execve"],
];
