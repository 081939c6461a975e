/** The run that shows whether bubblewrap holds, or why not. */

import { errorName } from "../base/error_name.ts";
import { listed, visible } from "../base/text.ts";
import { boundedRun } from "./bounded_run.ts";
import { causeOf } from "./bwrap_causes.ts";
import { readReport } from "./bwrap_check.ts";
import { type GroundOptions, ProbeGround } from "./probe_ground.ts";
import { sandboxCommand } from "./sandbox.ts";
import type { Status } from "./status.ts";
import type { BwrapLayer, OsOff } from "./types.ts";
import { readStatus, wrapCommand } from "./wrapper.ts";

const TIMEOUT_MS = 5_000;
/** Words of a report that are shown. */
const SHOWN = 5;

/** Every permission: the sandbox has to hold alone. */
const FLAGS: readonly string[] = [
  ...["run", "-A", "--quiet", "--no-prompt", "--no-config", "--no-lock"],
  ...["--no-remote", "--no-npm", "--no-check", "--no-code-cache"],
];

/** What is to be proved. */
export interface BwrapClaim extends GroundOptions {
  readonly layer: BwrapLayer;
}

/** A part of the sandbox that is left out to find a cause. */
type Part = "seccomp" | "network" | "userns";

const PARTS: Readonly<Record<Part, string>> = {
  seccomp: "it starts only without a system call filter",
  network: "it starts only where the host's network is shared",
  userns: "it starts only where further namespaces may be made inside",
};

/** One run. */
interface Trial {
  readonly status: Status;
  readonly code: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** What the run did as it is seen from outside. */
  readonly reached: boolean;
  readonly handedOut: boolean;
}

/**
 * Runs the check script in the sandbox of a real run. Undefined when all of it
 * held, else why it is not to be used. A weaker sandbox is tried for the name
 * of a cause only.
 */
export async function proveBwrap(
  claim: BwrapClaim,
): Promise<OsOff | undefined> {
  try {
    const trial = await attempt(claim);
    const off = judge(trial, claim);
    return off?.cause === "unknown" && !trial.status.started
      ? await nameCause(claim, off)
      : off;
  } catch (error) {
    return {
      cause: "no-probe",
      message: `bubblewrap could not be tried (${errorName(error)})`,
      advice: "Set TMPDIR to a directory that this account may write.",
    };
  }
}

async function nameCause(claim: BwrapClaim, off: OsOff): Promise<OsOff> {
  for (const part of ["seccomp", "network", "userns"] as const) {
    const { status } = await attempt(claim, part);
    if (status.started) {
      return {
        ...off,
        cause: `needs-no-${part}`,
        message: `${off.message}; ${PARTS[part]}`,
      };
    }
  }
  return off;
}

function judge(
  trial: Trial,
  { layer, account }: BwrapClaim,
): OsOff | undefined {
  const { status, code, stderr } = trial;
  if (trial.timedOut) {
    return {
      cause: "timed-out",
      message: `a run in bubblewrap did not end within ${TIMEOUT_MS / 1000} s`,
      advice: "Try again when the machine is less busy.",
    };
  }
  const report = readReport(trial.stdout);
  if (!status.started || code !== 0 || report === undefined) {
    return causeOf(stderr, {
      root: account === undefined && Deno.uid() === 0,
      libraries: layer.libraries.map(({ from }) => from),
    });
  }
  const breaches = [
    ...report.breaches,
    ...trial.reached ? ["a listener of the host was reached"] : [],
  ];
  const broken = [
    ...report.broken,
    ...trial.handedOut ? [] : ["what a script writes does not come out"],
  ];
  if (breaches.length + broken.length === 0 && status.exitCode === 0) {
    return undefined;
  }
  return {
    cause: breaches.length > 0 ? "does-not-hold" : "does-not-work",
    message: `a run in bubblewrap showed: ${
      visible(listed([...breaches, ...broken], SHOWN), 500)
    }`,
    advice: "Please report it, with the output of `skillfence doctor`.",
  };
}

async function attempt(claim: BwrapClaim, without?: Part): Promise<Trial> {
  using ground = new ProbeGround(claim);
  const end = await boundedRun({
    command: wrapCommand({
      filter: ground.filter,
      status: ground.status,
      limits: {},
      command: [
        ...command(claim.layer, ground, without),
        ...FLAGS,
        ground.script,
        JSON.stringify(ground.input),
      ],
    }),
    env: ground.env,
    account: claim.account,
    timeoutMs: TIMEOUT_MS,
  });
  return {
    ...end,
    status: readStatus(ground.status),
    reached: ground.reached,
    handedOut: ground.handedOut,
  };
}

function command(
  layer: BwrapLayer,
  { view }: ProbeGround,
  without: Part | undefined,
): string[] {
  const built = sandboxCommand(
    without === "userns" ? { ...layer, disableUserns: false } : layer,
    without === "network" ? { ...view, network: "open" } : view,
  );
  if (without !== "seccomp") return built;
  const at = built.indexOf("--seccomp");
  return built.toSpliced(at, 2);
}
