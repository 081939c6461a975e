/** Why a run ended as it did, where its exit status does not say. */

import { visible } from "../base/text.ts";
import type { Spawned } from "./spawn.ts";
import type { CapturedStream, Plan } from "./types.ts";

/** Characters of stderr that are looked at, from each end. */
const LOOK_AT = 64 * 1024;
/** V8 aborts with a trap when a heap is full; a shell reports 128 + 5. */
const TRAP_EXIT = 133;

/** What the hints are drawn from. */
export interface EndedRun {
  readonly plan: Plan;
  readonly ended: Spawned;
  /** The server itself has a proxy variable. */
  readonly behindProxy: boolean;
}

/** Sentences for the caller, most telling first. Empty for a plain success. */
export function runHints(run: EndedRun): string[] {
  const { ended } = run;
  if (ended.cancelled) return ["The run was cancelled and its process ended."];
  if (ended.exitCode === 0 && !ended.timedOut) return [];
  const stderr = textOf(ended.stderr);
  return [
    timeoutHint(run),
    memoryHint(run, stderr),
    packageHint(stderr) ?? readHint(stderr),
    writeHint(run, stderr),
    reachHint(stderr),
    signalHint(run, stderr),
    run.behindProxy
      ? "This server goes out through a proxy. If the script failed at the network, the proxy may have refused the host: it must admit the hosts that the skill declares."
      : undefined,
  ].filter((hint) => hint !== undefined);
}

function timeoutHint({ plan, ended }: EndedRun): string | undefined {
  if (!ended.timedOut) return undefined;
  const end = ended.exitCode === null && ended.signal === null
    ? " It did not end even then and was abandoned."
    : "";
  return `The script still ran at its deadline of ${
    plan.timeoutMs / 1000
  } s and was ended.${end} A top-level await that never settles, an open listener, server or timer, or a read from a source that never ends keep a script running; end it with process.exit() or declare a longer timeout.`;
}

function memoryHint(
  { plan, ended }: EndedRun,
  stderr: string,
): string | undefined {
  const trapped = ended.signal === "SIGTRAP" || ended.exitCode === TRAP_EXIT;
  if (trapped || /JavaScript heap out of memory/.test(stderr)) {
    return `The script used more memory than its limit of ${plan.limits.memoryMiB} MiB of JavaScript heap and was ended by the runtime.`;
  }
  if (
    /Array buffer allocation failed|memory allocation of \d+ bytes failed/.test(
      stderr,
    )
  ) {
    return "The script asked for more memory than the limit on its process (RLIMIT_DATA) admits.";
  }
  return undefined;
}

// Deno's own advice (`deno add`, `run again with --allow-…`) helps nobody here.
function packageHint(stderr: string): string | undefined {
  return /not a dependency and not in import map|npm specifiers were requested|Requires import access to "|Requires read access to "[^"\n]*[/\\]node_modules"/
      .test(stderr)
    ? "Packages are neither installed nor fetched for a script: ship what it imports with the skill and import it by its relative path. Built-in modules work with or without `node:`."
    : undefined;
}

function readHint(stderr: string): string | undefined {
  const denied = /Requires read access to "([^"\n]*)"/.exec(stderr)?.[1];
  if (denied === undefined) return undefined;
  return `Reading "${
    visible(denied, 120)
  }" was refused: a script reads its skill's directory, its scratch, and a data directory or workspace where there is one. Hand it other files in with the call (\`files\`).`;
}

function writeHint({ plan }: EndedRun, stderr: string): string | undefined {
  const denied = /Requires write access to "([^"\n]*)"/.exec(stderr)?.[1];
  if (denied === undefined) return undefined;
  const kept = plan.dataDir === null
    ? "no MCP_DATA_DIR is set here for files that must last"
    : "MCP_DATA_DIR for files that must last";
  return `Writing "${
    visible(denied, 120)
  }" was refused: the skill's own directory and everything else outside the granted ones is read-only. Write below SKILL_OUT, whose files come back as outputs (${kept}).`;
}

function reachHint(stderr: string): string | undefined {
  const denied = /Requires net access to "([^"\n]*)"/.exec(stderr)?.[1];
  if (denied === undefined) return undefined;
  return `Reaching "${
    visible(denied, 120)
  }" was refused: a script reaches only hosts that its skill declares under \`egress\` and the owner's grant admits.`;
}

function signalHint(
  { ended }: EndedRun,
  stderr: string,
): string | undefined {
  if (ended.timedOut || ended.signal === null) return undefined;
  if (ended.signal === "SIGTRAP") return undefined;
  if (ended.signal === "SIGKILL") {
    return "The script's process was killed (SIGKILL) by something else than its deadline; the system does this when memory runs out.";
  }
  const said = stderr.trim() === "" ? " without a word" : "";
  return `The script's process was ended by ${ended.signal}${said}.`;
}

function textOf(stream: CapturedStream): string {
  const decoder = new TextDecoder();
  const last = stream.tail.length > 0 ? stream.tail : stream.head;
  return decoder.decode(stream.head.subarray(0, LOOK_AT)) + "\n" +
    decoder.decode(last.subarray(-LOOK_AT));
}
