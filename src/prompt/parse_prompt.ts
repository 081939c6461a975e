/** The bytes of a prompt file: what is served of them, or why nothing is. */

import { visible } from "../base/text.ts";
import { decodeUtf8 } from "../base/utf8.ts";
import { parseFrontmatter, splitFrontmatter } from "../skill/frontmatter.ts";
import type { PromptFile, PromptProblem } from "./types.ts";

/** What a prompt can be called; one or two dots would vanish from its URI. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,128}$/;

/** Something to tell about a file; where it lies is the caller's to add. */
export type Remark = Omit<PromptProblem, "source" | "path">;

/** What a file says. */
export interface ParsedPrompt {
  /** Undefined: nothing is served, and the last remark says why. */
  readonly prompt:
    | Pick<PromptFile, "name" | "title" | "description" | "body">
    | undefined;
  readonly remarks: readonly Remark[];
}

/**
 * Reads a prompt file. Frontmatter is left off the body; where it cannot be
 * read, that is told and the file is served under its own name. Never throws.
 */
export function parsePrompt(bytes: Uint8Array, stem: string): ParsedPrompt {
  const { text, invalidAt } = decodeUtf8(bytes);
  if (invalidAt !== undefined) {
    return skipped([], {
      reason: "prompt-utf8",
      detail: "the file holds bytes that are not UTF-8",
      hint: "Save the file as UTF-8.",
    });
  }
  const split = splitFrontmatter(text);
  const frontmatter = split.kind === "block"
    ? parseFrontmatter(split.yaml)
    : undefined;
  const remarks: Remark[] = frontmatter?.ok === false
    ? [{
      severity: "warning",
      reason: "prompt-frontmatter",
      detail:
        `its frontmatter is not read (${frontmatter.finding.detail}); it is served under its file's name`,
      hint: frontmatter.finding.hint,
    }]
    : [];
  const values = frontmatter?.ok === true ? frontmatter.values : {};
  const body = split.body.trim();
  if (body === "") {
    return skipped(remarks, {
      reason: "prompt-empty",
      detail: "there is no text in it, frontmatter aside",
      hint: "Write the prompt, or remove the file.",
    });
  }
  const name = textOf(values, "name") ?? stem;
  if (!NAME.test(name)) {
    return skipped(remarks, {
      reason: "prompt-name",
      detail: `"${visible(name)}" cannot name a prompt`,
      hint:
        "Use letters, digits, _, . and -, at most 128: rename the file, or write name: in its frontmatter.",
    });
  }
  return {
    prompt: {
      name,
      title: textOf(values, "title"),
      description: textOf(values, "description"),
      body,
    },
    remarks,
  };
}

function textOf(
  values: Readonly<Record<string, unknown>>,
  key: string,
): string | undefined {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return typeof value === "string" ? value.trim() || undefined : undefined;
}

function skipped(
  before: readonly Remark[],
  why: Omit<Remark, "severity">,
): ParsedPrompt {
  return {
    prompt: undefined,
    remarks: [...before, { severity: "warning", ...why }],
  };
}
