/** The tools, as clients see them. A small, fixed set. */

import type { Config } from "../config/types.ts";
import { type ObjectSchema, publish } from "./schemas/publish.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";
import { skillCall } from "./tools/skill_call.ts";
import { skillFile } from "./tools/skill_file.ts";
import { skillList } from "./tools/skill_list.ts";
import { skillLoad } from "./tools/skill_load.ts";
import { skillMatch } from "./tools/skill_match.ts";
import { skillPreview } from "./tools/skill_preview.ts";
import { skillRun } from "./tools/skill_run.ts";
import { skillTools } from "./tools/skill_tools.ts";

/** A tool as `tools/list` shows it. */
export interface PublishedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** All tools, in the order in which a task uses them. */
export const TOOLS: readonly Tool[] = [
  skillList,
  skillMatch,
  skillLoad,
  skillFile,
  skillPreview,
  skillRun,
  skillTools,
  skillCall,
];

/** The tools this server offers. */
export function offeredTools(config: Config): readonly Tool[] {
  return config.runTools ? TOOLS : TOOLS.filter((tool) => !tool.runs);
}

/** A tool as clients see it. */
export function publishTool(tool: Tool, config: Config): PublishedTool {
  const meta = tool.meta(config);
  return {
    name: tool.name,
    title: tool.annotations.title,
    description: tool.description,
    inputSchema: publish(tool.input),
    ...(tool.output === undefined
      ? {}
      : { outputSchema: publish(tool.output) }),
    annotations: tool.annotations,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}
