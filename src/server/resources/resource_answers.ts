/** What the requests about resources and skills are answered with. */

import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import { refuse } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { skillUri } from "../../catalog/skill_uri.ts";
import { listResources, SKILL_TEMPLATE } from "./list_resources.ts";
import { nextOf } from "./pages.ts";
import { answering, badCursor, refusalError } from "./protocol_errors.ts";
import { type Address, addressOf, readResource } from "./read_resource.ts";
import { openRoom, type Room } from "./room.ts";
import type { ResourceParts } from "./serve_resources.ts";
import { fileUri } from "./served_skills.ts";
import { INDEX_URI } from "./index_uri.ts";
import { skillSource } from "./skill_source.ts";

/** Each throws an error of the protocol, and nothing else. */
export interface ResourceAnswers {
  readonly source: ReturnType<typeof skillSource>;
  list(cursor: string | undefined): Promise<ListResourcesResult>;
  templates(cursor: string | undefined): Promise<ListResourceTemplatesResult>;
  read(uri: string): Promise<ReadResourceResult>;
  subscribe(uri: string): Promise<Record<string, never>>;
  unsubscribe(uri: string): Promise<Record<string, never>>;
}

/** The answers of one connection. */
export function resourceAnswers(
  { engine, log, subscriptions }: Omit<ResourceParts, "cacheHint">,
): ResourceAnswers {
  const room = <T>(answer: (room: Room) => Promise<T>): Promise<T> =>
    answering(log, async () => await answer(await openRoom(await engine())));
  return {
    source: skillSource(room),
    list: (cursor) =>
      room(async (here) => {
        const page = await listResources(here, cursor);
        if (page === undefined) throw badCursor("resources/list");
        return { resources: page.items, ...nextOf(page) };
      }),
    templates: (cursor) =>
      answering(log, () => {
        if (cursor !== undefined) throw badCursor("resources/templates/list");
        return Promise.resolve({ resourceTemplates: [SKILL_TEMPLATE] });
      }),
    read: (uri) =>
      room(async (here) => {
        const read = await readResource(here, uri);
        if (!read.ok) throw refusalError(read, uri);
        return { contents: [read.value] };
      }),
    subscribe: (uri) =>
      room(async (here) => {
        const address = await addressOf(here, uri);
        if (address === undefined) throw unknown(uri);
        const added = subscriptions.add(listedUri(address));
        if (!added.ok) throw refusalError(added, uri);
        return {};
      }),
    unsubscribe: (uri) =>
      room(async (here) => {
        const address = await addressOf(here, uri);
        // What is gone by now was spelled as it is listed, or is not there.
        subscriptions.delete(address === undefined ? uri : listedUri(address));
        return {};
      }),
  };
}

/** The one spelling under which an address is announced. */
function listedUri(address: Address): string {
  switch (address.kind) {
    case "index":
      return INDEX_URI;
    case "context":
      return address.document.uri;
    case "prompt":
      return address.content.uri;
    case "file":
      return skillUri(address.file.skill.name, address.file.path);
    case "shared":
      return fileUri(address.file);
  }
}

function unknown(uri: string): Error {
  return refusalError(
    refuse(
      "NOT_FOUND",
      `nothing is served at "${visible(uri)}"`,
      "Subscribe to an address that can be read.",
    ),
    uri,
  );
}
