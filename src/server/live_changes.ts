/** What moved between two moments. Pure. */

import { diffSnapshots } from "../catalog/diff.ts";
import type { Snapshot } from "../catalog/types.ts";
import { changedPrompts } from "../prompt/diff.ts";
import type { PromptSnapshot } from "../prompt/types.ts";
import type { Changes } from "../watch/types.ts";

/** Nothing at all. */
export const NOTHING_MOVED: Changes = {
  added: [],
  removed: [],
  changed: [],
  references: [],
  prompts: [],
};

/** Skills and prompts at one moment. */
export interface Moment {
  readonly skills: Snapshot;
  readonly prompts: PromptSnapshot;
}

/** The difference between two moments. */
export function changesBetween(before: Moment, after: Moment): Changes {
  return {
    ...diffSnapshots(before.skills, after.skills),
    prompts: changedPrompts(before.prompts, after.prompts),
  };
}

/** Whether nothing moved. */
export function movedNothing(changes: Changes): boolean {
  return Object.values(changes).every((list) => list.length === 0);
}
