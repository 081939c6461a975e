/** Which globs can match nothing, and which cost too much. */

/** Longest glob, in UTF-16 units. */
const MAX_GLOB = 1_024;

/** What is wrong with a glob, and what to write instead. */
export interface GlobComplaint {
  readonly why: string;
  readonly hint: string;
  /** It is not used; else it is, and does less than it seems to. */
  readonly dropped: boolean;
}

const POSIX_CLASSES: ReadonlySet<string> = new Set([
  "alnum",
  "alpha",
  "blank",
  "cntrl",
  "digit",
  "graph",
  "lower",
  "print",
  "punct",
  "space",
  "upper",
  "xdigit",
]);

/** What is wrong with `glob` alone; undefined: nothing. */
export function complaintOf(glob: string): GlobComplaint | undefined {
  const body = glob.startsWith("!") ? glob.slice(1) : glob;
  const never = neverMatches(glob, body);
  if (never !== undefined) return { ...never, dropped: true };
  const costly = tooCostly(body);
  if (costly !== undefined) {
    return { why: costly, hint: "Split it into simpler globs.", dropped: true };
  }
  if (/(?<!\\)\{[^{}]*,[^{}]*\}/.test(body)) {
    return {
      why: "braces stand for themselves in gitignore patterns",
      hint: "Write one glob for each alternative.",
      dropped: false,
    };
  }
  if (/\\[\p{L}\p{N}]/u.test(body)) {
    return {
      why: "a backslash makes the next character stand for itself",
      hint: "Write / between directories.",
      dropped: false,
    };
  }
  return undefined;
}

function neverMatches(
  glob: string,
  body: string,
): { why: string; hint: string } | undefined {
  if (body.trim() === "") {
    return { why: "it is empty", hint: "Write a gitignore pattern." };
  }
  if (glob.startsWith("#")) {
    return {
      why: "a pattern that begins with # is a comment",
      hint: "Write \\# for a file whose name begins with #.",
    };
  }
  if (/[\0\r\n]/.test(glob) || !glob.isWellFormed()) {
    return {
      why: "it holds a character that no path can hold",
      hint: "Write one glob on one line.",
    };
  }
  if (/^\/+$/.test(body)) {
    return { why: "it names no file", hint: "Write ** for everything." };
  }
  if (body.includes("//")) {
    return {
      why: "it holds an empty segment (//)",
      hint: "Write one / between segments.",
    };
  }
  if (body.split("/").some((segment) => segment === "." || segment === "..")) {
    return {
      why: "paths are compared without . and .. segments",
      hint: "Write it from the top of the workspace: /src/*.ts, or src/*.ts.",
    };
  }
  if (/(?<!\\)(?:\\\\)*\\\/?$/.test(body)) {
    return {
      why: "the backslash at its end makes nothing stand for itself",
      hint: "Leave it out, or write \\\\.",
    };
  }
  return openBracket(body)
    ? {
      why: "a [ is not closed, or holds a class that is not known",
      hint: "Close it with ], or write \\[ for the character itself.",
    }
    : undefined;
}

/** Whether a bracket expression makes the whole pattern match nothing. */
function openBracket(body: string): boolean {
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "\\") at++;
    else if (body[at] === "[") {
      const end = closeOf(body, at);
      if (end === undefined) return true;
      at = end;
    }
  }
  return false;
}

function closeOf(body: string, start: number): number | undefined {
  let at = start + 1;
  if (body[at] === "!" || body[at] === "^") at++;
  // The first member may be the bracket that closes elsewhere.
  for (const first = at; at < body.length; at++) {
    if (body[at] === "]" && at > first) return at;
    if (body[at] === "\\") at++;
    else if (body.startsWith("[:", at)) {
      const close = body.indexOf("]", at + 2);
      if (close < 0) return undefined;
      if (close === at + 2 || body[close - 1] !== ":") continue;
      if (!POSIX_CLASSES.has(body.slice(at + 2, close - 1))) return undefined;
      at = close;
    }
  }
  return undefined;
}

/**
 * Patterns become backtracking expressions; a stranger's of many wildcards must
 * not hold up the server.
 */
function tooCostly(body: string): string | undefined {
  if (body.length > MAX_GLOB) return `it is longer than ${MAX_GLOB} characters`;
  if ((body.match(/\*\*/g)?.length ?? 0) > 3) {
    return "it holds more than three **";
  }
  const most = /[[?]/.test(body) ? 3 : 16;
  return (body.match(/\*+/g)?.length ?? 0) > most
    ? `it holds more than ${most} wildcards`
    : undefined;
}
