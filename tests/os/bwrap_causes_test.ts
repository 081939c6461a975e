import assert from "node:assert/strict";
import { type CauseContext, causeOf } from "../../src/os/bwrap_causes.ts";

const USER: CauseContext = { root: false, libraries: ["/lib/libc.so.6"] };
const ROOT: CauseContext = { ...USER, root: true };

/** Texts as bubblewrap prints them, over its versions. */
const TEXTS: readonly (readonly [string, string])[] = [
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

for (const [text, cause] of TEXTS) {
  Deno.test(`causeOf: ${cause}: ${text.slice(0, 70)}`, () => {
    for (const context of [USER, ROOT]) {
      const off = causeOf(`${text}\n`, context);
      assert.equal(off.cause, cause);
      assert.ok(off.message.includes(text.slice(0, 60)), off.message);
      assert.ok(off.advice.length > 20);
    }
  });
}

Deno.test("causeOf: a uid map refused to root and to a user are two causes", () => {
  const text = "bwrap: setting up uid map: Operation not permitted";
  assert.equal(causeOf(text, ROOT).cause, "no-setfcap");
  assert.equal(causeOf(text, USER).cause, "uid-map-refused");
});

Deno.test("causeOf: bubblewrap's own line counts, whatever stands around it", () => {
  const text = [
    "/bin/sh: warning: pivot_root",
    "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
    "Unknown option",
  ].join("\n");
  assert.equal(causeOf(text, USER).cause, "apparmor-userns");
});

Deno.test("causeOf: an unknown text is shown, made visible and bounded", () => {
  const off = causeOf(`bwrap: \u202eodd\u0007 ${"x".repeat(5000)}`, USER);
  assert.equal(off.cause, "unknown");
  assert.match(off.message, /\\u\{202e\}odd\\u\{7\}/);
  assert.ok(off.message.length < 500);
  assert.match(causeOf("", USER).message, /said nothing/);
});

Deno.test("causeOf: a runtime that does not start names what it was shown", () => {
  const text = "bwrap: execvp /usr/bin/deno: No such file or directory";
  assert.match(causeOf(text, USER).message, /\/lib\/libc\.so\.6/);
});
