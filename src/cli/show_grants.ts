/** What the owner lets run, as `doctor` shows it. */

import { visible } from "../base/text.ts";
import type { DoctorReport } from "./doctor_report.ts";
import type { Screen } from "./screen.ts";
import { severityPaint } from "./show_list.ts";
import type { Cell } from "./table.ts";

/** What scripts may run, and why. */
export function grantRows(
  { grant }: DoctorReport,
  { paint }: Screen,
): Cell[][] {
  const meaning: Readonly<Record<string, string>> = {
    "declaration":
      "MCP_SKILL_RUN is not set: what a skill declares may run. Set it to decide yourself.",
    "hosted-default":
      "MCP_SKILL_RUN is not set and a host started this server: nothing runs.",
    "MCP_SKILL_RUN": "MCP_SKILL_RUN is set: only its rows run.",
  };
  return [
    [{ text: "from" }, { text: meaning[grant.from] ?? grant.from }],
    ...grant.rows.map((row) => [{ text: "row" }, { text: visible(row) }]),
    ...grant.notes.map(({ severity, reason, detail, hint }): Cell[] => [
      { text: severity, paint: severityPaint(severity, paint) },
      { text: `${reason}: ${visible(detail, 400)} ${visible(hint, 400)}` },
    ]),
  ];
}

/** What may run when a text is loaded, and which declared servers may start. */
export function laterRows(
  { renderRows, mcpRows, laterNotes }: DoctorReport,
  { paint }: Screen,
): Cell[][] {
  const rows = (what: string, none: string, all: readonly string[]): Cell[][] =>
    all.length === 0
      ? [[{ text: what }, { text: none }]]
      : all.map((row) => [{ text: what }, { text: visible(row, 400) }]);
  return [
    ...rows(
      "command",
      "MCP_SKILL_RENDER lists none: no text runs anything",
      renderRows,
    ),
    ...rows(
      "server",
      "MCP_SKILL_MCP lists none: no declared server starts",
      mcpRows,
    ),
    ...laterNotes.map(({ variable, note }): Cell[] => [
      { text: note.severity, paint: severityPaint(note.severity, paint) },
      {
        text: `${variable}, ${note.reason}: ${visible(note.detail, 400)} ${
          visible(note.hint, 400)
        }`,
      },
    ]),
  ];
}
