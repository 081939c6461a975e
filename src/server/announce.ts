/**
 * The one place that turns what moved into what clients are told: the table of
 * the notification rules.
 */

import { pathToFileURL } from "node:url";
import type { McpServer } from "@modelcontextprotocol/server";
import { skillUri } from "../catalog/skill_uri.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Changes } from "../watch/types.ts";
import { promptUri } from "./prompts/prompt_resources.ts";
import { CONTEXT_URI, INDEX_URI } from "./resources/index_uri.ts";
import { inputsOf } from "./skill_inputs.ts";

/** What clients are told, each once. */
export interface Announcement {
  readonly resourcesListChanged: boolean;
  readonly promptsListChanged: boolean;
  /** URIs of resources to read again, in the order they are sent. */
  readonly updated: readonly string[];
}

/** What is told when context files moved, and nothing that is listed. */
export const CONTEXT_MOVED: Announcement = {
  resourcesListChanged: false,
  promptsListChanged: false,
  updated: [CONTEXT_URI],
};

/** What a rescan that moved something tells. */
export function announce(
  changes: Changes,
  before: Snapshot,
  after: Snapshot,
): Announcement {
  const updated = new Set<string>();
  const skills = changes.added.length + changes.removed.length +
    changes.changed.length + changes.references.length;
  // A nested skill's files are listed as those of the skills around it too.
  for (const { name, added, removed, changed } of changes.changed) {
    if (!isResource(name, before) && !isResource(name, after)) continue;
    updated.add(skillUri(name, "SKILL.md"));
    for (const path of [...added, ...removed, ...changed]) {
      updated.add(skillUri(name, path));
    }
  }
  for (const id of changes.references) {
    for (const uri of referenceUris(id, before, after)) updated.add(uri);
  }
  if (skills > 0) updated.add(INDEX_URI);
  for (const name of changes.prompts) updated.add(promptUri(name));
  return {
    resourcesListChanged: skills + changes.prompts.length > 0,
    promptsListChanged: changes.prompts.length > 0 ||
      promptRowsMoved(changes, before, after),
    updated: [...updated],
  };
}

/** A shared file: its own address, its copies, the skills that cite it. */
function referenceUris(
  id: string,
  before: Snapshot,
  after: Snapshot,
): string[] {
  const uris: string[] = [];
  for (const snapshot of [before, after]) {
    const file = snapshot.shared.get(id);
    if (file === undefined) continue;
    uris.push(pathToFileURL(file.realPath).href);
    for (const name of file.citedBy) {
      const skill = snapshot.skills.get(name);
      if (!isResource(name, snapshot)) continue;
      for (const reference of skill?.references ?? []) {
        if (reference.status !== "found" || reference.file.id !== id) continue;
        if (reference.copy !== undefined) {
          uris.push(skillUri(name, reference.copy));
        }
      }
      if (after.skills.has(name)) uris.push(skillUri(name, "SKILL.md"));
    }
  }
  return uris;
}

/** Whether a skill is among the resources: not every served one is. */
function isResource(name: string, { skills }: Snapshot): boolean {
  const skill = skills.get(name);
  return skill !== undefined && skill.leftOut === undefined;
}

/** Whether a row of the prompts made of skills is new, gone or different. */
function promptRowsMoved(
  { added, removed, changed }: Changes,
  before: Snapshot,
  after: Snapshot,
): boolean {
  if (added.length + removed.length > 0) return true;
  return changed.some(({ name }) =>
    promptRow(before.skills.get(name)) !== promptRow(after.skills.get(name))
  );
}

function promptRow(skill: Skill | undefined): string {
  return JSON.stringify([
    skill?.description,
    skill?.whenToUse,
    skill?.frontmatter?.["title"],
    skill?.frontmatter?.["name"],
    skill === undefined ? [] : inputsOf(skill),
  ]);
}

/** How one way of telling clients is called. */
export interface Notifier {
  resourcesChanged(): void | Promise<void>;
  promptsChanged(): void | Promise<void>;
  resourceUpdated(uri: string): void | Promise<void>;
}

/**
 * Sends an announcement: the lists first, then each URI. `wanted` leaves out
 * URIs that this client has not asked for.
 */
export async function send(
  { resourcesListChanged, promptsListChanged, updated }: Announcement,
  to: Notifier,
  wanted: (uri: string) => boolean = () => true,
): Promise<void> {
  if (resourcesListChanged) await to.resourcesChanged();
  if (promptsListChanged) await to.promptsChanged();
  for (const uri of updated) {
    if (wanted(uri)) await to.resourceUpdated(uri);
  }
}

/** The notifier of one connected server, over stdio or a session of HTTP. */
export function connectionNotifier({ server }: McpServer): Notifier {
  return {
    resourcesChanged: () => server.sendResourceListChanged(),
    promptsChanged: () => server.sendPromptListChanged(),
    resourceUpdated: (uri) => server.sendResourceUpdated({ uri }),
  };
}
