/** TypeScript source with everything that is not code blanked out. */

/** A `/` after one of these starts a regular expression, not a division. */
const BEFORE_REGEXP =
  /(^|[=(,:[!&|?{};+\-*%<>~^]|\b(return|typeof|case|of|in))$/;

/**
 * Blanks comments and the contents of strings, templates and regular
 * expressions, keeping every other character and every line break in place, so
 * that positions in the result are positions in the source. Code inside `${}`
 * of a template stays.
 */
export function codeOnly(source: string): string {
  const out: string[] = [];
  /** Depth of braces at which each open `${` ends, innermost last. */
  const holes: number[] = [];
  let depth = 0;
  let tail = "";
  let at = 0;

  const keep = (text: string): void => {
    out.push(text);
    tail = (tail + text).slice(-40);
    at += text.length;
  };
  const blank = (end: number): void => {
    out.push(source.slice(at, end).replace(/[^\n]/g, " "));
    at = end;
  };
  /** From inside a template to its end or its next hole. */
  const template = (): void => {
    let end = at;
    while (end < source.length) {
      if (source[end] === "\\") end += 2;
      else if (source[end] === "`" || source.startsWith("${", end)) break;
      else end++;
    }
    blank(Math.min(end, source.length));
    if (source[at] === "`") return keep("`");
    if (at >= source.length) return;
    keep("${");
    holes.push(depth);
  };

  while (at < source.length) {
    const char = source[at]!;
    const two = source.slice(at, at + 2);
    if (two === "//") blank(endOr(source, "\n", at));
    else if (two === "/*") blank(endOr(source, "*/", at + 2, 2));
    else if (char === '"' || char === "'") {
      const end = closing(source, at + 1, char);
      keep(char);
      blank(end);
      if (at < source.length) keep(source[at]!);
    } else if (char === "`") {
      keep(char);
      template();
    } else if (char === "/" && BEFORE_REGEXP.test(tail.trimEnd())) {
      keep(char);
      blank(regexpEnd(source, at));
      if (at < source.length) keep(source[at]!);
    } else if (char === "}" && holes.at(-1) === depth) {
      holes.pop();
      keep(char);
      template();
    } else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      keep(char);
    }
  }
  return out.join("");
}

/** A module specifier as written, and its 1-based line; undefined when computed. */
export interface Import {
  readonly specifier: string | undefined;
  readonly line: number;
}

const IMPORT =
  /\b(?:import|from)\s*(?:\(\s*)?(["'`])|\bimport\s*\((?!\s*["'`])/g;

/** Every static and dynamic import and re-export of a source text. */
export function importsOf(source: string): Import[] {
  const code = codeOnly(source);
  const found: Import[] = [];
  for (const match of code.matchAll(IMPORT)) {
    const line = lineAt(source, match.index);
    const quote = match[1];
    if (quote === undefined) {
      found.push({ specifier: undefined, line });
      continue;
    }
    const start = match.index + match[0].length;
    const end = code.indexOf(quote, start);
    const specifier = source.slice(start, end);
    found.push({
      specifier: quote === "`" && specifier.includes("${")
        ? undefined
        : specifier,
      line,
    });
  }
  return found;
}

/** 1-based line of a position. */
export function lineAt(source: string, index: number): number {
  let line = 1;
  for (let i = 0; i < index; i++) if (source[i] === "\n") line++;
  return line;
}

function endOr(source: string, word: string, from: number, extra = 0): number {
  const end = source.indexOf(word, from);
  return end < 0 ? source.length : end + extra;
}

function closing(source: string, from: number, quote: string): number {
  let end = from;
  while (end < source.length && source[end] !== quote && source[end] !== "\n") {
    end += source[end] === "\\" ? 2 : 1;
  }
  return Math.min(end, source.length);
}

function regexpEnd(source: string, from: number): number {
  let inClass = false;
  let end = from;
  for (; end < source.length && source[end] !== "\n"; end++) {
    const char = source[end];
    if (char === "\\") end++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) break;
  }
  return Math.min(end, source.length);
}
