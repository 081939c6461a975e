/** Who gets a prompt's name, and what is told about those who do not. */

import type {
  PromptFile,
  PromptLimits,
  PromptProblem,
  PromptSnapshot,
} from "./types.ts";

/** Collects prompts and problems of one scan; the first claim of a name wins. */
export class Claims {
  readonly #limits: PromptLimits;
  readonly #prompts = new Map<string, PromptFile>();
  readonly #problems: PromptProblem[] = [];
  #total = 0;
  #untold = 0;
  #unserved: { count: number; source: string; path: string } | undefined;

  constructor(limits: PromptLimits) {
    this.#limits = limits;
  }

  /** Serves a prompt under its name, unless an earlier one has it. */
  claim(prompt: PromptFile, source: string, path: string): void {
    const earlier = this.#prompts.get(prompt.name);
    if (earlier !== undefined) {
      // A file that is named and also lies in a directory is one prompt.
      if (earlier.realPath === prompt.realPath) return;
      this.tell(source, path, {
        severity: "warning",
        reason: "prompt-taken",
        detail:
          `an earlier prompt is called ${prompt.name}; this one is not served`,
        hint: "Rename one of them.",
      });
      return;
    }
    const { prompts, total } = this.#limits;
    const fits = this.#total + prompt.body.length <= total;
    if (this.#prompts.size < prompts && fits) {
      this.#total += prompt.body.length;
      this.#prompts.set(prompt.name, prompt);
      return;
    }
    this.#unserved ??= { count: 0, source, path };
    this.#unserved.count += 1;
  }

  /** Notes what is wrong at a place. */
  tell(
    source: string,
    path: string,
    remark: Omit<PromptProblem, "source" | "path">,
  ): void {
    if (this.#problems.length >= this.#limits.problems) this.#untold += 1;
    else this.#problems.push({ ...remark, source, path });
  }

  /** Everything that was claimed and told. */
  close(): PromptSnapshot {
    const problems = [...this.#problems];
    const last = problems.at(-1);
    if (this.#unserved !== undefined) {
      const { count, source, path } = this.#unserved;
      problems.push({
        severity: "warning",
        reason: "prompt-limit",
        source,
        path,
        detail:
          `${count} prompts from here on are not served: at most ${this.#limits.prompts} are, of ${
            this.#limits.total / 1024 / 1024
          } MiB together`,
        hint: "Give fewer files and directories.",
      });
    }
    if (this.#untold > 0 && last !== undefined) {
      problems.push({
        ...last,
        detail: `${this.#untold} more problems of prompts are not shown`,
      });
    }
    return { prompts: this.#prompts, problems };
  }
}
