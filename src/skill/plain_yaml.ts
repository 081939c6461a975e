/**
 * The part of YAML that nearly all frontmatter keeps to, read line by line.
 * A full parser takes about two milliseconds for twenty lines where nothing
 * is compiled, and a server reads a thousand skills before its first answer.
 * Whatever is not plainly inside the part is left to the full parser, so this
 * reader never decides that something is wrong.
 */

/** Marks what the full parser has to read. */
const LEAVE = Symbol("leave");
type Read<T> = T | typeof LEAVE;

/** Tabs, other control characters and stray byte order marks. */
// deno-lint-ignore no-control-regex
const UNUSUAL = /[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff]/;
const KEY = /^([A-Za-z_][A-Za-z0-9_.-]{0,63}):(?: +(.*))?$/;
/** First characters that mean nothing to YAML. */
const PLAIN_START = /^[A-Za-z_(/$\u00a1-\ufefe]/;
const FLOW_WORD = /^[A-Za-z_/$][A-Za-z0-9_./$-]*(?: [A-Za-z0-9_./$-]+)*$/;
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/;
/** Three numbers are a date or a version, never one number. */
const THREE_NUMBERS = /^[0-9]+(?:[.-][0-9]+){2}$/;
/** Words (and keys) that are not text in the core schema. */
const RESOLVED = /^(?:null|true|false)$/i;
/** Well below the depth at which the full parser refuses. */
const MAX_DEPTH = 16;

/**
 * The mapping that the text stands for, exactly as the full parser reads it,
 * or undefined when the text holds anything this reader does not know. Takes
 * LF line ends.
 */
export function readPlainYaml(
  source: string,
): Record<string, unknown> | undefined {
  if (UNUSUAL.test(source)) return undefined;
  const lines = new Lines(source);
  const value = readMap(lines, 0, 0);
  return value === LEAVE || lines.peek() !== undefined ? undefined : value;
}

/** One line that holds something. */
interface Line {
  readonly indent: number;
  /** Without indentation and blanks at the end. */
  readonly text: string;
}

class Lines {
  readonly #lines: readonly string[];
  #next = 0;
  #peeked: Line | undefined;

  constructor(source: string) {
    this.#lines = source.split("\n");
  }

  /** The next line that is neither blank nor a comment. */
  peek(): Line | undefined {
    while (this.#peeked === undefined && this.#next < this.#lines.length) {
      const line = this.#lines[this.#next++]!.trimEnd();
      const text = line.trimStart();
      if (text === "" || text.startsWith("#")) continue;
      this.#peeked = { indent: line.length - text.length, text };
    }
    return this.#peeked;
  }

  /** Moves on; with a line given, to that line instead of the next. */
  advance(instead?: Line): void {
    this.#peeked = instead;
  }
}

function readMap(
  lines: Lines,
  indent: number,
  depth: number,
): Read<Record<string, unknown>> {
  const record: Record<string, unknown> = {};
  if (depth > MAX_DEPTH) return LEAVE;
  for (
    let line = lines.peek();
    line !== undefined && line.indent >= indent;
    line = lines.peek()
  ) {
    const match = line.indent === indent ? KEY.exec(line.text) : null;
    const key = match?.[1];
    if (
      key === undefined || RESOLVED.test(key) || key === "__proto__" ||
      Object.hasOwn(record, key)
    ) return LEAVE;
    lines.advance();
    const rest = match?.[2] ?? "";
    const value = rest === ""
      ? readBelow(lines, indent, depth)
      : readValue(rest);
    if (value === LEAVE) return LEAVE;
    record[key] = value;
  }
  return record;
}

/** What stands below a key that has nothing on its own line. */
function readBelow(lines: Lines, indent: number, depth: number): unknown {
  const line = lines.peek();
  if (line === undefined || line.indent < indent) return null;
  if (line.text.startsWith("- ")) {
    return readList(lines, line.indent, depth + 1);
  }
  return line.indent === indent ? null : readMap(lines, line.indent, depth + 1);
}

function readList(
  lines: Lines,
  indent: number,
  depth: number,
): Read<unknown[]> {
  const list: unknown[] = [];
  if (depth > MAX_DEPTH) return LEAVE;
  for (
    let line = lines.peek();
    line !== undefined && line.indent >= indent;
    line = lines.peek()
  ) {
    if (line.indent > indent) return LEAVE;
    if (!line.text.startsWith("- ")) break;
    const rest = line.text.slice(2).trimStart();
    const inner = indent + line.text.length - rest.length;
    const isMap = KEY.test(rest);
    lines.advance(isMap ? { indent: inner, text: rest } : undefined);
    const value = isMap ? readMap(lines, inner, depth + 1) : readValue(rest);
    if (value === LEAVE) return LEAVE;
    list.push(value);
  }
  return list;
}

/** A value that stands on one line. */
function readValue(text: string): unknown {
  if (text.startsWith("[")) return readFlowList(text);
  const quoted = readQuoted(text);
  if (quoted !== undefined) return quoted;
  if (text === "true" || text === "false") return text === "true";
  if (INTEGER.test(text)) return Number(text);
  if (THREE_NUMBERS.test(text)) return text;
  return PLAIN_START.test(text) && !RESOLVED.test(text) &&
      !text.includes(": ") && !text.includes(" #") && !text.endsWith(":")
    ? text
    : LEAVE;
}

function readFlowList(text: string): Read<unknown[]> {
  if (!text.endsWith("]")) return LEAVE;
  const inner = text.slice(1, -1).trim();
  const list: unknown[] = [];
  if (inner === "") return list;
  for (const part of inner.split(",")) {
    const item = part.trim();
    const quoted = readQuoted(item);
    if (quoted !== undefined) list.push(quoted);
    else if (INTEGER.test(item)) list.push(Number(item));
    else if (FLOW_WORD.test(item) && !RESOLVED.test(item)) list.push(item);
    else return LEAVE;
  }
  return list;
}

/** Quoted text without escapes; undefined for all else. */
function readQuoted(text: string): string | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return undefined;
  const inner = text.slice(1, -1);
  return text.length >= 2 && text.endsWith(quote) && !inner.includes(quote) &&
      !inner.includes("\\")
    ? inner
    : undefined;
}
