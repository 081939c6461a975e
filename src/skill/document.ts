/** A whole SKILL.md: bytes in, everything that is known about it out. */

import { decodeUtf8 } from "../base/utf8.ts";
import { readActivation, untriggered } from "./activation.ts";
import { own, shown } from "./block_values.ts";
import { EMPTY_DECLARATION, readDeclaration } from "./declaration.ts";
import {
  type Frontmatter,
  type Locate,
  malformed,
  parseFrontmatter,
  type Split,
  splitFrontmatter,
} from "./frontmatter.ts";
import type { Finding, SkillDocument } from "./types.ts";

/** What is known about the bytes beforehand. */
export interface ReadSkillOptions {
  /** The file goes on after `bytes`: a character may be cut at their end. */
  readonly truncated?: boolean;
  /** It is one markdown file that is a skill by itself, not a SKILL.md. */
  readonly flat?: boolean;
}

/**
 * Reads a SKILL.md. Never throws and always gives a body: without usable
 * frontmatter the document is instructions only (`frontmatter` undefined, a
 * finding of severity `error`); without a usable `mcp-host` block it declares
 * nothing. Unknown top-level keys are kept and not reported. A flat file needs no
 * frontmatter.
 */
export function readSkillDocument(
  bytes: Uint8Array,
  options: ReadSkillOptions = {},
): SkillDocument {
  const decoded = decodeUtf8(bytes, { cut: options.truncated === true });
  const split = splitFrontmatter(decoded.text);
  const findings: Finding[] = [];
  if (decoded.invalidAt !== undefined) {
    findings.push(badUtf8(bytes, decoded.invalidAt));
  }
  const flat = options.flat === true;
  const frontmatter = readBlock(split);
  if (!frontmatter.ok) {
    const plain = flat && split.kind === "none";
    return {
      frontmatter: undefined,
      claimedName: undefined,
      description: undefined,
      whenToUse: undefined,
      declaration: EMPTY_DECLARATION,
      // Whether an unreadable block holds a trigger is not known.
      activation: untriggered(plain),
      modelMayNotInvoke: false,
      body: split.body,
      findings: plain ? findings : [...findings, frontmatter.finding],
    };
  }
  const { values, locate } = frontmatter;
  const block = !Object.hasOwn(values, "mcp-host")
    ? { declaration: EMPTY_DECLARATION, findings: [] }
    : flat
    ? { declaration: EMPTY_DECLARATION, findings: [declaresFlat(locate)] }
    : readDeclaration(own(values, "mcp-host"), locate);
  const text = (key: string) => textOf(values, key, locate, findings);
  const description = text("description");
  const claimedName = text("name");
  const whenToUse = text("when-to-use") ?? text("when_to_use");
  const { activation, modelMayNotInvoke, findings: triggerFindings } =
    readActivation(values, locate, { flat });
  const written = own(values, "description") ?? "";
  if (
    typeof written === "string" && description === undefined &&
    !modelMayNotInvoke && (!flat || activation.kind === "catalogue")
  ) {
    findings.push(NO_DESCRIPTION);
  }
  return {
    frontmatter: values,
    claimedName,
    description,
    whenToUse,
    declaration: block.declaration,
    activation,
    modelMayNotInvoke,
    body: split.body,
    findings: [...findings, ...triggerFindings, ...block.findings],
  };
}

const NO_DESCRIPTION: Finding = {
  severity: "note",
  reason: "no-description",
  detail: "it has no description, so a model can hardly choose it",
  hint: "Add a line description: that says what it does and when to use it.",
};

function declaresFlat(locate: Locate): Finding {
  return {
    severity: "warning",
    reason: "declaration",
    detail: "mcp-host: is ignored, since a single file has no scripts",
    hint: "Make it a directory with a SKILL.md, and put the scripts beside it.",
    ...locate(["mcp-host"], "key"),
  };
}

function readBlock(split: Split): Frontmatter {
  if (split.kind === "block") {
    if (!split.yaml.includes("\ufffd")) return parseFrontmatter(split.yaml);
    return noFrontmatter(
      "the frontmatter holds bytes that are not UTF-8",
      "Save the file as UTF-8.",
    );
  }
  return split.kind === "none"
    ? noFrontmatter(
      "there is no frontmatter",
      "Start the file with a line ---, lines name: and description:, and a line ---.",
    )
    : noFrontmatter(
      "the frontmatter is never closed",
      "End it with a line of its own that holds --- and nothing else.",
    );
}

function noFrontmatter(detail: string, hint: string): Frontmatter {
  return malformed(detail, hint, { line: 1, column: 1 });
}

/** A text value, trimmed; blank counts as absent, other types are reported. */
function textOf(
  values: Readonly<Record<string, unknown>>,
  key: string,
  locate: Locate,
  findings: Finding[],
): string | undefined {
  const value = own(values, key);
  if (typeof value === "string") return value.trim() || undefined;
  if (value === undefined || value === null) return undefined;
  findings.push({
    severity: "warning",
    reason: "frontmatter-type",
    detail: `${key}: ${shown(value)} is not text and counts as absent`,
    hint: `Quote the value of ${key}.`,
    ...locate([key]),
  });
  return undefined;
}

function badUtf8(bytes: Uint8Array, offset: number): Finding {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset; i++) {
    if (bytes[i] !== 0x0a) continue;
    line++;
    lineStart = i + 1;
  }
  const before = new TextDecoder().decode(bytes.subarray(lineStart, offset));
  return {
    severity: "warning",
    reason: "bad-utf8",
    detail: "the file holds bytes that are not UTF-8; each shows as \ufffd",
    hint: "Save the file as UTF-8.",
    line,
    column: [...before].length + 1,
  };
}
