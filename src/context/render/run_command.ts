/** Running one command of a text that the owner listed. */

import { refuse, type Result } from "../../base/refusal.ts";
import type { Recorder } from "../../audit/recorder.ts";
import type { Skill } from "../../catalog/types.ts";
import type { PureRuns } from "../../fence/pure_runs.ts";
import type { CapturedStream } from "../../fence/types.ts";
import { commandKind } from "./command_kind.ts";

/** What commands are run by. */
export interface CommandDeps {
  readonly runs: Pick<
    PureRuns,
    | "bundleDigest"
    | "prepareScript"
    | "runScript"
    | "prepareHost"
    | "runHost"
  >;
  readonly record?: Pick<Recorder, "rendered" | "renderedHost">;
}

/** A granted command. */
export interface GrantedCommand {
  readonly skill: Skill;
  readonly words: readonly string[];
  /** Accepted digests of the bundle; undefined: any. */
  readonly bundles: readonly string[] | undefined;
  /** Absolute real directory that is worked in. */
  readonly workspace: string | undefined;
}

/** How one ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly overLimit?: string | null | undefined;
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
}

/** Runs it to its end; a refusal means that nothing was started. */
export async function runCommand(
  command: GrantedCommand,
  { runs, record }: CommandDeps,
  signal: AbortSignal,
): Promise<Result<CommandEnd>> {
  const { skill, words, bundles, workspace } = command;
  const kind = commandKind(skill, words[0] ?? "");
  if (!kind.ok) return kind;
  const [, ...args] = words;
  if (kind.value.kind === "script") {
    const script = kind.value.path;
    const prepared = await runs.prepareScript(skill, [script, ...args], {
      bundles,
      workspace,
    });
    if (!prepared.ok) return prepared;
    const ran = await runs.runScript(prepared.value, signal);
    if (ran.ok) {
      const call = { skill: skill.name, script, args };
      record?.rendered(call, prepared.value.plan, ran.value);
    }
    return ran;
  }
  if (bundles !== undefined) {
    const digest = await runs.bundleDigest(skill);
    if (!digest.ok) return digest;
    if (!bundles.includes(digest.value)) return stale(digest.value);
  }
  const own = skill.flat ? undefined : skill.dir;
  const prepared = await runs.prepareHost({
    words,
    dir: workspace ?? own,
    readable: own === undefined || workspace === undefined ? [] : [own],
  });
  if (!prepared.ok) return prepared;
  const ran = await runs.runHost(prepared.value, signal);
  if (ran.ok) {
    const call = { skill: skill.name, script: words[0] ?? "", args };
    record?.renderedHost(call, ran.value, ["decision", "os"]);
  }
  return ran;
}

function stale(digest: string): Result<never> {
  return refuse(
    "GRANT_STALE",
    `the skill's files are not those that the row of MCP_SKILL_RENDER pins; they are ${digest} now`,
    "Look at the change, then set `bundle` of the row.",
  );
}

/** In words why an end is none with output; undefined: it went well. */
export function failureOf(end: CommandEnd): string | undefined {
  if (end.cancelled) return "was stopped";
  if (end.timedOut) return "timed out after 10 s";
  if (typeof end.overLimit === "string") {
    return `was stopped: ${end.overLimit}`;
  }
  if (end.exitCode === 0) return undefined;
  return end.exitCode === null
    ? `was ended by ${end.signal ?? "a signal"}`
    : `exited with code ${end.exitCode}`;
}
