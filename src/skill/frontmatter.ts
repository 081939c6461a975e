/** Frontmatter: found in the text, then read as YAML 1.2 core and nothing more. */

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
} from "yaml";
import { visible } from "../base/text.ts";
import { readPlainYaml } from "./plain_yaml.ts";
import type { Finding } from "./types.ts";

/** Largest frontmatter block, in UTF-8 bytes. */
export const MAX_FRONTMATTER = 65_536;
/** Deepest nesting of lists and mappings. */
const MAX_DEPTH = 64;

/** Where the frontmatter lies in a SKILL.md. */
export type Split =
  | { readonly kind: "none" | "unterminated"; readonly body: string }
  | { readonly kind: "block"; readonly yaml: string; readonly body: string };

/** One step into a mapping (by key) or a list (by index). */
export type PathStep = string | number;

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

const CLOSING = /\r?\n---[ \t]*(?=\r?\n|$)/y;

/**
 * Splits text (without byte order mark) at its frontmatter fences. LF and CRLF
 * both end a line; the closing fence may be the end of the text and may follow
 * the opening one at once. `body` is verbatim, and the whole text when there is
 * no block.
 */
export function splitFrontmatter(text: string): Split {
  const opening = /^---[ \t]*(?=\r?\n)/.exec(text);
  if (opening === null) return { kind: "none", body: text };
  const start = opening[0].length;
  for (
    let newline = text.indexOf("\n---", start);
    newline >= 0;
    newline = text.indexOf("\n---", newline + 1)
  ) {
    // The line end may be CRLF, whose CR then belongs to the fence.
    const at = text[newline - 1] === "\r" ? newline - 1 : newline;
    CLOSING.lastIndex = at;
    const closing = CLOSING.exec(text);
    if (closing === null) continue;
    const afterFence = at + closing[0].length;
    const nextLine = text.indexOf("\n", afterFence);
    return {
      kind: "block",
      yaml: at <= start ? "" : text.slice(text.indexOf("\n", start) + 1, at),
      body: nextLine < 0 ? "" : text.slice(nextLine + 1),
    };
  }
  return { kind: "unterminated", body: text };
}

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
    );
  }
  const source = yaml.includes("\r") ? yaml.replaceAll("\r\n", "\n") : yaml;
  const values = readPlainYaml(source);
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
  const read = toPlain(root, 0);
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

function wordsFor(error: { code: string; message: string }): string {
  if (error.code === "RESOURCE_EXHAUSTION") {
    return "the YAML is nested too deeply";
  }
  if (error.code === "MULTIPLE_DOCS") {
    return "the frontmatter holds more than one YAML document";
  }
  return visible(error.message.replace(/\s+/g, " "), 160);
}

function hintFor(code: string, message: string, key?: string): string {
  const shownKey = key === undefined ? "key" : visible(key, 60);
  switch (code) {
    case "TAB_AS_INDENT":
      return "Indent with blanks, not tabs.";
    case "TAG_RESOLVE_FAILED":
      return "Remove the tag (the !word), or quote the value.";
    case "MULTIPLE_DOCS":
      return "Remove the line that holds three dots.";
    case "RESOURCE_EXHAUSTION":
      return "Use fewer levels.";
    case "BAD_DQ_ESCAPE":
      return "Double the backslash, or use 'single' quotes.";
    case "BAD_INDENT":
      return message.startsWith("Flow")
        ? "Close the bracket, or quote the value."
        : "Line up the keys that belong together.";
    case "MISSING_CHAR":
    case "MULTILINE_IMPLICIT_KEY":
      return message.includes("quote")
        ? "Close the quote."
        : "Write key: value, and indent a line that continues the one above.";
    default:
      return `Quote the value, as in ${shownKey}: "..." or ${shownKey}: '...'.`;
  }
}

/** The top-level key whose value the offset lies in. */
function topKeyAt(source: string, offset: number): string | undefined {
  const upTo = source.slice(0, offset + 1);
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = source.indexOf("\n", start);
  const lines = upTo.slice(0, start).split("\n").slice(0, -1);
  lines.push(source.slice(start, lineEnd < 0 ? undefined : lineEnd));
  for (const line of lines.reverse()) {
    const key = /^([^\s#:'"[\]{},?-][^:]{0,99}):(?:\s|$)/.exec(line);
    if (key !== null) return key[1];
  }
  return undefined;
}

type Plain =
  | { readonly value: unknown }
  | { readonly why: string; readonly hint: string; readonly offset: number };

function toPlain(node: unknown, depth: number): Plain {
  if (node === null || node === undefined) return { value: null };
  const { range, anchor } = node as { range?: number[]; anchor?: string };
  const offset = range?.[0] ?? 0;
  if (isAlias(node) || anchor !== undefined) {
    return {
      why: "anchors and aliases are not accepted",
      hint: "Write the value out, or quote text that starts with * or &.",
      offset,
    };
  }
  if (isScalar(node)) return { value: node.value };
  if (depth >= MAX_DEPTH) {
    return {
      why: "the YAML is nested too deeply",
      hint: `Use at most ${MAX_DEPTH} levels.`,
      offset,
    };
  }
  if (isSeq(node)) {
    const list: unknown[] = [];
    for (const item of node.items) {
      const read = toPlain(item, depth + 1);
      if ("why" in read) return read;
      list.push(read.value);
    }
    return { value: list };
  }
  return isMap(node) ? mapToPlain(node.items, depth) : { value: null };
}

function mapToPlain(
  pairs: readonly { key: unknown; value: unknown }[],
  depth: number,
): Plain {
  const record: Record<string, unknown> = {};
  for (const pair of pairs) {
    const key = toPlain(pair.key, depth + 1);
    if ("why" in key) return key;
    const offset = (pair.key as Node | null)?.range?.[0] ?? 0;
    if (typeof key.value === "object" && key.value !== null) {
      return {
        why: "a key is a list or a mapping",
        hint: "Use words as keys.",
        offset,
      };
    }
    const name = String(key.value);
    if (Object.hasOwn(record, name)) {
      return {
        why: `the key "${visible(name, 60)}" stands twice`,
        hint: "Keep one of the two.",
        offset,
      };
    }
    const read = toPlain(pair.value, depth + 1);
    if ("why" in read) return read;
    // Plain assignment to `__proto__` would set the prototype instead.
    if (name === "__proto__") {
      Object.defineProperty(record, name, {
        value: read.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else record[name] = read.value;
  }
  return { value: record };
}

function offsetOf(
  root: Node,
  path: readonly PathStep[],
  at: "key" | "value",
): number | undefined {
  let node: unknown = root;
  let offset: number | undefined;
  for (const [i, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) =>
        isScalar(key) && String(key.value) === step
      );
      if (pair === undefined) return offset;
      const keyOffset = (pair.key as Node).range?.[0];
      const valueOffset = (pair.value as Node | null)?.range?.[0];
      const wantKey = at === "key" && i === path.length - 1;
      offset = wantKey ? keyOffset : valueOffset ?? keyOffset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = (node as Node | null)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Line 1 of SKILL.md is the opening fence. */
function positionIn(
  source: string,
  offset: number,
): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length + 1, column: [...before.at(-1)!].length + 1 };
}

function malformed(
  detail: string,
  hint: string,
  position?: { line: number; column: number },
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
