/** What bubblewrap says when it cannot work, and the cause that each text names. */

/** As it prints them, over its versions. */
export const BWRAP_TEXTS: readonly (readonly [string, string])[] = [
  ["bwrap: setting up uid map: Permission denied", "apparmor-userns"],
  [
    "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
    "apparmor-userns",
  ],
  ["bwrap: loopback: Failed RTM_NEWADDR: File exists", "loopback-refused"],
  ["bwrap: loopback: Failed RTM_NEWADDR", "loopback-refused"],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.",
    "userns-refused",
  ],
  [
    "bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
    "userns-refused",
  ],
  [
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
    "namespaces-limited",
  ],
  [
    "bwrap: Creating new namespace failed: No space left on device",
    "namespaces-limited",
  ],
  [
    "bwrap: Creating new namespace failed, likely because the kernel does not support user namespaces.  bwrap must be installed setuid on such systems.",
    "no-user-namespaces",
  ],
  [
    "bwrap: Creating new namespace failed: Function not implemented",
    "not-implemented",
  ],
  [
    "bwrap: Creating new namespace failed: Operation not permitted",
    "no-sys-admin",
  ],
  ["bwrap: Failed to make / slave: Permission denied", "mount-refused"],
  ["bwrap: Failed to make / slave: Operation not permitted", "mount-refused"],
  [
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    "proc-masked",
  ],
  [
    "bwrap: Can't read /proc/sys/kernel/overflowuid: No such file or directory",
    "no-proc",
  ],
  [
    "bwrap: Unexpected capabilities but not setuid, old file caps config?",
    "ambient-capabilities",
  ],
  [
    "bwrap: Creating new namespace failed: Resource temporarily unavailable",
    "processes-limited",
  ],
  [
    "bwrap: setuid use of bubblewrap is not supported in this build",
    "setuid",
  ],
  ["bwrap: The --size option is not permitted in setuid mode", "setuid"],
  ["bwrap: pivot_root: Invalid argument", "root-file-system"],
  [
    "bwrap: Can't find source path /x: No such file or directory",
    "source-missing",
  ],
  [
    "bwrap: execvp /usr/bin/deno: No such file or directory",
    "runtime-does-not-start",
  ],
  [
    "/usr/bin/deno: error while loading shared libraries: libgcc_s.so.1: cannot open shared object file: No such file or directory",
    "runtime-does-not-start",
  ],
  [
    "prlimit: failed to execute /usr/bin/deno: No such file or directory",
    "runtime-does-not-start",
  ],
  ["bwrap: Unknown option --size", "too-old"],
  [
    "bwrap: cannot open /proc/sys/user/max_user_namespaces: Permission denied",
    "userns-limit-locked",
  ],
  [
    "bwrap: Unable to set up system call filtering as requested: prctl(PR_SET_SECCOMP) reported EINVAL. (Hint: this requires a kernel configured with CONFIG_SECCOMP and CONFIG_SECCOMP_FILTER.)",
    "no-seccomp",
  ],
];
