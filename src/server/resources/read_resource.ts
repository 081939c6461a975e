/** A URI -> what it holds. The one place that knows every kind of address. */

import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { mediaType } from "../../base/media_type.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { hrefOf, placeOf } from "../../catalog/skill_uri.ts";
import type { SharedFile } from "../../catalog/types.ts";
import { readPromptResource } from "../prompts/prompt_resources.ts";
import { decodeExactly, toBase64 } from "../text_bytes.ts";
import type { ContextDocument } from "../context_door.ts";
import { childrenAt } from "./directories.ts";
import { allBytes, openServed, openShared } from "./file_bytes.ts";
import { CONTEXT_META_KEY, META_KEY, skillMetadata } from "./metadata.ts";
import type { Room } from "./room.ts";
import type { ServedFile } from "./served_skills.ts";
import { CONTEXT_URI, INDEX_URI } from "./index_uri.ts";
import { skillIndex } from "./skill_index.ts";

/** What the context is: our words around files of any kind. */
export const CONTEXT_TYPE = "text/plain";

/** One resource's content. */
export type Content = ReadResourceResult["contents"][number];

/** What an address leads to. */
export type Address =
  | { readonly kind: "index" }
  | { readonly kind: "context"; readonly document: ContextDocument }
  | { readonly kind: "prompt"; readonly content: Content }
  | { readonly kind: "file"; readonly file: ServedFile }
  | { readonly kind: "shared"; readonly file: SharedFile };

/** What a URI leads to; undefined when nothing is served there. */
export async function addressOf(
  room: Room,
  uri: string,
): Promise<Address | undefined> {
  const href = hrefOf(uri);
  if (href === undefined) return undefined;
  if (href === INDEX_URI) return { kind: "index" };
  if (href === CONTEXT_URI) {
    const { engine, served } = room;
    const document = await engine.context.document(served.snapshot);
    return document === undefined ? undefined : { kind: "context", document };
  }
  if (href.startsWith("file:")) {
    const file = room.local ? room.served.sharedAt(href) : undefined;
    return file === undefined ? undefined : { kind: "shared", file };
  }
  const place = placeOf(href);
  if (place !== undefined) {
    const file = room.served.file(place);
    return file === undefined ? undefined : { kind: "file", file };
  }
  const prompts = await room.engine.prompts.snapshot();
  const content = readPromptResource(href, prompts)?.contents[0];
  return content === undefined ? undefined : { kind: "prompt", content };
}

/** The content of a URI, which it carries as it was asked for. */
export async function readResource(
  room: Room,
  uri: string,
): Promise<Result<Content>> {
  const address = await addressOf(room, uri);
  if (address === undefined) return unknown(room, uri);
  const { engine, served } = room;
  switch (address.kind) {
    case "index":
      return ok({ uri, mimeType: "text/markdown", text: skillIndex(served) });
    case "context": {
      const { text, texts } = address.document;
      const content = { uri, mimeType: CONTEXT_TYPE, text };
      const commands = await commandsIn(engine, ...texts);
      return ok({ ...content, _meta: { [CONTEXT_META_KEY]: { commands } } });
    }
    case "prompt":
      return ok({ ...address.content, uri });
    case "shared": {
      const opened = await openShared(engine, address.file, served.snapshot);
      if (!opened.ok) return opened;
      await using open = opened.value;
      return ok(contentOf(uri, address.file.path, await allBytes(open)));
    }
    case "file": {
      const { file } = address;
      const opened = await openServed(engine, file, served.snapshot);
      if (!opened.ok) return opened;
      await using open = opened.value;
      const content = contentOf(uri, file.path, await allBytes(open));
      const skill = mainSkill(room, file);
      if (skill === undefined) return ok(content);
      const told = skillMetadata(skill, room.local);
      const commands = await commandsIn(engine, skill.body);
      return ok({ ...content, _meta: { [META_KEY]: { ...told, commands } } });
    }
  }
}

/** How many commands the texts hold. A read runs none, and says so by this. */
async function commandsIn(
  { context }: Room["engine"],
  ...texts: readonly string[]
): Promise<number> {
  const found = await Promise.all(texts.map((text) => context.commands(text)));
  return found.flat().length;
}

/** Bytes as text where that loses nothing, else as base64. */
export function contentOf(
  uri: string,
  path: string,
  bytes: Uint8Array,
): Content {
  const mimeType = mediaType(path);
  const text = decodeExactly(bytes);
  return text === undefined
    ? { uri, mimeType, blob: toBase64(bytes) }
    : { uri, mimeType, text };
}

/** The skill whose SKILL.md the file is, be it seen from one around it. */
function mainSkill({ served }: Room, { skill, path, shared }: ServedFile) {
  if (shared !== undefined) return undefined;
  if (path === "SKILL.md") return skill;
  return path.endsWith("/SKILL.md")
    ? served.skill(`${skill.name}/${path.slice(0, -"/SKILL.md".length)}`)
    : undefined;
}

function unknown(room: Room, uri: string): Result<never> {
  const place = placeOf(uri.replace(/([^/])\/$/, "$1"));
  const isDirectory = place !== undefined && place !== "" &&
    childrenAt(room.served, place) !== undefined;
  return refuse(
    "NOT_FOUND",
    isDirectory
      ? `"${visible(uri)}" is a directory`
      : `nothing is served at "${visible(uri)}"`,
    isDirectory
      ? "resources/directory/read lists what it holds."
      : `${INDEX_URI} lists every skill, skills/get the files of one.`,
  );
}
