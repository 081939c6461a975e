/** What differs between two snapshots of prompts. Pure. */

import { byCodeUnit } from "../base/order.ts";
import { sameStamp } from "../catalog/stamps.ts";
import type { PromptFile, PromptSnapshot } from "./types.ts";

/** Names of prompts that appeared, vanished or changed, in name order. */
export function changedPrompts(
  before: PromptSnapshot,
  after: PromptSnapshot,
): string[] {
  const names = new Set([...before.prompts.keys(), ...after.prompts.keys()]);
  return [...names].filter((name) =>
    !same(before.prompts.get(name), after.prompts.get(name))
  ).sort(byCodeUnit);
}

function same(a: PromptFile | undefined, b: PromptFile | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  // The stamp is compared too: times are served, and a touched file is a change.
  return a.title === b.title && a.description === b.description &&
    a.body === b.body && a.realPath === b.realPath &&
    sameStamp(a.stamp, b.stamp);
}
