/** What each client's hook hands over and accepts. The one table of it. Pure. */

/** What an event is about. */
export type EventKind = "prompt" | "paths";

/** One client, as its hooks speak. */
interface HookClient {
  /** Events that can take a text, by their names; undefined: any. */
  readonly events: Readonly<Record<string, EventKind>> | undefined;
  /** A tool's input may hold a patch instead of paths. */
  readonly patches?: boolean;
  /** What is printed to hand a text to the model. */
  readonly answer: (event: string, text: string) => string;
}

/** Claude Code's form, which Codex and Gemini CLI read too. */
function additionalContext(event: string, text: string): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: event, additionalContext: text },
  });
}

const SUBMIT = { UserPromptSubmit: "prompt", PostToolUse: "paths" } as const;
const PLAIN: HookClient = { events: undefined, answer: (_, text) => text };

const CLIENTS: ReadonlyMap<string, HookClient> = new Map<string, HookClient>([
  ["claude", { events: SUBMIT, answer: additionalContext }],
  ["codex", { events: SUBMIT, patches: true, answer: additionalContext }],
  ["cursor", {
    // Before a prompt is sent its hooks can stop it, but add nothing to it.
    events: { sessionStart: "prompt", postToolUse: "paths" },
    answer: (_, text) => JSON.stringify({ additional_context: text }),
  }],
  ["gemini", {
    events: { BeforeAgent: "prompt", AfterTool: "paths" },
    answer: additionalContext,
  }],
  // Its plugin puts the text where it belongs.
  ["opencode", PLAIN],
  // For hooks of one's own.
  ["text", PLAIN],
]);

/** Names that `--client` takes. */
export const CLIENT_NAMES: readonly string[] = [...CLIENTS.keys()];

/** Whether a client hands over patches. */
export function handsPatches(client: string): boolean {
  return CLIENTS.get(client)?.patches === true;
}

/** How to answer one payload. */
export interface AnswerForm {
  readonly takesMessage: boolean;
  readonly takesPaths: boolean;
  readonly answer: (text: string) => string;
}

/**
 * How to answer an event of a client; undefined when the event takes no text.
 * An event that is not named is told by what the payload holds.
 */
export function answerForm(
  client: string,
  event: string | undefined,
  hasMessage: boolean,
): AnswerForm | undefined {
  const row = CLIENTS.get(client);
  if (row === undefined) return undefined;
  const { events, answer } = row;
  if (events === undefined) {
    return {
      takesMessage: true,
      takesPaths: true,
      answer: (text) => answer("", text),
    };
  }
  const wanted: EventKind = hasMessage ? "prompt" : "paths";
  const name = event ??
    Object.keys(events).find((name) => events[name] === wanted)!;
  if (!Object.hasOwn(events, name)) return undefined;
  return {
    takesMessage: events[name] === "prompt",
    takesPaths: events[name] === "paths",
    answer: (text) => answer(name, text),
  };
}
