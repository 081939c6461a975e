/** What moved and what is watched, as `skill_list` says it: bounded. */

import type { SkillChange } from "../catalog/diff.ts";
import type { Changes, WatchState } from "../watch/types.ts";
import { boundedText, structuredLength } from "./fit.ts";
import type { ListAnswer } from "./schemas/outputs.ts";

/** Names in one list, and files of one skill. */
const MAX_NAMES = 100;
const MAX_FILES = 50;
/** Encoded characters of all of it. */
const MAX_MOVED = 12_000;
const MAX_ROWS = 64;
const MAX_REASON = 400;

type Moved = NonNullable<ListAnswer["moved"]>;
type Watched = NonNullable<ListAnswer["watch"]>;

/** What a reload moved; `more` counts names and paths that are left out. */
export function movedRow(changes: Changes): Moved {
  let most = 1;
  for (;;) {
    const row = cutTo(changes, most);
    if (most < 1 / 128 || structuredLength(row) <= MAX_MOVED) return row;
    most /= 2;
  }
}

function cutTo(changes: Changes, part: number): Moved {
  let more = 0;
  const cut = (list: readonly string[], most = MAX_NAMES): string[] => {
    const kept = list.slice(0, Math.floor(most * part));
    more += list.length - kept.length;
    return kept;
  };
  const skill = (change: SkillChange): Moved["changed"][number] => ({
    name: change.name,
    skillFile: change.skillFile,
    added: cut(change.added, MAX_FILES),
    removed: cut(change.removed, MAX_FILES),
    changed: cut(change.changed, MAX_FILES),
  });
  const shown = changes.changed.slice(0, Math.floor(MAX_NAMES * part));
  more += changes.changed.length - shown.length;
  const row = {
    added: cut(changes.added),
    removed: cut(changes.removed),
    changed: shown.map(skill),
    references: cut(changes.references),
    prompts: cut(changes.prompts),
  };
  return more === 0 ? row : { ...row, more };
}

/** How well roots, folders of workspaces and directories of prompts are watched. */
export function watchRows(states: readonly WatchState[]): Watched {
  let prompts = 0;
  return states.slice(0, MAX_ROWS).map(({ root, folder, state, reason }) => ({
    ...(root !== undefined
      ? { root }
      : folder !== undefined
      ? { folder }
      : { prompts: ++prompts }),
    state,
    ...(reason === undefined
      ? {}
      : { reason: boundedText(reason, MAX_REASON) }),
  }));
}

/** A note about what is not watched; none when everything is. */
export function watchNotes(
  states: readonly WatchState[],
  polled: boolean,
): string[] {
  const not = watchRows(states).filter(({ state }) => state !== "watching");
  if (not.length === 0 || polled) return [];
  const named = not.slice(0, 4).map(({ root, folder, prompts, ...how }) => {
    const what = root !== undefined
      ? `root ${root}`
      : folder !== undefined
      ? `${folder} of a workspace`
      : `prompt directory ${prompts}`;
    return `${what} (${how.reason ?? how.state})`;
  });
  const more = not.length > 4 ? ` and ${not.length - 4} more` : "";
  return [
    `Not watching ${
      named.join(", ")
    }${more}: pass reload: true after a change there.`,
  ];
}
