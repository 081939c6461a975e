/** What the owner should know about the rows, given what is served. */

import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import { intersectHosts } from "../skill/host_sets.ts";
import type { Declaration, ScriptDeclaration } from "../skill/types.ts";
import { authorsHosts, rowEgress, sentTo } from "./secrets.ts";
import { rowName } from "./row_values.ts";
import { keyOf, reportRepeats, scriptName } from "./repeated_rows.ts";
import type { Grant, GrantNote, GrantRow } from "./types.ts";
import { whyNotBound } from "./workspace_rows.ts";

/** The part of a served skill that rows are held against. */
export interface GrantedSkill {
  /** As served. */
  readonly name: string;
  readonly declaration: Declaration;
  /** Real path of the workspace it comes from. */
  readonly workspace?: string | undefined;
}

/**
 * Rows that match no skill or no declared script, names and hosts that grant
 * nothing because they are not declared, rows for one script that add up, and
 * rows that hand over a variable without saying where it may go (`open-grant`).
 * What is wrong with the text itself stands in `grant.notes`, not here.
 */
export function reportGrant(
  grant: Grant,
  skills: Iterable<GrantedSkill>,
): GrantNote[] {
  if (grant.rows.length === 0) return [];
  const byName = new Map([...skills].map((skill) => [skill.name, skill]));
  return [
    ...grant.rows.flatMap((row) => reportRow(row, byName, grant)),
    ...reportRepeats(grant.rows),
  ];
}

function reportRow(
  row: GrantRow,
  byName: ReadonlyMap<string, GrantedSkill>,
  grant: Grant,
): GrantNote[] {
  const skill = byName.get(row.skill);
  if (skill === undefined) {
    return [nothing(
      row,
      `no skill is served as "${visible(row.skill, 80)}"`,
      near(row.skill, byName.keys(), "Skills served"),
    )];
  }
  const { declaration, workspace } = skill;
  const declared = declaration.scripts.find(({ script }) =>
    script === row.script
  );
  if (declared === undefined) {
    return [nothing(
      row,
      `${visible(row.skill, 80)} does not declare the script "${
        visible(row.script, 80)
      }"`,
      near(
        row.script,
        declaration.scripts.map(({ script }) => script),
        "Scripts it declares",
      ),
    )];
  }
  const unbound = whyNotBound(row, { skill: row.skill, workspace });
  if (unbound !== undefined) {
    return [nothing(
      row,
      `${visible(row.skill, 80)} is a skill of a workspace, and ${unbound}`,
      `Write "workspace": ${
        visible(JSON.stringify(workspace ?? ""), 200)
      } and "bundle" with the digest that skill_preview names.`,
    )];
  }
  return [
    ...reportUndeclared(row, declared, skill),
    ...reportHeld(row, declared, declaration),
    ...reportOpen(row, declared, grant),
  ];
}

/** Hosts of a held variable that its value is not sent to, and values that go nowhere. */
function reportHeld(
  row: GrantRow,
  declared: ScriptDeclaration,
  declaration: Declaration,
): GrantNote[] {
  const egress = rowEgress(declaration.egress, row);
  return row.env.filter(({ name }) => declared.env.includes(name)).flatMap(
    ({ name, hosts }): GrantNote[] => {
      const author = authorsHosts(declaration, name);
      const lost = (hosts ?? []).filter((host) =>
        sentTo(author, [host], egress).length === 0
      ).map(({ text }) => text);
      if (lost.length > 0) {
        return [held(
          row,
          `names hosts for ${name} outside what ${
            scriptName(row)
          } may send it to, which get nothing: ${listed(lost)}`,
        )];
      }
      // An empty list of the owner's own is meant.
      const nowhere = hosts === undefined && author !== undefined &&
        sentTo(author, undefined, egress).length === 0;
      return nowhere
        ? [held(
          row,
          `hands ${name} to ${
            scriptName(row)
          }, but opens none of the hosts it may be sent to`,
        )]
        : [];
    },
  );
}

function reportUndeclared(
  row: GrantRow,
  declared: ScriptDeclaration,
  { declaration, workspace: from }: GrantedSkill,
): GrantNote[] {
  const names = row.env.map(({ name }) => name)
    .filter((name) => !declared.env.includes(name));
  const hosts = (row.egress ?? []).filter((host) =>
    intersectHosts(declaration.egress, [host]).length === 0
  ).map(({ text }) => text);
  // Of a workspace's skill it says whose skill is meant.
  const workspace = row.workspace !== undefined && from === undefined &&
    declared.workspace === undefined;
  return [
    ...(names.length === 0 ? [] : [extra(row, "variables", names)]),
    ...(hosts.length === 0 ? [] : [extra(row, "hosts", hosts)]),
    ...(workspace ? [extra(row, "workspace", [row.workspace!])] : []),
    ...(row.sockets && !declared.sockets
      ? [extra(row, "the network itself", ["sockets"])]
      : []),
  ];
}

function reportOpen(
  row: GrantRow,
  declared: ScriptDeclaration,
  grant: Grant,
): GrantNote[] {
  const handed = row.env.filter(({ name, hosts, plain }) =>
    // Held, with hosts of the owner's choice: no author changes where it goes.
    declared.env.includes(name) && (hosts === undefined || plain)
  ).map(({ name }) => name);
  // Rows for one script add up: another one may open what this one closes.
  const same = grant.rows.filter((other) => keyOf(other) === keyOf(row));
  const pinned = same.some(({ bundle }) => bundle !== undefined);
  const open = row.egress === undefined
    ? row
    : same.find(({ egress }) => egress === undefined);
  if (handed.length === 0 || open === undefined || pinned) return [];
  const how = open === row
    ? "with neither egress nor bundle"
    : `and ${
      rowName(open.index).toLowerCase()
    } for the same script has neither egress nor bundle`;
  return [{
    severity: "warning",
    reason: "open-grant",
    detail: `${rowName(row.index)} hands ${listed(handed)} to ${
      scriptName(row)
    } ${how}: the skill's author can change where it goes.`,
    hint:
      'Add "egress" with the hosts it may reach, or "bundle" with the digest a Plan shows.',
  }];
}

function nothing(row: GrantRow, why: string, hint: string): GrantNote {
  return {
    severity: "warning",
    reason: "grant",
    detail: `${rowName(row.index)} grants nothing: ${why}.`,
    hint,
  };
}

function held(row: GrantRow, what: string): GrantNote {
  return {
    severity: "warning",
    reason: "grant-hosts",
    detail: `${rowName(row.index)} ${what}.`,
    hint:
      "A value held back is sent only to hosts that the declaration's hosts and egress and the row's egress all name.",
  };
}

function extra(
  row: GrantRow,
  what: string,
  words: readonly string[],
): GrantNote {
  return {
    severity: "warning",
    reason: "grant-extra",
    detail: `${rowName(row.index)} grants ${what} that ${
      scriptName(row)
    } does not declare, which gives nothing: ${listed(words)}.`,
    hint: "A grant only narrows; the skill has to declare them first.",
  };
}

function near(
  word: string,
  candidates: Iterable<string>,
  what: string,
): string {
  const names = nearest(word, candidates);
  return names.length === 0
    ? `${what}: none like it.`
    : `${what}, nearest first: ${listed(names)}.`;
}

function listed(words: readonly string[]): string {
  return visible(words.join(", "), 200);
}
