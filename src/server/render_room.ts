/** Commands in texts, loaded when a text may hold one. */

import { visible } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import type { OfferedCommand, Renderer } from "../context/render.ts";
import type { FoundCommand, Rendered, SkillProblem } from "../context/types.ts";
import type { PureRuns, PureRunsDeps } from "../fence/pure_runs.ts";
import { readRenderGrant } from "../grant/parse_render.ts";
import type { RenderGrant } from "../grant/types.ts";
import type { Recorder } from "../audit/recorder.ts";
import type { RenderRequest } from "./context_door.ts";
import { once } from "./kept.ts";
import { startedWithoutRuns } from "./run_offer.ts";

/** What every command has; most texts are told by it to hold none. */
const MARK = "!`";
/** Milliseconds that looking for commands may hold up everything else. */
const LOOK_MS = 250;

/** What it is made from. */
export interface RenderParts {
  readonly grant: RenderGrant;
  readonly workspaces: () => Promise<readonly string[]>;
  readonly runs: PureRunsDeps;
  readonly record: Recorder;
}

/** Finds and runs what stands in texts. */
export class RenderRoom {
  readonly #renderer: () => Promise<Renderer>;
  #runs: PureRuns | undefined;
  #closed = false;

  constructor({ grant, workspaces, runs, record }: RenderParts) {
    this.#renderer = once(async () => {
      const [{ createRenderer }, { PureRuns }] = await Promise.all([
        import("../context/render.ts"),
        import("../fence/pure_runs.ts"),
      ]);
      const pure = this.#runs = new PureRuns(runs);
      if (this.#closed) pure.closeSync();
      return createRenderer({ grant, workspaces, runs: pure, record });
    });
  }

  /**
   * The commands in a text, in order; none where only looking for them takes
   * long. Starts none.
   */
  async commands(text: string): Promise<readonly FoundCommand[]> {
    if (!text.includes(MARK)) return [];
    const { findCommands } = await import("../context/render.ts");
    return await findCommands(text, LOOK_MS);
  }

  /** The same with the row that each has or needs. Starts none. */
  async offered(
    skill: Skill,
    text: string,
  ): Promise<readonly OfferedCommand[]> {
    return text.includes(MARK)
      ? await (await this.#renderer()).offered(skill, text)
      : [];
  }

  /** Commands of a skill's text that can never run, with or without a row. */
  async problems({ name, body }: Skill): Promise<readonly SkillProblem[]> {
    const commands = await this.commands(body);
    if (commands.length === 0) return [];
    const { splitWords } = await import("../context/render/words.ts");
    return commands.flatMap(({ text }) => {
      const split = splitWords(text);
      return split.ok ? [] : [{
        skill: name,
        severity: "warning" as const,
        reason: "command",
        detail: `the command "${visible(text, 120)}" never runs: ${split.why}`,
        hint:
          "There is no shell: write one program or script with its words, or put a backslash before the ! of what is no command.",
      }];
    });
  }

  /** Runs what the owner listed. */
  async render(request: RenderRequest): Promise<Rendered> {
    const { text, literal } = request;
    return text.includes(MARK)
      ? await (await this.#renderer()).render(request)
      : { text: literal(text), commands: [] };
  }

  /** Kills what runs, at once. */
  closeSync(): void {
    this.#closed = true;
    this.#runs?.closeSync();
  }
}

/**
 * The rows that count: none where nothing may run at all, or where what the
 * owner meant is not known.
 */
export function renderGrantOf(config: Config): RenderGrant {
  const read = readRenderGrant(config.renderText);
  if (read.rows.length === 0) return read;
  const why = !config.runTools
    ? `this server was started ${startedWithoutRuns(config)}`
    : config.complaints.length > 0
    ? "the server's configuration has mistakes"
    : undefined;
  return why === undefined ? read : {
    rows: [],
    notes: [...read.notes, {
      severity: "note",
      reason: "render-off",
      detail: `No command of any text runs: ${why}.`,
      hint: "Its rows count again without that.",
    }],
  };
}
