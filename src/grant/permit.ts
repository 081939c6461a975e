/** Declaration and grant, intersected: the only place a permission comes from. */

import { intersectHosts, withoutCovered } from "../skill/host_sets.ts";
import type {
  Declaration,
  HostPattern,
  ScriptDeclaration,
} from "../skill/types.ts";
import { rowEgress, secretsOf } from "./secrets.ts";
import type { Grant, GrantRow, Permit } from "./types.ts";
import { isOfWorkspace, type RowOwner, whyNotBound } from "./workspace_rows.ts";

/** The script a permit is asked for. */
export interface PermitQuestion extends RowOwner {
  readonly script: string;
  /**
   * `sha256:<hex>` of the bundle as it is now: rows that pin another one then
   * give nothing. Without it every row counts, as for a listing.
   */
  readonly bundle?: string;
}

/**
 * What one script of a skill may do, or undefined when it may not run: not
 * declared, or not granted. Several rows for one script add up, each at the
 * bundle it pins; but a script that any row pins runs at pinned bundles only,
 * and rows that name different workspaces open none. A skill of a workspace is
 * permitted by rows alone that name this workspace and pin a bundle.
 */
export function permitFor(
  declaration: Declaration,
  { script, bundle, ...owner }: PermitQuestion,
  grant: Grant,
): Permit | undefined {
  const declared = declaration.scripts.find((each) => each.script === script);
  return declared === undefined
    ? undefined
    : permit(declared, declaration, rowsFor(grant, owner), bundle);
}

/** Every declared script of a skill, with its permit or without, in order. */
export function permitsFor(
  owner: RowOwner,
  declaration: Declaration,
  grant: Grant,
): { granted: Permit[]; ungranted: ScriptDeclaration[] } {
  const rows = rowsFor(grant, owner);
  const granted: Permit[] = [];
  const ungranted: ScriptDeclaration[] = [];
  for (const declared of declaration.scripts) {
    const allowed = permit(declared, declaration, rows);
    if (allowed === undefined) ungranted.push(declared);
    else granted.push(allowed);
  }
  return { granted, ungranted };
}

/** Undefined: the declaration stands by itself. */
function rowsFor(
  grant: Grant,
  owner: RowOwner,
): readonly GrantRow[] | undefined {
  if (grant.from === "declaration" && !isOfWorkspace(owner)) return undefined;
  return grant.rows.filter((row) =>
    row.skill === owner.skill && whyNotBound(row, owner) === undefined
  );
}

function permit(
  declared: ScriptDeclaration,
  declaration: Declaration,
  skillRows: readonly GrantRow[] | undefined,
  bundle?: string,
): Permit | undefined {
  const { egress } = declaration;
  if (skillRows === undefined) return selfGranted(declared, declaration);
  const all = skillRows.filter(({ script }) => script === declared.script);
  if (all.length === 0) return undefined;
  const rows = bundle === undefined
    ? all
    : all.filter((row) => row.bundle === undefined || row.bundle === bundle);
  const names = new Set(rows.flatMap((row) => row.env.map(({ name }) => name)));
  const env = declared.env.filter((name) => names.has(name));
  const exactHosts = intersectHosts(egress, rows.flatMap(exactIn));
  return {
    declared,
    env,
    egress: distinct([...hostsOf(egress, rows), ...exactHosts]),
    bundles: pinned(all),
    workspace: declared.workspace === undefined ? undefined : oneOf(rows),
    exactHosts,
    selfGranted: false,
    sockets: declared.sockets && rows.some(({ sockets }) => sockets),
    secrets: secretsOf(env, declaration, rows),
  };
}

function selfGranted(
  declared: ScriptDeclaration,
  declaration: Declaration,
): Permit {
  return {
    declared,
    env: declared.env,
    egress: withoutCovered(declaration.egress),
    bundles: undefined,
    workspace: undefined,
    exactHosts: [],
    selfGranted: true,
    // The network itself is the owner's to give.
    sockets: false,
    secrets: secretsOf(declared.env, declaration, undefined),
  };
}

function hostsOf(
  declared: readonly HostPattern[],
  rows: readonly GrantRow[],
): HostPattern[] {
  return withoutCovered(rows.flatMap((row) => rowEgress(declared, row)));
}

function exactIn(row: GrantRow): HostPattern[] {
  return (row.egress ?? []).filter(({ kind }) => kind !== "wildcard");
}

function distinct(patterns: readonly HostPattern[]): HostPattern[] {
  return [...new Map(patterns.map((each) => [each.text, each])).values()];
}

function pinned(rows: readonly GrantRow[]): string[] | undefined {
  const pins = new Set(rows.flatMap(({ bundle }) => bundle ?? []));
  return pins.size === 0 ? undefined : [...pins];
}

function oneOf(rows: readonly GrantRow[]): string | undefined {
  const directories = new Set(rows.flatMap(({ workspace }) => workspace ?? []));
  return directories.size === 1 ? [...directories][0] : undefined;
}
