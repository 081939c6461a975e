/** Ready configuration for each client's hooks. Pure. */

import { opencodePlugin } from "./opencode_plugin.ts";

/** What a client is given. */
export interface HookConfiguration {
  readonly text: string;
  /** Lines on where to put it and what it does there. */
  readonly advice: readonly string[];
}

/** Starts a match for a client. */
export interface HookCommand {
  /** As one line for a shell. */
  readonly line: string;
  /** The same as words. */
  readonly words: readonly string[];
}

/** Seconds: the match itself ends after a third of one. */
const TIMEOUT_S = 5;

type Maker = (command: HookCommand) => HookConfiguration;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["claude", ({ line }) => ({
    text: json(withPrompts(line, "Read|Edit|Write|MultiEdit|NotebookEdit")),
    advice: [
      "Put this into .claude/settings.json (this project) or ~/.claude/settings.json (all of yours); merge it with what is there.",
    ],
  })],
  ["codex", ({ line }) => ({
    text: json(withPrompts(line, "apply_patch|Edit|Write")),
    advice: [
      "Put this into .codex/hooks.json (this project) or ~/.codex/hooks.json (all of yours); merge it with what is there.",
      "Codex runs a hook only after you have trusted it: type /hooks.",
    ],
  })],
  ["cursor", ({ line }) => ({
    text: json({
      version: 1,
      hooks: { postToolUse: [{ command: line, timeout: TIMEOUT_S }] },
    }),
    advice: [
      "Put this into .cursor/hooks.json (this project) or ~/.cursor/hooks.json (all of yours); merge it with what is there.",
      "Cursor's hooks can add nothing to a prompt: skills come up for files that are touched. For words in a prompt, let the model call skill_match.",
    ],
  })],
  ["gemini", ({ line }) => ({
    text: json({
      hooks: {
        BeforeAgent: [{ hooks: [geminiHook(line)] }],
        AfterTool: [{
          matcher: "read_file|write_file|replace",
          hooks: [geminiHook(line)],
        }],
      },
    }),
    advice: [
      "Put this into .gemini/settings.json (this project) or ~/.gemini/settings.json (all of yours); merge it with what is there.",
      "Gemini CLI does not hand its whole environment to hooks: what the server is to know stands in the command.",
    ],
  })],
  ["opencode", ({ words }) => ({
    text: opencodePlugin(words),
    advice: [
      "Save this as .opencode/plugins/skills.ts (this project) or ~/.config/opencode/plugins/skills.ts (all of yours).",
      "It is written for the plugin interface of opencode 1.",
    ],
  })],
]);

/** Clients that have hooks which can hand over a text. */
export const HOOK_CLIENTS: readonly string[] = [...MAKERS.keys()];

/** The configuration of a client; undefined when it is not known. */
export function hookConfiguration(
  client: string,
  command: HookCommand,
): HookConfiguration | undefined {
  return MAKERS.get(client)?.(command);
}

/** The form of Claude Code, which Codex has taken over. */
function withPrompts(command: string, matcher: string): unknown {
  const hooks = [{ type: "command", command, timeout: TIMEOUT_S }];
  return {
    hooks: {
      UserPromptSubmit: [{ hooks }],
      PostToolUse: [{ matcher, hooks }],
    },
  };
}

/** Gemini CLI counts in milliseconds. */
function geminiHook(command: string): unknown {
  const timeout = TIMEOUT_S * 1000;
  return { name: "skills", type: "command", command, timeout };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
