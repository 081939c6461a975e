/** Prompts and completions of one connection, by handlers of our own. */

import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { nearest } from "../../base/nearest.ts";
import { visible } from "../../base/text.ts";
import type { ServerParts } from "../factory.ts";
import {
  completeInput,
  completePath,
  PATH_ARGUMENT,
  PATH_TEMPLATE,
} from "./completions.ts";
import { readPromptCursor, writePromptCursor } from "./prompt_cursor.ts";
import { promptRow } from "./prompt_rows.ts";
import {
  type OfferedPrompt,
  positionAfter,
  type PromptTable,
  rowAfter,
} from "./prompt_table.ts";

/** Rows of one page. */
const PAGE = 100;

/** Declares prompts and completions, and answers for them. */
export function servePrompts(
  { server }: McpServer,
  { engine, show }: Pick<ServerParts, "engine" | "show">,
): void {
  const table = async (): Promise<PromptTable> =>
    await (await engine()).prompts.offered();
  server.registerCapabilities({
    prompts: { listChanged: true },
    completions: {},
  });
  server.setRequestHandler("prompts/list", async ({ params }) => {
    const all = await table();
    const start = startOf(all, params?.cursor);
    const rows = all.rows.slice(start, start + PAGE);
    const end = start + rows.length;
    return {
      prompts: rows.map(promptRow),
      ...(end < all.rows.length
        ? { nextCursor: writePromptCursor(positionAfter(all, end - 1)) }
        : {}),
    };
  });
  server.setRequestHandler("prompts/get", async ({ params }, { mcpReq }) => {
    const offered = offeredIn(await table(), params.name);
    const { promptMessage } = await import("./prompt_message.ts");
    const made = await engine();
    const message = await promptMessage(made, offered, params.arguments, {
      signal: mcpReq.signal,
      show: await show?.(made, await made.catalog.snapshot()),
    });
    if (!message.ok) throw invalid(`${message.message}. ${message.hint}`);
    return message.value;
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const { ref, argument } = params;
    if (ref.type === "ref/prompt") {
      const offered = offeredIn(await table(), ref.name);
      const row = promptRow(offered).arguments?.find(({ name }) =>
        name === argument.name
      );
      if (offered.kind !== "skill" || row === undefined) {
        throw invalid(
          `${visible(ref.name, 80)} has no argument "${
            visible(argument.name, 80)
          }"`,
        );
      }
      return {
        completion: {
          ...completeInput(offered.skill, row.name, argument.value),
        },
      };
    }
    if (ref.uri !== PATH_TEMPLATE || argument.name !== PATH_ARGUMENT) {
      throw invalid(
        `Completed is only the argument ${PATH_ARGUMENT} of ${PATH_TEMPLATE}`,
      );
    }
    const snapshot = await (await engine()).catalog.snapshot();
    return { completion: { ...completePath(snapshot, argument.value) } };
  });
}

function offeredIn(table: PromptTable, name: string): OfferedPrompt {
  const offered = table.byName.get(name);
  if (offered !== undefined) return offered;
  const [near] = nearest(name, [...table.byName.keys()], 1);
  throw invalid(
    `Unknown prompt "${visible(name, 80)}"` +
      (near === undefined ? "" : `; the nearest is ${visible(near, 200)}`),
  );
}

function startOf(table: PromptTable, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const position = readPromptCursor(cursor);
  if (position === undefined) {
    throw invalid("The cursor is none that prompts/list has given");
  }
  return rowAfter(table, position);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
