/** Texts with their commands replaced by what those gave. */

import type { Skill } from "../../catalog/types.ts";
import { renderPermit } from "../../grant/render_rule.ts";
import type { RenderGrant } from "../../grant/types.ts";
import type { FoundCommand, Rendered, RenderedCommand } from "../types.ts";
import { findMarks, type FoundMarks } from "./find_commands.ts";
import { offered, type OfferedCommand, questionOf } from "./offered.ts";
import { Fencing, outputText } from "./output.ts";
import { type CommandDeps, failureOf, runCommand } from "./run_command.ts";
import { splitWords } from "./words.ts";

/** Commands of one text that are run at most, and milliseconds for all. */
export const MAX_COMMANDS = 20;
const DOCUMENT_MS = 30_000;

/** What a renderer works with. */
export interface RendererDeps extends CommandDeps {
  readonly grant: RenderGrant;
  /** Absolute real directories that are worked in, the first wins. */
  readonly workspaces: () => Promise<readonly string[]>;
  /** Milliseconds for one text; for tests. */
  readonly documentMs?: number;
}

/** A text to render. */
export interface TextRequest {
  readonly skill: Skill;
  readonly text: string;
  /** Puts something into what stands between commands; never into those. */
  readonly literal?: (text: string) => string;
  /** How what stands in a command's place is shown. */
  readonly shown?: ((put: string) => string) | undefined;
  readonly signal: AbortSignal;
}

/** Renders texts, and says beforehand what that would start. */
export interface Renderer {
  /** Runs what the owner listed. Never throws for what a text or command does. */
  render(request: TextRequest): Promise<Rendered>;
  /** Every command of a text with the row it has or needs. Starts nothing. */
  offered(skill: Skill, text: string): Promise<readonly OfferedCommand[]>;
}

type Outcome = RenderedCommand["outcome"];

/** What one command comes to, and what stands in its place. */
interface Replaced {
  readonly command: RenderedCommand;
  readonly put: string;
}

/** A renderer over the fence. */
export function createRenderer(deps: RendererDeps): Renderer {
  return {
    render: (request) => render(request, deps),
    offered: (skill, text) => offered(skill, text, deps),
  };
}

async function render(
  { skill, text, literal = asItIs, shown = asItIs, signal }: TextRequest,
  deps: RendererDeps,
): Promise<Rendered> {
  const marks = await findMarks(text);
  if (marks.unread !== undefined) {
    const why = `no command was looked for: ${marks.unread}`;
    const command = { text: "", outcome: "refused", why } as const;
    return { text: literal(text), commands: [command] };
  }
  const pieces = between(text, marks);
  const fencing = new Fencing(pieces.join("\n"));
  const late = AbortSignal.timeout(deps.documentMs ?? DOCUMENT_MS);
  const stop = AbortSignal.any([signal, late]);
  const workspace = skill.workspace ?? (await deps.workspaces())[0];
  const commands: RenderedCommand[] = [];
  let rendered = literal(pieces[0] ?? "");
  for (const [at, found] of marks.commands.entries()) {
    const { command, put } = at >= MAX_COMMANDS
      ? failed(
        found,
        fencing,
        "limit",
        `was not run: a text has at most ${MAX_COMMANDS}`,
      )
      : late.aborted
      ? failed(
        found,
        fencing,
        "limit",
        "was not run: the time for this text is over",
      )
      : await one(found, {
        source: text.slice(found.start, found.end),
        skill,
        workspace,
        fencing,
        stop,
        late,
        deps,
      });
    commands.push(command);
    // Another `!` before it must not make a command of an output.
    const apart = rendered.endsWith("!") && put.startsWith("`") ? " " : "";
    rendered += apart + shown(put) + literal(pieces[at + 1] ?? "");
  }
  return { text: rendered, commands };
}

interface Place {
  /** The command as it is written, with its backticks. */
  readonly source: string;
  readonly skill: Skill;
  readonly workspace: string | undefined;
  readonly fencing: Fencing;
  readonly stop: AbortSignal;
  /** The text's time is over. */
  readonly late: AbortSignal;
  readonly deps: RendererDeps;
}

async function one(
  found: FoundCommand,
  { source, skill, workspace, fencing, stop, late, deps }: Place,
): Promise<Replaced> {
  const split = splitWords(found.text);
  if (!split.ok) {
    return failed(found, fencing, "refused", `was refused: ${split.why}`);
  }
  const { words } = split;
  const question = questionOf(skill, words, workspace);
  const permit = renderPermit(question, deps.grant);
  if (permit === undefined) return notGranted(found, fencing);
  const { bundles } = permit;
  const granted = { skill, words, bundles, workspace };
  const ran = await runCommand(granted, deps, stop);
  if (!ran.ok) {
    const { code, message } = ran;
    if (code === "FENCE_UNAVAILABLE") return stays(found, source, message);
    if (late.aborted) {
      return failed(
        found,
        fencing,
        "limit",
        "was not run: the time for this text is over",
      );
    }
    const busy = code === "BUSY" || code === "CANCELLED" ||
      code === "SPAWN_FAILED";
    return failed(
      found,
      fencing,
      busy ? "failed" : "refused",
      `was not run: ${message}`,
    );
  }
  const why = failureOf(ran.value);
  const { stdout, stderr } = ran.value;
  if (why === undefined) {
    const put = fencing.output(outputText(stdout.head, stdout.total));
    const command = { text: found.text, outcome: "ran", why } as const;
    return { command, put };
  }
  if (late.aborted && ran.value.cancelled) {
    return failed(
      found,
      fencing,
      "limit",
      "was stopped: the time for this text is over",
    );
  }
  const said = new TextDecoder().decode(stderr.head.subarray(0, 2_000));
  return failed(found, fencing, "failed", why, said);
}

function asItIs(text: string): string {
  return text;
}

function failed(
  { text }: FoundCommand,
  fencing: Fencing,
  outcome: Outcome,
  why: string,
  said?: string,
): Replaced {
  return {
    command: { text, outcome, why },
    put: fencing.error(text, why, said),
  };
}

function notGranted(found: FoundCommand, fencing: Fencing): Replaced {
  return failed(
    found,
    fencing,
    "not-granted",
    "is not granted: no row of MCP_SKILL_RENDER lists it for this skill; `skillfence check` prints the row",
  );
}

/** Host commands stay as they are where nothing would hold them. */
function stays(
  { text }: FoundCommand,
  source: string,
  message: string,
): Replaced {
  return {
    command: { text, outcome: "refused", why: message },
    put: `${source} (not run: ${message})`,
  };
}

/** What stands before, between and after the commands, escapes undone. */
function between(
  text: string,
  { commands, escapes }: FoundMarks,
): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of [...commands, { start: text.length, end: 0 }]) {
    let piece = "";
    for (const slash of escapes) {
      if (slash < at || slash >= start) continue;
      piece += text.slice(at, slash);
      at = slash + 1;
    }
    pieces.push(piece + text.slice(at, start));
    at = end;
  }
  return pieces;
}
