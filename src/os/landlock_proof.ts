/** The run that shows whether Landlock holds, or why not. */

import { join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { listed, visible } from "../base/text.ts";
import { boundedRun } from "./bounded_run.ts";
import { readReport } from "./bwrap_check.ts";
import { landlockCommand, STATUS_FILE } from "./landlock.ts";
import { ABI_SCOPES } from "./landlock_abi.ts";
import { causeOfFailure, readFailure } from "./landlock_causes.ts";
import {
  LANDLOCK_CHECK_SCRIPT,
  type LandlockCheckInput,
} from "./landlock_check.ts";
import { ProbeGround } from "./probe_ground.ts";
import type { Account, LandlockLayer, OsOff } from "./types.ts";
import { readStatus, wrapCommand } from "./wrapper.ts";

const TIMEOUT_MS = 10_000;
/** Words of a report that are shown. */
const SHOWN = 5;
/** Characters of stderr that are shown. */
const QUOTED = 300;

/** Every permission: Landlock has to hold alone. */
const FLAGS: readonly string[] = [
  ...["run", "-A", "--quiet", "--no-prompt", "--no-config", "--no-lock"],
  ...["--no-remote", "--no-npm", "--no-check", "--no-code-cache"],
];

/** What is to be proved. */
export interface LandlockClaim {
  readonly layer: LandlockLayer;
  readonly runtime: string;
  readonly account: Account | undefined;
  readonly tmpDir: string;
  readonly prefix: string;
}

/** One run. */
interface Trial {
  readonly code: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly started: boolean;
  /** The status file. */
  readonly status: string;
  /** What the run did as it is seen from outside. */
  readonly reached: boolean;
  readonly handedOut: boolean;
}

/**
 * Runs the check script under the real launcher. Undefined when all of it held,
 * else why it is not to be used.
 */
export async function proveLandlock(
  claim: LandlockClaim,
): Promise<OsOff | undefined> {
  try {
    return judge(await attempt(claim));
  } catch (error) {
    return {
      cause: "no-probe",
      message: `Landlock could not be tried (${errorName(error)})`,
      advice: "Set TMPDIR to a directory that this account may write.",
    };
  }
}

function judge(trial: Trial): OsOff | undefined {
  if (trial.timedOut) {
    return {
      cause: "timed-out",
      message: `a run under Landlock did not end within ${TIMEOUT_MS / 1000} s`,
      advice: "Try again when the machine is less busy.",
    };
  }
  const failure = readFailure(trial.status);
  if (failure !== undefined) return causeOfFailure(failure);
  const report = readReport(trial.stdout);
  if (!trial.started || trial.code !== 0 || report === undefined) {
    return {
      cause: trial.started ? "runtime-does-not-start" : "launcher-fails",
      message: `${
        trial.started ? "the runtime does not start" : "the launcher fails"
      } under Landlock ("${visible(trial.stderr.trim(), QUOTED)}")`,
      advice: "Please report it, with the output of `skillfence doctor`.",
    };
  }
  const breaches = [
    ...report.breaches,
    ...trial.reached ? ["a listener of the host was reached"] : [],
  ];
  const broken = [
    ...report.broken,
    ...trial.handedOut ? [] : ["what a script writes does not come out"],
  ];
  if (breaches.length + broken.length === 0) return undefined;
  return {
    cause: breaches.length > 0 ? "does-not-hold" : "does-not-work",
    message: `a run under Landlock showed: ${
      visible(listed([...breaches, ...broken], SHOWN), 500)
    }`,
    advice: "Please report it, with the output of `skillfence doctor`.",
  };
}

async function attempt(claim: LandlockClaim): Promise<Trial> {
  const { layer, account } = claim;
  using ground = new ProbeGround({ ...claim, filter: new Uint8Array() });
  Deno.writeTextFileSync(ground.script, LANDLOCK_CHECK_SCRIPT);
  const status = join(ground.view.run, STATUS_FILE);
  Deno.writeTextFileSync(status, "", { mode: 0o600 });
  const input: LandlockCheckInput = {
    ...ground.input,
    signals: layer.abi >= ABI_SCOPES || account !== undefined,
  };
  const end = await boundedRun({
    command: wrapCommand({
      limits: {},
      command: [
        ...landlockCommand(layer, ground.view, account),
        ...FLAGS,
        ground.script,
        JSON.stringify(input),
      ],
    }),
    env: ground.env,
    timeoutMs: TIMEOUT_MS,
  });
  return {
    ...end,
    started: readStatus(status).started,
    status: Deno.readTextFileSync(status),
    reached: ground.reached,
    handedOut: ground.handedOut,
  };
}
