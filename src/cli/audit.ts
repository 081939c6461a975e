/** `skillfence audit`: the audit log as a table. */

import { isAbsolute, join } from "node:path";
import {
  type AuditEventName,
  type AuditLine,
  EVENTS,
} from "../audit/audit_line.ts";
import { type AuditFilter, readLog } from "../audit/read_log.ts";
import { visible } from "../base/text.ts";
import type { CliHost } from "./host.ts";
import type { Paint, Screen } from "./screen.ts";
import { type Cell, table } from "./table.ts";

/** The command's own words, as they came. */
export interface AuditOptions {
  readonly file: string;
  readonly skill: string | undefined;
  readonly event: string | undefined;
  readonly since: string | undefined;
  readonly denied: boolean;
  readonly json: boolean;
}

/** Rows laid out together: a log may be larger than memory. */
const BLOCK = 500;
const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const HEAD = ["TIME", "EVENT", "SKILL", "SCRIPT", "OUTCOME", "DENIED"];

/** Prints the log. Returns 0, or 2 for a mistake in the call. */
export async function audit(
  { cwd, screen }: Pick<CliHost, "cwd" | "screen">,
  options: AuditOptions,
): Promise<number> {
  const filter = filterOf(options, new Date());
  if (typeof filter === "string") return mistake(screen, filter);
  const path = isAbsolute(options.file)
    ? options.file
    : join(cwd, options.file);
  const printer = options.json ? new JsonLines(screen) : new Rows(screen);
  const read = await readLog(path, filter, (line) => printer.take(line));
  if (!read.ok) {
    return mistake(screen, `${visible(options.file)} ${read.message}`);
  }
  printer.end(read.value);
  return 0;
}

function mistake(screen: Screen, text: string): number {
  screen.err(`skillfence: ${text}\n`);
  return 2;
}

/** The filter, or what is wrong with the words for it. */
function filterOf(options: AuditOptions, now: Date): AuditFilter | string {
  const { skill, denied, event, since } = options;
  if (event !== undefined && !EVENTS.includes(event as AuditEventName)) {
    return `--event is "${visible(event)}"; accepted: one of ${
      EVENTS.join(", ")
    }`;
  }
  const from = since === undefined ? undefined : timeOf(since, now);
  if (since !== undefined && from === undefined) {
    return `--since is "${
      visible(since)
    }"; accepted: a time such as 2026-01-31 or 2026-01-31T12:00:00Z, or an age such as 30m, 12h, 7d`;
  }
  return {
    denied,
    ...(skill === undefined ? {} : { skill }),
    ...(event === undefined ? {} : { event: event as AuditEventName }),
    ...(from === undefined ? {} : { since: from }),
  };
}

function timeOf(text: string, now: Date): Date | undefined {
  const age = /^(\d{1,6})([mhd])$/.exec(text);
  if (age !== null) {
    return new Date(now.getTime() - Number(age[1]) * UNITS[age[2]!]!);
  }
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** What was met besides the lines. */
interface Met {
  readonly unreadable: number;
  readonly lost: number;
}

/** One JSON document, written as it grows. */
class JsonLines {
  readonly #screen: Screen;
  #begun = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  take(line: AuditLine): void {
    this.#screen.out(
      `${this.#begun ? "," : '{"entries":['}\n${JSON.stringify(line)}`,
    );
    this.#begun = true;
  }

  end({ unreadable, lost }: Met): void {
    const start = this.#begun ? "\n" : '{"entries":[';
    this.#screen.out(
      `${start}],"unreadable":${unreadable},"lost":${lost}}\n`,
    );
  }
}

/** Blocks of rows, each with its head. */
class Rows {
  readonly #screen: Screen;
  #rows: Cell[][] = [];
  #count = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  take(line: AuditLine): void {
    this.#rows.push(rowOf(line, this.#screen.paint));
    this.#count++;
    if (this.#rows.length === BLOCK) this.#print();
  }

  end({ unreadable, lost }: Met): void {
    this.#print();
    const counted = this.#count === 1 ? "1 entry" : `${this.#count} entries`;
    const bad = unreadable === 1 ? "1 line" : `${unreadable} lines`;
    this.#screen.out(
      counted +
        (lost > 0 ? `; ${lost} could not be written at their time` : "") +
        (unreadable > 0 ? `; ${bad} could not be read` : "") +
        "\n",
    );
  }

  #print(): void {
    if (this.#rows.length === 0) return;
    const { columns, paint } = this.#screen;
    const head = HEAD.map((text) => ({ text, paint: paint.quiet }));
    const layout = columns === undefined ? {} : { columns };
    this.#screen.out(`${table([head, ...this.#rows], layout)}\n\n`);
    this.#rows = [];
  }
}

function rowOf(line: AuditLine, paint: Paint): Cell[] {
  const { outcome, evidence } = line;
  const names = evidence?.deniedNames ?? [];
  const all = Object.values(evidence?.denied ?? {})
    .reduce((sum, count) => sum + count, 0);
  const others = all > names.length ? ` and ${all - names.length} more` : "";
  const bad = outcome !== null && "code" in outcome;
  return [
    { text: line.time.replace(/\.\d+Z$/, "Z"), paint: paint.quiet },
    { text: line.event, ...(bad ? { paint: paint.bad } : {}) },
    { text: line.skill, paint: paint.strong },
    { text: line.script },
    { text: outcomeText(line) },
    { text: `${names.join(", ")}${others}`, paint: paint.warn },
  ];
}

function outcomeText({ outcome }: AuditLine): string {
  if (outcome === null) return "-";
  if ("code" in outcome) return outcome.code;
  const { exitCode, signal, timedOut, cancelled, durationMs } = outcome;
  const how = timedOut
    ? "timed out"
    : cancelled
    ? "cancelled"
    : signal ?? `exit ${exitCode ?? "?"}`;
  return `${how}, ${Math.round(durationMs)} ms`;
}
