/** Keeping a record of anything at all short, the weightiest entries first. */

import { byCodeUnit } from "../base/order.ts";
import { type Kind, KINDS } from "./permission_record.ts";
import type { NetEntry } from "./types.ts";

/** Entries of one kind at most. */
const PER_KIND = 20;
/** Bytes of JSON that all entries take up together at most. */
const BYTES = 4_600;

/** Entries of each kind. */
export type Lists = Readonly<Record<Kind, readonly NetEntry[]>>;

/**
 * Each list sorted, denied first, then by times, and cut so that all fit. Kinds
 * take turns, so that a flood of one does not push out another; what was
 * denied goes before what was allowed of any kind.
 */
export function bounded(
  lists: Lists,
): { readonly lists: Record<Kind, NetEntry[]>; readonly more: number } {
  const sorted = mapKinds((kind) => [...lists[kind]].sort(weightiestFirst));
  const kept = mapKinds((): NetEntry[] => []);
  const encoder = new TextEncoder();
  let room = BYTES;
  for (const verdict of ["denied", "allowed"] as const) {
    const turns = mapKinds((kind) =>
      sorted[kind].filter((entry) => entry.verdict === verdict)
        .slice(0, PER_KIND)
    );
    for (let turn = 0; turn < PER_KIND; turn++) {
      for (const kind of KINDS) {
        const entry = turns[kind][turn];
        if (entry === undefined || kept[kind].length >= PER_KIND) continue;
        room -= encoder.encode(JSON.stringify(entry)).length + 1;
        if (room >= 0) kept[kind].push(entry);
      }
    }
  }
  const more = KINDS.reduce(
    (sum, kind) => sum + lists[kind].length - kept[kind].length,
    0,
  );
  return { lists: kept, more };
}

/** A record with a value for each kind. */
export function mapKinds<T>(make: (kind: Kind) => T): Record<Kind, T> {
  const entries = KINDS.map((kind) => [kind, make(kind)] as const);
  return Object.fromEntries(entries) as Record<Kind, T>;
}

function weightiestFirst(a: NetEntry, b: NetEntry): number {
  if (a.verdict !== b.verdict) return a.verdict === "denied" ? -1 : 1;
  if (a.times !== b.times) return b.times - a.times;
  return byCodeUnit(a.what, b.what);
}
