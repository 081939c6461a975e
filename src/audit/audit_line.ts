/**
 * One line of the audit log. It never holds an argument, a variable's value or
 * a secret; it holds digests, names and numbers.
 */

import { canonicalJson, sha256 } from "../base/digest.ts";
import { visible } from "../base/text.ts";
import { type Kind, KINDS } from "../evidence/permission_record.ts";
import type { EvidenceSummary } from "../evidence/summary.ts";

/** What was done: asked about, run, called at a declared server, refused, or ended by who asked. */
export const EVENTS = [
  "preview",
  "run",
  "call",
  "refusal",
  "cancellation",
  "render",
] as const;

/** One of them. */
export type AuditEventName = (typeof EVENTS)[number];

/** How it came out: a refusal's code, a script's end, or nothing yet. */
export type Outcome = { readonly code: string } | {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
} | null;

/** What there is to say about one call. */
export interface AuditEvent {
  readonly event: AuditEventName;
  /** As it was called: strangers' text. */
  readonly skill: string;
  readonly script: string;
  /** `sha256:<hex>`; undefined where there is no Plan. */
  readonly scriptSha256?: string;
  readonly planDigest?: string;
  readonly args: readonly string[];
  readonly outcome: Outcome;
  /** Names of the layers in force. */
  readonly layers: readonly string[];
  readonly evidence?: EvidenceSummary;
}

/** One line, as it is written and read. */
export interface AuditLine {
  readonly v: 1;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly event: AuditEventName;
  readonly skill: string;
  readonly script: string;
  readonly scriptSha256: string | null;
  readonly planDigest: string | null;
  readonly argsSha256: string;
  readonly outcome: Outcome;
  readonly layers: readonly string[];
  readonly evidence: EvidenceSummary | null;
}

/** A line that says how many are missing before it. */
export interface LostLine {
  readonly v: 1;
  readonly time: string;
  readonly event: "lost";
  readonly lines: number;
}

/** Characters of a name at most. */
const NAME = 120;

/** The line of an event, without its end. */
export function auditLine(event: AuditEvent, time: Date): AuditLine {
  return {
    v: 1,
    time: time.toISOString(),
    event: event.event,
    skill: visible(event.skill, NAME),
    script: visible(event.script, NAME),
    scriptSha256: event.scriptSha256 ?? null,
    planDigest: event.planDigest ?? null,
    argsSha256: digestOfArguments(event.args),
    outcome: event.outcome,
    layers: event.layers,
    evidence: event.evidence ?? null,
  };
}

/**
 * `sha256:<hex>` of the canonical JSON of the arguments, so that equal calls
 * have equal digests in every log. Without a key: the Plan's digest covers the
 * arguments too, so a key here would hide nothing. Whoever can read a log can
 * try guesses at short arguments.
 */
export function digestOfArguments(args: readonly string[]): string {
  return sha256(canonicalJson(args));
}

/**
 * Reads one line back; undefined for what is none. Only what this program
 * writes is taken, and names are made visible again: the file may come from
 * anywhere.
 */
export function readAuditLine(text: string): AuditLine | LostLine | undefined {
  const line = parsed(text);
  if (line === undefined || line.v !== 1 || !isTime(line.time)) {
    return undefined;
  }
  if (line.event === "lost") {
    return isCount(line.lines)
      ? { v: 1, time: line.time, event: "lost", lines: line.lines }
      : undefined;
  }
  const event = EVENTS.find((each) => each === line.event);
  const { skill, script, argsSha256, layers } = line;
  const outcome = outcomeOf(line.outcome);
  if (
    event === undefined || typeof skill !== "string" ||
    typeof script !== "string" || typeof argsSha256 !== "string" ||
    !isNames(layers) || outcome === undefined
  ) return undefined;
  return {
    v: 1,
    time: line.time,
    event,
    skill: visible(skill, 2 * NAME),
    script: visible(script, 2 * NAME),
    scriptSha256: digestOrNull(line.scriptSha256),
    planDigest: digestOrNull(line.planDigest),
    argsSha256: visible(argsSha256, NAME),
    outcome,
    layers: layers.map((name) => visible(name, NAME)),
    evidence: summaryFrom(line.evidence),
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is string {
  return typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
}

/** JSON spells more than counts: `1e999` is read as Infinity. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) &&
    value.every((name) => typeof name === "string");
}

function digestOrNull(value: unknown): string | null {
  return typeof value === "string" ? visible(value, NAME) : null;
}

function outcomeOf(value: unknown): Outcome | undefined {
  if (value === null) return null;
  if (typeof value !== "object" || value === undefined) return undefined;
  const { code, exitCode, signal, timedOut, cancelled, durationMs } =
    value as Record<string, unknown>;
  if (typeof code === "string") return { code: visible(code, NAME) };
  if (typeof durationMs !== "number" || !isFinite(durationMs)) return undefined;
  return {
    exitCode: Number.isSafeInteger(exitCode) ? exitCode as number : null,
    signal: typeof signal === "string" ? visible(signal, NAME) : null,
    timedOut: timedOut === true,
    cancelled: cancelled === true,
    durationMs,
  };
}

function summaryFrom(value: unknown): EvidenceSummary | null {
  if (typeof value !== "object" || value === null) return null;
  const { allowed, denied, deniedNames, more } = value as Record<
    string,
    unknown
  >;
  return {
    allowed: countsFrom(allowed),
    denied: countsFrom(denied),
    deniedNames: isNames(deniedNames)
      ? deniedNames.map((name) => visible(name))
      : [],
    more: isCount(more) ? more : 0,
  };
}

function countsFrom(value: unknown): EvidenceSummary["allowed"] {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(([kind, count]) =>
      KINDS.includes(kind as Kind) && isCount(count)
    ),
  );
}
