/** Lines of an audit log, as text. */

import { auditLine } from "../../src/audit/audit_line.ts";

/** A line that says a run went well, with some of its members replaced. */
export function auditLineText(more: Record<string, unknown> = {}): string {
  const line = auditLine({
    event: "run",
    skill: "weather",
    script: "get.mjs",
    args: [],
    outcome: {
      exitCode: 0,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: 12.4,
    },
    layers: ["decision"],
    evidence: { allowed: { read: 1 }, denied: {}, deniedNames: [], more: 0 },
  }, new Date("2026-01-31T12:00:00.123Z"));
  return `${JSON.stringify({ ...line, ...more })}\n`;
}
