/**
 * Resources, subscriptions and the Skills extension of one connection: what has
 * to be there when a client connects. What answers is loaded by the first
 * request, so that the handshake does not wait for it.
 */

import type { CacheHint, McpServer } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import type { Engine } from "../engine_types.ts";
import type { Logger } from "../log.ts";
import type { ResourceAnswers } from "./resource_answers.ts";
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
  const { log, cacheHint } = parts;
  const { server } = mcp;
  const answers = async (): Promise<ResourceAnswers> => {
    const { resourceAnswers } = await import("./resource_answers.ts");
    return resourceAnswers(parts);
  };

  server.registerCapabilities({
    resources: { subscribe: true, listChanged: true },
  });
  new SkillsExtension({
    source: {
      list: async (params, ctx) =>
        await (await answers()).source.list(params, ctx),
      get: async (uri, ctx) => await (await answers()).source.get(uri, ctx),
      read: async (uri, ctx) => await (await answers()).source.read(uri, ctx),
      readDirectory: async (uri, params, ctx) =>
        await (await answers()).source.readDirectory(uri, params, ctx),
    },
    cacheHint,
    onWarning: ({ path, message }) => log.debug(`${path}: ${message}`),
  }).attach(mcp);

  // The extension's own registry lists one page and knows one kind of address.
  server.setRequestHandler(
    "resources/list",
    async ({ params }) => await (await answers()).list(params?.cursor),
  );
  server.setRequestHandler(
    "resources/templates/list",
    async ({ params }) => await (await answers()).templates(params?.cursor),
  );
  server.setRequestHandler(
    "resources/read",
    async ({ params }) => await (await answers()).read(params.uri),
  );
  server.setRequestHandler(
    "resources/subscribe",
    async ({ params }) => await (await answers()).subscribe(params.uri),
  );
  server.setRequestHandler(
    "resources/unsubscribe",
    async ({ params }) => await (await answers()).unsubscribe(params.uri),
  );
}
