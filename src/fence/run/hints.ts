/** Why a run ended as it did, where its exit status does not say. */

import type { Spawned } from "./spawn.ts";
import type { CapturedStream, Plan } from "../types.ts";

/** Characters of stderr that are looked at, from each end. */
const LOOK_AT = 64 * 1024;
/** What a sandbox adds to the number of the signal that ended its program. */
const BY_SIGNAL = 128;
/** Signals that a limit, or the runtime at one, ends a process with. */
const SIGNALS: Readonly<Record<number, string>> = {
  5: "SIGTRAP",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
  24: "SIGXCPU",
  25: "SIGXFSZ",
};

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
  const over = overHint(ended);
  if (over !== undefined) return [over];
  if (ended.exitCode === 0 && !ended.timedOut) return [];
  const stderr = textOf(ended.stderr);
  return [
    timeoutHint(run),
    memoryHint(run, stderr),
    roomHint(run, stderr),
    packageHint(stderr) ?? readHint(stderr),
    writeHint(run, stderr),
    socketsHint(run, stderr),
    signalHint(run, stderr),
    run.behindProxy
      ? "This server goes out through a proxy. If the script failed at the network, the proxy may have refused the host: it must admit the hosts that the skill declares."
      : undefined,
  ].filter((hint) => hint !== undefined);
}

/** Raw sockets have nothing to go through where only the proxy leads out. */
function socketsHint({ plan }: EndedRun, stderr: string): string | undefined {
  const without =
    /failed to lookup address|Temporary failure in name resolution|EAI_AGAIN|ENOTFOUND|EAFNOSUPPORT|Address family not supported|Network is unreachable|ENETUNREACH/
      .test(stderr);
  return without && plan.confinement.network === "proxy"
    ? "This run has no network but its proxy, which fetch and WebSocket use, and node:http and node:https in a sandbox. A script that opens sockets itself works only with `sockets: true` in its declaration and in the owner's grant, and then past the proxy. The owner decides; do not edit the grant."
    : undefined;
}

function overHint({ overLimit, signal }: Spawned): string | undefined {
  if (overLimit === undefined) return undefined;
  return signal === null
    ? `The run ended over a limit: ${overLimit} Later runs are refused while its data directory holds that much.`
    : `The run went over a limit and was stopped: ${overLimit} What it had written stands.`;
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

function memoryHint(run: EndedRun, stderr: string): string | undefined {
  const { memoryMiB } = run.plan.limits;
  if (
    /virtual memory for CodeRange|could not start: unable to create/i.test(
      stderr,
    )
  ) {
    return `The script started more workers than fit into its memory of ${memoryMiB} MiB: each takes some 350 MiB before its own objects.`;
  }
  const trapped = signalOf(run) === "SIGTRAP";
  if (trapped || /JavaScript (?:heap )?out of memory/.test(stderr)) {
    return `The script used more memory than its limit of ${memoryMiB} MiB and was ended by the runtime.`;
  }
  if (
    /Array buffer allocation failed|memory allocation of \d+ bytes failed|Unable to grow instance memory/
      .test(stderr)
  ) {
    return `The script asked for more memory than its limit of ${memoryMiB} MiB admits.`;
  }
  return undefined;
}

/** Room on disk and descriptors: the system says it by error numbers. */
function roomHint(run: EndedRun, stderr: string): string | undefined {
  const { fileMiB, diskMiB, openFiles } = run.plan.limits;
  const said = (number: number, name: string) =>
    new RegExp(`\\(os error ${number}\\)|\\b${name}\\b`).test(stderr);
  if (signalOf(run) === "SIGXFSZ" || said(27, "EFBIG")) {
    return `A file of the script came to its limit of ${fileMiB} MiB.`;
  }
  if (said(28, "ENOSPC")) {
    return `There was no space left: the script's scratch holds ${diskMiB} MiB.`;
  }
  if (said(24, "EMFILE")) {
    return `The script had more files and connections open than its limit of ${openFiles}.`;
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

/**
 * What a script prints is its own: no word of it stands in a hint, or it could
 * name a file that it wants handed in. The evidence names what was denied; a
 * denied host has a sentence of its own there (`askedFor`).
 */
function readHint(stderr: string): string | undefined {
  return /Requires read access to "[^"\n]*"/.test(stderr)
    ? "Reading a file was refused: a script reads its skill's directory, its scratch, and a data directory or workspace where there is one. What the user wants it to read can be handed in with the call (`files`)."
    : undefined;
}

function writeHint({ plan }: EndedRun, stderr: string): string | undefined {
  if (!/Requires write access to "[^"\n]*"/.test(stderr)) return undefined;
  const kept = plan.dataDir === null
    ? "no MCP_DATA_DIR is set here for files that must last"
    : "MCP_DATA_DIR for files that must last";
  return `Writing a file was refused: the skill's own directory and everything else outside the granted ones is read-only. Write below SKILL_OUT, whose files come back as outputs (${kept}).`;
}

function signalHint(run: EndedRun, stderr: string): string | undefined {
  const signal = signalOf(run);
  if (run.ended.timedOut || signal === null || signal === "SIGTRAP") {
    return undefined;
  }
  if (signal === "SIGXFSZ") return undefined;
  if (signal === "SIGKILL" || signal === "SIGXCPU") {
    return `The script's process was killed (${signal}), and not by its deadline: it used up its limit of ${run.plan.limits.cpuSeconds} s of processor time, or the system ran out of memory.`;
  }
  const said = stderr.trim() === "" ? " without a word" : "";
  return `The script's process was ended by ${signal}${said}.`;
}

/**
 * The signal that ended the process. A sandbox passes it on as an exit code,
 * which a script may have chosen as well.
 */
function signalOf({ plan, ended }: EndedRun): string | null {
  if (ended.signal !== null || plan.confinement.by !== "bwrap") {
    return ended.signal;
  }
  return SIGNALS[(ended.exitCode ?? 0) - BY_SIGNAL] ?? null;
}

function textOf(stream: CapturedStream): string {
  const decoder = new TextDecoder();
  const last = stream.tail.length > 0 ? stream.tail : stream.head;
  return decoder.decode(stream.head.subarray(0, LOOK_AT)) + "\n" +
    decoder.decode(last.subarray(-LOOK_AT));
}
