/** `resources/list`: the index and the context, then skills, then prompts. */

import type { Resource } from "@modelcontextprotocol/server";
import type { PromptSnapshot } from "../../prompt/types.ts";
import { promptResources } from "../prompts/prompt_resources.ts";
import { type Page, type PageBounds, pageOf } from "./pages.ts";
import type { Room } from "./room.ts";
import type { ContextDocument } from "../context_door.ts";
import { INDEX_URI } from "./index_uri.ts";
import { CONTEXT_TYPE } from "./read_resource.ts";
import { skillIndex } from "./skill_index.ts";
import { skillResource } from "./skill_resources.ts";
import type { ServedSkills } from "./served_skills.ts";

/** Before the name in a key: what decides which kind comes first. */
const INDEX = "0";
const CONTEXT = "0c";
const SKILL = "1";
const PROMPT = "2";

/** One page; undefined for a cursor that is none of this listing. */
export async function listResources(
  { engine, served, local }: Room,
  cursor: string | undefined,
  bounds?: PageBounds,
): Promise<Page<Resource> | undefined> {
  const prompts = promptsByName(await engine.prompts.snapshot());
  const context = await engine.context.document(served.snapshot);
  const keys = [
    INDEX,
    ...(context === undefined ? [] : [CONTEXT]),
    ...served.names.map((name) => SKILL + name),
    ...[...prompts.keys()].sort().map((name) => PROMPT + name),
  ];
  const make = (key: string): Resource | undefined => {
    if (key === INDEX) return indexResource(served);
    if (key === CONTEXT) return contextResource(context!);
    const name = key.slice(1);
    if (key.startsWith(PROMPT)) return prompts.get(name);
    return skillResource(served.skill(name)!, local);
  };
  return await pageOf({ kind: "resources", keys, make }, cursor, bounds);
}

/** The one template: whatever lies in a skill. */
export const SKILL_TEMPLATE = {
  uriTemplate: "skill://{+path}",
  name: "skill-file",
  title: "Files of skills",
  description:
    "Any file of a skill by its path: the skill's name, a slash and the file's path, each part percent-encoded. skills/get and skill_load list them.",
} as const;

function indexResource(served: ServedSkills): Resource {
  const { length } = served.names;
  return {
    uri: INDEX_URI,
    name: "skills",
    title: "Skills",
    description:
      `Every skill with its description, as one document: ${length} ${
        length === 1 ? "skill" : "skills"
      }, and how to load one.`,
    mimeType: "text/markdown",
    size: new TextEncoder().encode(skillIndex(served)).length,
  };
}

function contextResource({ uri, text, parts }: ContextDocument): Resource {
  return {
    uri,
    name: "context",
    title: "Context of the workspace",
    description:
      `What files of the workspace and always-on skills say to whoever works in it (${parts}), each between tags as a stranger's text.`,
    mimeType: CONTEXT_TYPE,
    size: new TextEncoder().encode(text).length,
    annotations: { audience: ["assistant"] },
  };
}

function promptsByName(prompts: PromptSnapshot): Map<string, Resource> {
  const names = [...prompts.prompts.keys()];
  return new Map(
    promptResources(prompts).map((resource, at) => [names[at]!, resource]),
  );
}
