/** Which variables are held at the run's proxy, and where their values may go. */

import { intersectHosts, withoutCovered } from "../skill/host_sets.ts";
import type { Declaration, HostPattern } from "../skill/types.ts";
import type { GrantRow, SecretPermit } from "./types.ts";

/** The hosts a row admits of those declared. */
export function rowEgress(
  declared: readonly HostPattern[],
  { egress }: Pick<GrantRow, "egress">,
): readonly HostPattern[] {
  return egress === undefined ? declared : intersectHosts(declared, egress);
}

/** The hosts the author named for a variable; undefined: it is not held. */
export function authorsHosts(
  { variables }: Declaration,
  name: string,
): readonly HostPattern[] | undefined {
  const variable = variables.find((each) => each.name === name);
  return variable?.secret === true ? variable.hosts : undefined;
}

/**
 * The held ones among `env`: those for which the author or any row names hosts.
 * A row sends a value to the hosts it names, else to the author's, of those
 * the author names and the row itself opens; rows add up. Without rows (the
 * skill granted itself) the author's hosts stand.
 */
export function secretsOf(
  env: readonly string[],
  declaration: Declaration,
  rows: readonly GrantRow[] | undefined,
): SecretPermit[] {
  return env.flatMap((name) => secretOf(name, declaration, rows) ?? []);
}

function secretOf(
  name: string,
  declaration: Declaration,
  rows: readonly GrantRow[] | undefined,
): SecretPermit | undefined {
  const author = authorsHosts(declaration, name);
  if (rows === undefined) {
    if (author === undefined) return undefined;
    const hosts = intersectHosts(declaration.egress, author);
    return { name, hosts, chosenBy: "author", plain: false };
  }
  const entries = rows.flatMap((row) =>
    row.env.filter((entry) => entry.name === name)
      .map((entry) => ({ row, entry }))
  );
  const ownersToo = entries.some(({ entry }) => entry.hosts !== undefined);
  if (author === undefined && !ownersToo) return undefined;
  const byOwner = author === undefined ||
    entries.every(({ entry }) => entry.hosts !== undefined);
  return {
    name,
    hosts: withoutCovered(
      entries.flatMap(({ row, entry }) =>
        sentTo(author, entry.hosts, rowEgress(declaration.egress, row))
      ),
    ),
    chosenBy: byOwner ? "owner" : "author",
    plain: entries.length > 0 && entries.every(({ entry }) => entry.plain),
  };
}

/** The hosts that both name, of those that may be reached; neither: none. */
export function sentTo(
  author: readonly HostPattern[] | undefined,
  owner: readonly HostPattern[] | undefined,
  egress: readonly HostPattern[],
): HostPattern[] {
  const named = author !== undefined && owner !== undefined
    ? intersectHosts(author, owner)
    : author ?? owner ?? [];
  return intersectHosts(egress, named);
}
