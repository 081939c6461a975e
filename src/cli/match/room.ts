/** What matching needs of the context's room, loaded when there is a payload. */

import type { Skill } from "../../catalog/types.ts";
import type { Hit, Triggers } from "../../context/types.ts";

/** The matcher and the form of its hits. */
export interface MatchRoom {
  compile(
    skills: readonly Skill[],
    workspaces: readonly string[],
  ): Promise<Triggers>;
  /** The block of one hit; the content is as the skill says it. */
  block(hit: Hit, content: string): string;
  /** How many commands a text holds; 0 when that takes about so long to tell. */
  commands(text: string, withinMs: number): Promise<number>;
}

/** The one in use. */
export async function matchRoom(): Promise<MatchRoom> {
  const { compileTriggers, extraInfo } = await import(
    "../../context/triggers.ts"
  );
  return {
    compile: (skills, workspaces) =>
      compileTriggers(skills, {
        workspaces,
        caseInsensitivePaths: ["darwin", "windows"].includes(Deno.build.os),
        realPath: (path) => Deno.realPath(path).catch(() => undefined),
      }),
    block: (hit, content) => extraInfo(hit, content),
    commands: async (text, withinMs) => {
      const { findCommands } = await import(
        "../../context/render/find_commands.ts"
      );
      return (await findCommands(text, withinMs)).length;
    },
  };
}
