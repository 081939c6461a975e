/** What a declared server's tool answered, as content blocks of ours. */

import type { ContentBlock } from "@modelcontextprotocol/server";
import { untrusted } from "../context/files/untrusted.ts";
import type { UpstreamAnswer } from "../upstream/types.ts";
import type { UpstreamCall } from "./upstream_door.ts";
import { ANSWER_CHARS, encodedLength, encodedPrefix } from "./fit.ts";

/** Encoded characters kept for the head. */
const RESERVE = 2000;
/** Base64 characters of pictures and sounds together. */
const MAX_MEDIA = 2_000_000;

/**
 * A head in JSON, then each block: texts between tags that they cannot close,
 * pictures and sounds as they are, everything else as text.
 */
export function upstreamContent(
  call: UpstreamCall,
  { isError, content, structuredContent, notes }: UpstreamAnswer,
): ContentBlock[] {
  const { skill, server, tool } = call;
  const origin =
    `the tool ${tool} of ${server}, which the skill ${skill.name} declares`;
  const said: string[] = [...notes];
  const blocks: ContentBlock[] = [];
  let room = ANSWER_CHARS - RESERVE;
  let media = MAX_MEDIA;
  const add = (text: string): void => {
    const whole = untrusted(origin, text);
    const length = encodedLength(whole);
    if (length <= room) {
      room -= length;
      blocks.push({ type: "text", text: whole });
      return;
    }
    const part = encodedPrefix(text, Math.max(0, room - 600));
    room = 0;
    if (part !== "") {
      blocks.push({ type: "text", text: untrusted(origin, part) });
    }
    said.push(
      `a text of ${text.length} characters is shown in part: its first ${part.length}`,
    );
  };
  for (const block of content) {
    const { type, text, data, mimeType } = block as Record<string, unknown>;
    if (type === "text" && typeof text === "string") add(text);
    else if (
      (type === "image" || type === "audio") && typeof data === "string" &&
      typeof mimeType === "string"
    ) {
      media -= data.length;
      if (media >= 0) blocks.push({ type, data, mimeType });
      else said.push(`a block of ${mimeType} is left out: it is too long`);
    } else add(JSON.stringify(block));
  }
  // Most servers say the same as text, which comes once.
  if (structuredContent !== undefined) {
    const json = JSON.stringify(structuredContent);
    const same = content.some((block) =>
      sameJson((block as Record<string, unknown>)["text"], json)
    );
    if (!same) add(json);
  }
  const head = {
    status: "done",
    skill: skill.name,
    server,
    tool,
    isError,
    ...(said.length === 0 ? {} : { notes: said.slice(0, 20) }),
  };
  return [{ type: "text", text: JSON.stringify(head) }, ...blocks];
}

function sameJson(text: unknown, json: string): boolean {
  if (typeof text !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
