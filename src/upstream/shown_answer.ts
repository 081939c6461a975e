/** What a server's tool answered, as it is passed on: bounded, visible. Pure. */

import { counted, visible } from "../base/text.ts";
import { isRecord } from "../skill/block_values.ts";
import { shownJson, visibleLines } from "./shown_schema.ts";
import type { UpstreamAnswer } from "./types.ts";

const MAX_BLOCKS = 64;
/** Characters of text in one answer. */
const MAX_TEXT = 100_000;
/** Characters of base64: of one block, and of all. */
const MAX_BLOB = 1_400_000;
const MAX_BLOBS = 2_800_000;
const STRUCTURED = { characters: 65_536, depth: 24 };
const MAX_LINE = 1_000;

/** Makes an answer of whatever came back. */
export function shownAnswer(raw: unknown): UpstreamAnswer {
  const result = isRecord(raw) ? raw : {};
  const given = Array.isArray(result["content"]) ? result["content"] : [];
  const room = new Room();
  const content = given.slice(0, MAX_BLOCKS).flatMap((block) =>
    isRecord(block) ? room.block(block) : []
  );
  const more = given.length - MAX_BLOCKS;
  if (more > 0) room.note(`${counted(more)} further blocks are left out`);
  const structured = result["structuredContent"];
  const kept = isRecord(structured)
    ? shownJson(structured, STRUCTURED)
    : undefined;
  if (structured !== undefined && kept === undefined) {
    room.note("structuredContent is left out: it is too large");
  }
  return {
    isError: result["isError"] === true,
    content,
    structuredContent: kept as UpstreamAnswer["structuredContent"],
    notes: room.notes,
  };
}

/** An error of the protocol or of the way there, as an answer. */
export function errorAnswer(message: string): UpstreamAnswer {
  return {
    isError: true,
    content: [{ type: "text", text: visibleLines(message, MAX_LINE).text }],
    structuredContent: undefined,
    notes: [],
  };
}

class Room {
  readonly notes: string[] = [];
  #text = MAX_TEXT;
  #blobs = MAX_BLOBS;

  note(text: string): void {
    this.notes.push(text);
  }

  block(block: Record<string, unknown>): Record<string, unknown>[] {
    switch (block["type"]) {
      case "text":
        return this.#textBlock(block["text"]);
      case "image":
      case "audio":
        return this.#blobBlock(block["type"], block);
      case "resource":
        return this.#resource(block["resource"]);
      case "resource_link":
        return [{
          type: "text",
          text: `link: ${line(block["name"])} ${line(block["uri"])}`.trimEnd(),
        }];
      default:
        this.note(`a block of type ${line(block["type"], 40)} is left out`);
        return [];
    }
  }

  #textBlock(text: unknown): Record<string, unknown>[] {
    const kept = this.#take(typeof text === "string" ? text : "");
    return kept === undefined ? [] : [{ type: "text", text: kept }];
  }

  #take(text: string): string | undefined {
    if (this.#text <= 0 && text !== "") {
      this.note(`${counted(text.length)} characters of text are left out`);
      return undefined;
    }
    const { text: shown, cut } = visibleLines(text, this.#text);
    this.#text -= text.length - cut;
    if (cut > 0) this.note(`${counted(cut)} characters of text are left out`);
    return shown;
  }

  #blobBlock(
    type: string,
    { data, mimeType }: Record<string, unknown>,
  ): Record<string, unknown>[] {
    return this.#fits(data, type)
      ? [{ type, data, mimeType: mediaType(mimeType) }]
      : [];
  }

  #resource(resource: unknown): Record<string, unknown>[] {
    if (!isRecord(resource)) return [];
    const { uri, mimeType, text, blob } = resource;
    const named = { uri: line(uri), mimeType: mediaType(mimeType) };
    if (typeof text === "string") {
      const kept = this.#take(text);
      // As text: its address means nothing to our client.
      return kept === undefined ? [] : [{
        type: "text",
        text: `resource ${named.uri} (${named.mimeType}):\n${kept}`,
      }];
    }
    const isImage = named.mimeType.startsWith("image/");
    if (isImage && this.#fits(blob, "resource")) {
      return [{ type: "image", data: blob, mimeType: named.mimeType }];
    }
    if (!isImage) this.note(`the resource ${named.uri} is left out`);
    return [];
  }

  #fits(data: unknown, what: string): data is string {
    if (typeof data !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
      this.note(`a block of type ${what} is left out: it is no base64`);
      return false;
    }
    if (data.length > MAX_BLOB || data.length > this.#blobs) {
      const size = counted(Math.floor(data.length * 3 / 4));
      this.note(`a block of type ${what} is left out: it has ${size} bytes`);
      return false;
    }
    this.#blobs -= data.length;
    return true;
  }
}

function line(value: unknown, max = 300): string {
  return typeof value === "string" ? visible(value, max) : "";
}

function mediaType(value: unknown): string {
  return typeof value === "string" &&
      /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(value)
    ? value
    : "application/octet-stream";
}
