/** Reading an audit log of any size, line by line. */

import type { Result } from "../base/refusal.ts";
import { ok } from "../base/refusal.ts";
import { readLines } from "../evidence/file_lines.ts";
import {
  type AuditEventName,
  type AuditLine,
  type LostLine,
  readAuditLine,
} from "./audit_line.ts";

/** Which lines are wanted; what is left out does not matter. */
export interface AuditFilter {
  readonly skill?: string;
  readonly event?: AuditEventName;
  /** Not before this time. */
  readonly since?: Date;
  /** Only what was refused, and runs that were denied something. */
  readonly denied?: boolean;
}

/** What a reading met besides the wanted lines. */
export interface LogRead {
  /** Lines that say nothing. */
  readonly unreadable: number;
  /** Lines that the writer could not write, as it says itself. */
  readonly lost: number;
}

/** Many times longer than any line that is written. */
const MAX_LINE = 64 * 1024;

/**
 * Calls `take` with each wanted line, in the file's order. Refuses with
 * `NOT_FOUND` or `PATH_REFUSED`, in words that hold no path.
 */
export async function readLog(
  path: string,
  filter: AuditFilter,
  take: (line: AuditLine) => void,
): Promise<Result<LogRead>> {
  let unreadable = 0;
  let lost = 0;
  const limits = { maxBytes: Infinity, maxLine: MAX_LINE, followLink: true };
  const read = await readLines(path, limits, (text) => {
    const line = readAuditLine(text);
    if (line === undefined) unreadable++;
    else if (isLost(line)) lost += line.lines;
    else if (isWanted(line, filter)) take(line);
  });
  if (!read.ok) return read;
  const { tooLong, cut } = read.value;
  return ok({ unreadable: unreadable + tooLong + (cut ? 1 : 0), lost });
}

function isLost(line: AuditLine | LostLine): line is LostLine {
  return line.event === "lost";
}

function isWanted(line: AuditLine, filter: AuditFilter): boolean {
  const { skill, event, since, denied } = filter;
  return (skill === undefined || line.skill === skill) &&
    (event === undefined || line.event === event) &&
    (since === undefined || new Date(line.time) >= since) &&
    (denied !== true || wasDenied(line));
}

function wasDenied({ event, evidence }: AuditLine): boolean {
  return event === "refusal" ||
    Object.keys(evidence?.denied ?? {}).length > 0;
}
