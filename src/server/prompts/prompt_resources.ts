/** `skillfence://prompts/<name>`: prompt files for clients without prompts. */

import type {
  ReadResourceResult,
  Resource,
} from "@modelcontextprotocol/server";
import type { PromptFile, PromptSnapshot } from "../../prompt/types.ts";
import { promptRow } from "./prompt_rows.ts";

/** Before the name of a prompt file. */
export const PROMPTS_URI = "skillfence://prompts/";
const MEDIA_TYPE = "text/markdown";

/** The address of a prompt file; its name needs no escapes. */
export function promptUri(name: string): string {
  return PROMPTS_URI + name;
}

/** One row for each prompt file, in the order in which they claimed names. */
export function promptResources({ prompts }: PromptSnapshot): Resource[] {
  return [...prompts.values()].map(resource);
}

/** What an address gives; undefined when no prompt file has it. */
export function readPromptResource(
  uri: string,
  { prompts }: PromptSnapshot,
): ReadResourceResult | undefined {
  if (!uri.startsWith(PROMPTS_URI)) return undefined;
  const file = prompts.get(uri.slice(PROMPTS_URI.length));
  if (file === undefined) return undefined;
  return { contents: [{ uri, mimeType: MEDIA_TYPE, text: file.body }] };
}

function resource(file: PromptFile): Resource {
  return {
    uri: promptUri(file.name),
    ...promptRow({ kind: "file", name: file.name, file }),
    mimeType: MEDIA_TYPE,
    size: new TextEncoder().encode(file.body).length,
  };
}
