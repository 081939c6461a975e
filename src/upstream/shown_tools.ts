/** A server's list of tools as it is shown: a stranger's words, capped. Pure. */

import { counted, listed, visible } from "../base/text.ts";
import { isRecord } from "../skill/block_values.ts";
import { shownJson, visibleLines } from "./shown_schema.ts";
import type { UpstreamTool } from "./types.ts";

/** A tool as the server gave it. */
export interface RawTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

/** Most tools of one server. */
export const MAX_TOOLS = 128;
const NAME = /^[A-Za-z0-9_.\/-]{1,128}$/;
const MAX_DESCRIPTION = 2_000;
const SCHEMA = { characters: 16_000, depth: 24 };
/** What stands for a schema that is not shown. */
const ANY: Readonly<Record<string, unknown>> = { type: "object" };

/** The tools, and in words what was cut or left out. */
export function shownTools(
  raw: readonly RawTool[],
  trusted: readonly string[],
): { readonly tools: UpstreamTool[]; readonly notes: string[] } {
  const usable = raw.filter(({ name }) => NAME.test(name));
  const strange = raw.filter(({ name }) => !NAME.test(name));
  const cut: string[] = [];
  const plain: string[] = [];
  const tools = usable.slice(0, MAX_TOOLS).map((tool): UpstreamTool => {
    const { name, description, inputSchema } = tool;
    const said = typeof description === "string"
      ? visibleLines(description, MAX_DESCRIPTION)
      : undefined;
    if (said !== undefined && said.cut > 0) cut.push(name);
    const schema = isRecord(inputSchema)
      ? shownJson(inputSchema, SCHEMA)
      : undefined;
    if (schema === undefined) plain.push(name);
    return {
      name,
      description: said?.text,
      inputSchema: schema ?? ANY,
      trusted: trusted.includes(name),
    };
  });
  const more = usable.length - tools.length;
  return {
    tools,
    notes: [
      ...strange.length === 0 ? [] : [
        `left out, since they have no plain name: ${
          listed(strange.map(({ name }) => `"${visible(name, 60)}"`), 5)
        }`,
      ],
      ...more === 0 ? [] : [`${counted(more)} further tools are left out`],
      ...cut.length === 0 ? [] : [`descriptions cut: ${listed(cut, 10)}`],
      ...plain.length === 0
        ? []
        : [`schemas missing or too large to show: ${listed(plain, 10)}`],
    ],
  };
}
