/** What bubblewrap's complaints mean, and what helps. Pure. */

import { visible } from "../base/text.ts";
import type { OsOff } from "./types.ts";

/** What a complaint's meaning depends on. */
export interface CauseContext {
  /** bubblewrap ran as root. */
  readonly root: boolean;
  /** What was started in the sandbox, for complaints about its files. */
  readonly libraries: readonly string[];
}

const SHOWN = 300;

const PROFILE =
  "Install the profile that Ubuntu ships for it: `apt install apparmor-profiles`, then `install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/` and `apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict` (not beside another vendor's profile for bwrap). As a last resort: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.";
const CONTAINER =
  "In Docker or Kubernetes, start this container with a seccomp profile that allows clone, unshare, mount and pivot_root (`--security-opt seccomp=FILE`), not with --privileged.";
const LANDLOCK = "Landlock needs none of this.";

/** One complaint; the first that matches counts. */
interface Entry {
  readonly text: RegExp;
  readonly when?: (context: CauseContext) => boolean;
  readonly off: (context: CauseContext) => OsOff;
}

const TABLE: readonly Entry[] = [
  entry(
    /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR: Operation not permitted/,
    "apparmor-userns",
    "AppArmor takes the rights away that bubblewrap has in a namespace of its own, as Ubuntu does since 23.10",
    PROFILE,
  ),
  entry(
    /loopback: /,
    "loopback-refused",
    "the loopback interface of a new network namespace cannot be set up, as under older gVisor",
    `Use a newer gVisor. ${LANDLOCK}`,
  ),
  entry(
    /No permissions to creat\w+ (?:a )?new namespace/,
    "userns-refused",
    "ordinary users may not make namespaces here: a kernel setting, a container's seccomp profile, or a chroot",
    `On a host: \`sysctl kernel.unprivileged_userns_clone=1\`. ${CONTAINER} ${LANDLOCK}`,
  ),
  entry(
    /Creating new namespace failed:.*(?:ENOSPC|No space left on device)|creation of new user namespaces was not disabled/,
    "namespaces-limited",
    "the limit on namespaces of this machine is reached or zero",
    "`sysctl user.max_user_namespaces=15000`, and the like for `user.max_net_namespaces` and `user.max_pid_namespaces`.",
  ),
  entry(
    /Creating new namespace failed, likely because the kernel does not support user namespaces/,
    "no-user-namespaces",
    "the kernel has no user namespaces",
    `Use a newer kernel, or one with CONFIG_USER_NS. ${LANDLOCK}`,
  ),
  entry(
    /Creating new namespace failed: Resource temporarily unavailable|Can't fork/,
    "processes-limited",
    "the account that scripts run as may not start another process",
    "Raise the limit on processes of that account (`ulimit -u`), or set SKILLFENCE_UID to one with fewer.",
  ),
  entry(
    /Creating new namespace failed: Operation not permitted/,
    "no-sys-admin",
    "root lacks the capability CAP_SYS_ADMIN here",
    `Run the server as an ordinary user. ${CONTAINER} ${LANDLOCK}`,
  ),
  {
    text: /setting up uid map: Operation not permitted/,
    when: ({ root }) => root,
    off: () => ({
      cause: "no-setfcap",
      message:
        "root lacks the capability CAP_SETFCAP here, as where a container drops all capabilities",
      advice:
        `Run the server as an ordinary user, or add SETFCAP to the container. ${LANDLOCK}`,
    }),
  },
  entry(
    /setting up [ug]id map/,
    "uid-map-refused",
    "the numbers of users cannot be mapped into a new namespace, as where /proc is mounted with hidepid",
    `Mount /proc without hidepid for this account. ${LANDLOCK}`,
  ),
  entry(
    /Failed to make \/ slave|Failed to mount tmpfs|Can't (?:bind mount|mount tmpfs|remount readonly)/,
    "mount-refused",
    "nothing may be mounted here, not even in a namespace of its own: Docker's AppArmor profile, or a missing capability",
    `Start this container with \`--security-opt apparmor=unconfined\`. ${CONTAINER} ${LANDLOCK}`,
  ),
  entry(
    /Can't mount proc on/,
    "proc-masked",
    "a new /proc may not be mounted, since this container hides parts of its own",
    "This program mounts none: please report it, with the output of `skillfence doctor`.",
  ),
  entry(
    /cannot open \/proc\/sys\/user\/max_user_namespaces|sysctl user\.max_user_namespaces/,
    "userns-limit-locked",
    "a namespace may not limit those inside it, as AppArmor has it in LXC and Incus containers",
    `Allow this container to write to /proc/sys/user. ${LANDLOCK}`,
  ),
  entry(
    /Can't (?:read|parse|open) \/proc|open \/proc\/\S* failed|Can't access/,
    "no-proc",
    "bubblewrap cannot read /proc here: it is not mounted, or a rule closes it",
    "Mount /proc where this server runs.",
  ),
  entry(
    /Unexpected capabilities but not setuid/,
    "ambient-capabilities",
    "the server was started with capabilities that every child inherits",
    "Leave out AmbientCapabilities of its systemd unit, or what else gives them.",
  ),
  entry(
    /setuid use of bubblewrap is not supported|not permitted in setuid mode|in setuid mode|Unexpected setuid user/,
    "setuid",
    "bubblewrap is installed setuid, and does not work that way",
    "`chmod u-s` on it, or install the distribution's package again.",
  ),
  entry(
    /prctl\(PR_SET_SECCOMP\)|seccomp/i,
    "no-seccomp",
    "the kernel or a container refuses a system call filter",
    "Use a kernel with CONFIG_SECCOMP_FILTER, and a container that allows prctl and seccomp.",
  ),
  entry(
    /pivot_root/,
    "root-file-system",
    "the root file system cannot be exchanged: it is an initramfs, or a container forbids it",
    `Start from a real root file system. ${CONTAINER} ${LANDLOCK}`,
  ),
  entry(
    /Unknown option/,
    "too-old",
    "this bubblewrap lacks an option that is needed",
    "Install bubblewrap 0.8.0 or later; 0.12.0 is advised.",
  ),
  entry(
    /Can't find source path/,
    "source-missing",
    "bubblewrap, as the account that scripts run as, cannot reach something that it should show",
    "Put the runtime, TMPDIR and the skills where that account can read them, or set SKILLFENCE_UID.",
  ),
  {
    text:
      /execvp |prlimit: failed to execute|error while loading shared libraries|Error loading shared/,
    off: ({ libraries }) => ({
      cause: "runtime-does-not-start",
      message: `the runtime does not start in the sandbox, which shows it ${
        visible(libraries.join(" ") || "no library", SHOWN)
      }`,
      advice:
        "Please report it, with the output of `skillfence doctor` and of `ldd` on the runtime.",
    }),
  },
  entry(
    /Function not implemented/,
    "not-implemented",
    "the kernel, or the filter of a container, lacks a system call that bubblewrap needs",
    `${CONTAINER} ${LANDLOCK}`,
  ),
];

/** The cause of a spawn error `NotFound`. */
export const NOT_INSTALLED: OsOff = {
  cause: "not-installed",
  message: "bubblewrap is not installed",
  advice: "`apt install bubblewrap`, or `dnf install bubblewrap`.",
};

/**
 * The cause that bubblewrap's `stderr` names, in words that are our own; the
 * first line of it follows. A text that is not known is `unknown`.
 */
export function causeOf(stderr: string, context: CauseContext): OsOff {
  const line = complaint(stderr);
  const found = TABLE.find(({ text, when }) =>
    text.test(line) && (when?.(context) ?? true)
  );
  if (found === undefined) {
    return {
      cause: "unknown",
      message: `bubblewrap does not work here: ${quoted(line)}`,
      advice:
        "Please report it, with the output of `skillfence doctor` and the name of the system.",
    };
  }
  const { cause, message, advice } = found.off(context);
  return { cause, message: `${message} (${quoted(line)})`, advice };
}

/** bubblewrap's own line, or else the last one of the program inside. */
function complaint(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => line.startsWith("bwrap: ")) ?? lines.at(-1) ?? "";
}

function quoted(line: string): string {
  return line === "" ? "it said nothing" : `"${visible(line, SHOWN)}"`;
}

function entry(
  text: RegExp,
  cause: string,
  message: string,
  advice: string,
): Entry {
  return { text, off: () => ({ cause, message, advice }) };
}
