/** What a run tried, in words and columns, for people. */

import { visible } from "../base/text.ts";
import { KINDS } from "../evidence/permission_record.ts";
import type { Evidence, EvidenceEntry, NetEntry } from "../evidence/types.ts";
import type { Screen } from "./screen.ts";
import { type Cell, table } from "./table.ts";

/** Entries of each kind that are shown; `--json` has all. */
const SHOWN = 6;

/**
 * The record as lines without a trailing newline: what was denied first, then
 * the hosts that were let through, then what was touched as allowed, counted;
 * what the record cannot show stands where one of the first two does.
 */
export function showEvidence(evidence: Evidence, screen: Screen): string {
  const { paint } = screen;
  const rows: Cell[][] = [];
  for (const kind of KINDS) {
    const denied = evidence[kind].filter(({ verdict }) => verdict === "denied");
    for (const entry of denied.slice(0, SHOWN)) {
      rows.push([
        { text: `denied ${kind}`, paint: paint.warn },
        { text: entryText(entry) },
      ]);
    }
    if (denied.length > SHOWN) {
      rows.push([
        { text: `denied ${kind}`, paint: paint.warn },
        { text: `and ${denied.length - SHOWN} more` },
      ]);
    }
  }
  for (const entry of evidence.net.slice(0, SHOWN)) {
    if (entry.verdict === "allowed") {
      rows.push([{ text: "allowed net" }, { text: entryText(entry) }]);
    }
  }
  const telling = rows.length > 0;
  const touched = KINDS.filter((kind) => kind !== "net").flatMap((kind) => {
    const allowed = evidence[kind].filter(({ verdict }) =>
      verdict === "allowed"
    );
    return allowed.length === 0 ? [] : [`${allowed.length} ${kind}`];
  });
  if (touched.length > 0) {
    rows.push([{ text: "as allowed" }, { text: touched.join(", ") }]);
  }
  for (const text of telling ? evidence.blind : []) {
    rows.push([
      { text: "not seen", paint: paint.quiet },
      { text: visible(text, 400), paint: paint.quiet },
    ]);
  }
  return rows.length === 0
    ? ""
    : table(rows, { columns: screen.columns, indent: 2 });
}

function entryText(entry: EvidenceEntry | NetEntry): string {
  const times = entry.times === 1 ? "" : ` (${entry.times} times)`;
  const { bytesOut, bytesIn, reason } = entry as NetEntry;
  const bytes = bytesOut === undefined && bytesIn === undefined
    ? ""
    : `, ${bytesOut ?? 0} bytes out, ${bytesIn ?? 0} in`;
  const why = reason === undefined ? "" : `: ${visible(reason, 120)}`;
  return `${visible(entry.what, 200)}${times}${bytes}${why}`;
}
