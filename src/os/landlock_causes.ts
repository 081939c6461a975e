/** Why the launcher could not confine anything here, and what helps. Pure. */

import { visible } from "../base/text.ts";
import { errorOf } from "./kernel.ts";
import type { OsOff } from "./types.ts";

/** What the launcher notes of a start that failed. */
export interface LaunchFailure {
  /** The step. */
  readonly failed: string;
  /** Of errno(3). */
  readonly errno: number;
}

const SHOWN = 300;
const CONTAINER =
  "In a container: allow its three system calls in the seccomp profile, as Docker's own has done since 23.0.";

/** One failure; the first that matches counts. */
interface Entry {
  readonly step: RegExp;
  readonly errors?: readonly string[];
  readonly off: OsOff;
}

const TABLE: readonly Entry[] = [
  {
    step: /^landlock$/,
    errors: ["EOPNOTSUPP"],
    off: {
      cause: "landlock-disabled",
      message: "the kernel has Landlock, turned off since it started",
      advice:
        "Add `landlock` to the modules that the kernel parameter `lsm=` lists, and restart.",
    },
  },
  {
    step: /^landlock$/,
    errors: ["ENOSYS"],
    off: {
      cause: "landlock-missing",
      message: "the kernel has no Landlock, or a container hides it",
      advice:
        `Use Linux 6.2 or later with CONFIG_SECURITY_LANDLOCK. ${CONTAINER}`,
    },
  },
  {
    step: /^landlock$/,
    off: {
      cause: "landlock-refused",
      message: "Landlock is refused here, as by a container's seccomp profile",
      advice: CONTAINER,
    },
  },
  {
    step: /^landlock abi$/,
    off: {
      cause: "landlock-abi",
      message:
        "this kernel's Landlock cannot keep a script from emptying files: its ABI is below 3",
      advice: "Use Linux 6.2 or later.",
    },
  },
  {
    step: /^landlock_restrict_self$/,
    errors: ["E2BIG"],
    off: {
      cause: "landlock-layers",
      message: "this server is under as many Landlock rulesets as there can be",
      advice: "Start it outside the other sandboxes.",
    },
  },
  {
    step: /^seccomp$/,
    off: {
      cause: "no-seccomp",
      message: "the kernel or a container refuses a system call filter",
      advice:
        "Use a kernel with CONFIG_SECCOMP_FILTER, and a container that allows prctl and seccomp.",
    },
  },
  {
    step: /^set(groups|resgid|resuid)$/,
    off: {
      cause: "account-refused",
      message: "the account that scripts run as cannot be taken on",
      advice:
        "Give the server CAP_SETUID and CAP_SETGID, start it as an ordinary user, or leave SKILLFENCE_UID out.",
    },
  },
  {
    step: /^(chdir|execve)$/,
    errors: ["EACCES"],
    off: {
      cause: "out-of-reach",
      message:
        "the account that scripts run as cannot reach the runtime or TMPDIR",
      advice:
        "Put them where every account may read, or set SKILLFENCE_UID to one that may.",
    },
  },
  {
    step: /^execve$/,
    off: {
      cause: "runtime-does-not-start",
      message: "the runtime is no program that this machine can start",
      advice:
        "Install the runtime that is made for this machine, or name it in SKILLFENCE_DENO.",
    },
  },
];

/** The cause that a failure of the launcher names, in words of our own. */
export function causeOfFailure({ failed, errno }: LaunchFailure): OsOff {
  const error = errorOf(errno);
  const found = TABLE.find(({ step, errors }) =>
    step.test(failed) && (errors?.includes(error) ?? true)
  );
  const quoted = `${visible(failed, SHOWN)}: ${error}`;
  if (found === undefined) {
    return {
      cause: "unknown",
      message: `Landlock does not work here (${quoted})`,
      advice:
        "Please report it, with the output of `skillfence doctor` and the name of the system.",
    };
  }
  const { cause, message, advice } = found.off;
  return { cause, message: `${message} (${quoted})`, advice };
}

/** The failure that a status file tells of; undefined when it tells of none. */
export function readFailure(text: string): LaunchFailure | undefined {
  try {
    const { failed, errno } = JSON.parse(text) as Partial<LaunchFailure>;
    return typeof failed === "string" && typeof errno === "number"
      ? { failed, errno }
      : undefined;
  } catch {
    return undefined;
  }
}
