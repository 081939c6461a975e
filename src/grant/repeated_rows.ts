/** Rows for one script, which add up. */

import { visible } from "../base/text.ts";
import type { GrantNote, GrantRow } from "./types.ts";

/** One note for each script that several rows name. */
export function reportRepeats(rows: readonly GrantRow[]): GrantNote[] {
  const groups = Map.groupBy(rows, keyOf);
  return [...groups.values()].filter((group) => group.length > 1).map(
    (group) => {
      const directories = new Set(
        group.flatMap(({ workspace }) => workspace ?? []),
      );
      const pins = group.some(({ bundle }) => bundle !== undefined);
      return {
        severity: "warning",
        reason: "grant-duplicate",
        detail: `Rows ${group.map(({ index }) => index + 1).join(", ")} name ${
          scriptName(group[0]!)
        }: their variables and hosts add up${
          pins ? ", and only the bundles they pin run" : ""
        }${
          directories.size > 1
            ? ", but they name different workspaces, so there is none"
            : ""
        }.`,
        hint: "Keep one row for each script.",
      };
    },
  );
}

/** How messages name what a row is about. */
export function scriptName(row: GrantRow): string {
  return `${visible(row.skill, 80)} ${visible(row.script, 80)}`;
}

/** The same for rows of one script. */
export function keyOf(row: GrantRow): string {
  return JSON.stringify([row.skill, row.script]);
}
