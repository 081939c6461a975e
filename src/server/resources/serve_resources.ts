/** Resources, subscriptions and the Skills extension of one connection. */

import type { CacheHint, McpServer } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { refuse } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { skillUri } from "../../catalog/skill_uri.ts";
import type { Engine } from "../engine_types.ts";
import type { Logger } from "../log.ts";
import { listResources, SKILL_TEMPLATE } from "./list_resources.ts";
import { answering, refusalError } from "./protocol_errors.ts";
import { type Address, addressOf, readResource } from "./read_resource.ts";
import { openRoom, type Room } from "./room.ts";
import { fileUri } from "./served_skills.ts";
import { INDEX_URI } from "./skill_index.ts";
import { badCursor, skillSource } from "./skill_source.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What serving needs. */
export interface ResourceParts {
  readonly engine: () => Promise<Engine>;
  readonly log: Logger;
  readonly subscriptions: Subscriptions;
  readonly cacheHint: CacheHint;
}

/** Declares everything and answers for it. Reads nothing until asked. */
export function serveResources(mcp: McpServer, parts: ResourceParts): void {
  const { engine, log, subscriptions, cacheHint } = parts;
  const { server } = mcp;
  const room = <T>(answer: (room: Room) => Promise<T>): Promise<T> =>
    answering(log, async () => await answer(await openRoom(await engine())));

  server.registerCapabilities({
    resources: { subscribe: true, listChanged: true },
  });
  new SkillsExtension({
    source: skillSource(room),
    cacheHint,
    onWarning: ({ path, message }) => log.debug(`${path}: ${message}`),
  }).attach(mcp);

  // The extension's own registry lists one page and knows one kind of address.
  server.setRequestHandler(
    "resources/list",
    ({ params }) =>
      room(async (here) => {
        const page = await listResources(here, params?.cursor);
        if (page === undefined) throw badCursor("resources/list");
        const { items, nextCursor } = page;
        return {
          resources: items,
          ...(nextCursor === undefined ? {} : { nextCursor }),
        };
      }),
  );
  server.setRequestHandler(
    "resources/templates/list",
    ({ params }) =>
      answering(log, () => {
        if (params?.cursor !== undefined) {
          throw badCursor("resources/templates/list");
        }
        return Promise.resolve({ resourceTemplates: [SKILL_TEMPLATE] });
      }),
  );
  server.setRequestHandler(
    "resources/read",
    ({ params: { uri } }) =>
      room(async (here) => {
        const read = await readResource(here, uri);
        if (!read.ok) throw refusalError(read, uri);
        return { contents: [read.value] };
      }),
  );
  server.setRequestHandler(
    "resources/subscribe",
    ({ params: { uri } }) =>
      room(async (here) => {
        const address = await addressOf(here, uri);
        if (address === undefined) throw unknown(uri);
        const added = subscriptions.add(listedUri(address));
        if (!added.ok) throw refusalError(added, uri);
        return {};
      }),
  );
  server.setRequestHandler(
    "resources/unsubscribe",
    ({ params: { uri } }) =>
      room(async (here) => {
        const address = await addressOf(here, uri);
        // What is gone by now was spelled as it is listed, or is not there.
        subscriptions.delete(address === undefined ? uri : listedUri(address));
        return {};
      }),
  );
}

/** The one spelling under which an address is announced. */
function listedUri(address: Address): string {
  switch (address.kind) {
    case "index":
      return INDEX_URI;
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
