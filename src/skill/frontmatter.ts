/** Frontmatter: found in the text, then read as YAML 1.2 core and nothing more. */

import { isMap, type Node, parseDocument } from "yaml";
import { visible } from "../base/text.ts";
import {
  hintFor,
  positionIn,
  topKeyAt,
  wordsFor,
} from "./frontmatter_words.ts";
import { readPlainYaml } from "./plain_yaml.ts";
import type { Finding } from "./types.ts";
import { offsetOf, type PathStep, toPlain } from "./yaml_values.ts";

export { type Split, splitFrontmatter } from "./split_frontmatter.ts";

export type { PathStep } from "./yaml_values.ts";

/** Largest frontmatter block, in UTF-8 bytes. */
export const MAX_FRONTMATTER = 65_536;

/**
 * Finds where a value, or its key, stands in SKILL.md (1-based). Asked only
 * when there is something to report.
 */
export type Locate = (
  path: readonly PathStep[],
  at?: "key" | "value",
) => { readonly line: number; readonly column: number } | undefined;

/** Frontmatter as plain values, or the one finding that says why not. */
export type Frontmatter =
  | {
    readonly ok: true;
    readonly values: Readonly<Record<string, unknown>>;
    readonly locate: Locate;
  }
  | { readonly ok: false; readonly finding: Finding };

/** Where the block begins: what is wrong with all of it is placed here. */
const FIRST_LINE = { line: 2, column: 1 };

/** A key that the quick reader could spell in no other way. */
const BLOCK_KEY = "mcp-host";

/**
 * Reads a block as YAML 1.2 core. Anchors, aliases, tags outside the core,
 * repeated keys, anything but a mapping at the top, more than 64 levels and
 * more than 64 KiB are refused, as is the first thing the parser stumbles on.
 * An empty block is an empty mapping. Never throws.
 */
export function parseFrontmatter(yaml: string): Frontmatter {
  if (utf8Length(yaml) > MAX_FRONTMATTER) {
    return malformed(
      `the frontmatter is longer than ${MAX_FRONTMATTER / 1024} KiB`,
      "Move what is not metadata below the closing ---.",
      FIRST_LINE,
    );
  }
  const source = yaml.includes("\r") ? yaml.replaceAll("\r\n", "\n") : yaml;
  // What a script may do is only ever read by the library.
  const values = source.includes(BLOCK_KEY) ? undefined : readPlainYaml(source);
  if (values === undefined) return parseInFull(source);
  // Only a finding asks for positions, and those the full parser has.
  const inFull = (): Locate => {
    const read = parseInFull(source);
    return read.ok ? read.locate : () => undefined;
  };
  let locate: Locate | undefined;
  return {
    ok: true,
    values,
    locate: (path, at) => (locate ??= inFull())(path, at),
  };
}

function parseInFull(source: string): Frontmatter {
  const parsed = parseYaml(source);
  if ("finding" in parsed) return { ok: false, finding: parsed.finding };
  const root = parsed.root;
  if (root === null) return { ok: true, values: {}, locate: () => undefined };
  const read = toPlain(root);
  if ("why" in read) {
    const key = topKeyAt(source, read.offset);
    return malformed(
      key === undefined ? read.why : `${read.why}, in "${visible(key, 60)}"`,
      read.hint,
      positionIn(source, read.offset),
    );
  }
  if (!isMap(root)) {
    return malformed(
      "the frontmatter is not a mapping",
      "Write lines of the form key: value between the --- lines.",
      positionIn(source, root.range?.[0] ?? 0),
    );
  }
  return {
    ok: true,
    values: read.value as Record<string, unknown>,
    locate: (path, at = "value") => {
      const offset = offsetOf(root, path, at);
      return offset === undefined ? undefined : positionIn(source, offset);
    },
  };
}

function utf8Length(text: string): number {
  if (text.length > MAX_FRONTMATTER) return text.length;
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= MAX_FRONTMATTER) return text.length;
  return new TextEncoder().encode(text).length;
}

function parseYaml(
  source: string,
): { readonly root: Node | null } | { readonly finding: Finding } {
  try {
    const document = parseDocument(source, {
      version: "1.2",
      schema: "core",
      merge: false,
      resolveKnownTags: false,
      // Its check compares every pair of keys; ours keeps a set.
      uniqueKeys: false,
      prettyErrors: false,
      // Anything quieter also swallows the error about a second document.
      logLevel: "error",
    });
    const stumble = document.errors[0] ?? document.warnings[0];
    if (stumble === undefined) return { root: document.contents };
    return { finding: stumbled(source, stumble) };
  } catch (error) {
    // The parser recurses: deep nesting exhausts the stack. One bad file must
    // not cost the scan, whatever it makes the parser do.
    const deep = error instanceof RangeError;
    const { finding } = malformed(
      deep ? "the YAML is nested too deeply" : "the YAML parser gave up on it",
      "Write plain key: value lines.",
      FIRST_LINE,
    );
    return { finding };
  }
}

function stumbled(
  source: string,
  error: { code: string; message: string; pos: [number, number] },
): Finding {
  const key = topKeyAt(source, error.pos[0]);
  const place = key === undefined ? "" : `, in "${visible(key, 60)}"`;
  return malformed(
    `${wordsFor(error)}${place}`,
    hintFor(error.code, error.message, key),
    positionIn(source, error.pos[0]),
  ).finding;
}

/** The outcome for a block that cannot be used: why, what to do, and where. */
export function malformed(
  detail: string,
  hint: string,
  position: { readonly line: number; readonly column: number },
): { readonly ok: false; readonly finding: Finding } {
  return {
    ok: false,
    finding: {
      severity: "error",
      reason: "malformed-frontmatter",
      detail,
      hint,
      ...position,
    },
  };
}
