/** Findings gathered while reading, placed and bounded. */

import { visible } from "../base/text.ts";
import type { Locate, PathStep } from "./frontmatter.ts";
import type { Finding } from "./types.ts";

/** Most findings kept for one SKILL.md; the rest are counted. */
const MAX_FINDINGS = 64;

/** One finding before it has a position. */
export interface FindingInput {
  readonly severity: Finding["severity"];
  readonly path: readonly PathStep[];
  readonly detail: string;
  readonly hint: string;
  /** Point at the key rather than at its value. */
  readonly atKey?: boolean;
}

/** Collects findings of one reason; looks a position up only for those kept. */
export class Findings {
  readonly #kept: Finding[] = [];
  #left = 0;
  readonly #reason: string;
  readonly #locate: Locate;

  /** `reason` is given to every finding; `locate` finds their positions. */
  constructor(reason: string, locate: Locate) {
    this.#reason = reason;
    this.#locate = locate;
  }

  /** Adds one. Its detail is shown after the path it is about. */
  add(input: FindingInput): void {
    if (this.#kept.length >= MAX_FINDINGS) {
      this.#left++;
      return;
    }
    this.#kept.push({
      severity: input.severity,
      reason: this.#reason,
      detail: `${pathText(input.path)}: ${input.detail}`,
      hint: input.hint,
      ...this.#locate(input.path, input.atKey === true ? "key" : "value"),
    });
  }

  /** All of them, the last one counting what was left off. */
  list(): Finding[] {
    if (this.#left === 0) return [...this.#kept];
    return [...this.#kept, {
      severity: "warning",
      reason: this.#reason,
      detail: `${this.#left} further findings are left off`,
      hint: "Fix the ones listed first.",
    }];
  }
}

/** `mcp-host.run[2].env[0]`; steps after the first may be a stranger's words. */
function pathText(path: readonly PathStep[]): string {
  return path.map((step, i) =>
    typeof step === "number"
      ? `[${step}]`
      : `${i === 0 ? "" : "."}${visible(step, 60)}`
  ).join("");
}
