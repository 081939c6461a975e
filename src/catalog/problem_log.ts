/** Problems as they are found, bounded per kind and place, put in order once. */

import { byCodeUnit } from "../base/order.ts";
import type { Finding } from "../skill/types.ts";
import type { Problem, RootState } from "./types.ts";

/** Rows of one reason and one owner before the rest is only counted. */
const ROWS_PER_KIND = 20;

/** A problem whose skill may not have its name yet. */
export interface Draft extends Finding {
  /** Index of the root. */
  readonly root: number;
  /** Relative to the root; `""` for the root itself. */
  readonly path: string;
  /** What the problem belongs to; `name` is read when the log is closed. */
  readonly owner?: { readonly rel: string; readonly name?: string | undefined };
}

/** Notes a problem at a path below one root. */
export type Report = (
  path: string,
  severity: Draft["severity"],
  reason: string,
  words: Pick<Draft, "detail" | "hint">,
  owner?: Draft["owner"],
) => void;

/** The way to note problems of the root with this index. */
export function reporting(root: number, log: ProblemLog): Report {
  return (path, severity, reason, words, owner) =>
    log.add({
      root,
      path,
      severity,
      reason,
      ...words,
      ...(owner === undefined ? {} : { owner }),
    });
}

/** Collects drafts and gives them out as problems. */
export class ProblemLog {
  readonly #drafts: Draft[] = [];
  #told = 0;
  readonly #counts = new Map<string, { count: number; last: Draft }>();

  /** How often something was noted. */
  get told(): number {
    return this.#told;
  }

  /** Notes one problem; more than 20 of a kind and owner become one count. */
  add(draft: Draft): void {
    this.#told += 1;
    const key = `${draft.root}\0${draft.owner?.rel ?? ""}\0${draft.reason}`;
    const seen = this.#counts.get(key);
    if (seen === undefined) this.#counts.set(key, { count: 1, last: draft });
    else {
      seen.count += 1;
      seen.last = draft;
      if (seen.count > ROWS_PER_KIND) return;
    }
    this.#drafts.push(draft);
  }

  /** Whether anything was noted about this root. */
  any(root: number): boolean {
    return this.#drafts.some((draft) => draft.root === root);
  }

  /** Everything noted, by root, then path, then position. */
  close(roots: readonly RootState[]): Problem[] {
    const rows = [...this.#drafts];
    for (const { count, last } of this.#counts.values()) {
      const more = count - ROWS_PER_KIND;
      if (more <= 0) continue;
      rows.push({
        ...last,
        path: last.owner?.rel ?? "",
        detail: `${more} more of this kind are not shown one by one`,
      });
    }
    return rows
      .map((row, index) => ({ row, index }))
      .sort((a, b) =>
        a.row.root - b.row.root || byCodeUnit(a.row.path, b.row.path) ||
        (a.row.line ?? 0) - (b.row.line ?? 0) || a.index - b.index
      )
      .map(({ row }) => problemFrom(row, roots));
  }
}

function problemFrom(draft: Draft, roots: readonly RootState[]): Problem {
  const { root, path, owner, ...finding } = draft;
  return {
    ...finding,
    ...(owner?.name === undefined ? {} : { skill: owner.name }),
    root: roots[root]!.path,
    path: path === "" ? "." : path,
  };
}
