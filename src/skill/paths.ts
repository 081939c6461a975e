/** The string rule for paths inside a skill. The real path is checked later. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";

/** Longest accepted path, in UTF-16 code units. */
const MAX_PATH = 1024;

/** What nearly every path looks like: settled in one test. */
const PLAIN = /^[A-Za-z0-9_-][\w.-]*(?:\/[A-Za-z0-9_-][\w.-]*)*$/;

/**
 * Accepts a plain relative path unchanged: segments joined by `/`, none of them
 * empty, blank, `.` or `..`, no backslash, no NUL, no percent escape. Refuses
 * the rest with `PATH_REFUSED`, saying why. Nothing accepted leaves the
 * directory it is joined to, links aside.
 */
export function checkPath(path: string): Result<string> {
  if (path.length <= MAX_PATH && PLAIN.test(path)) return ok(path);
  const why = pathComplaint(path);
  return why === undefined ? ok(path) : refuse(
    "PATH_REFUSED",
    `path "${visible(path, 120)}" is not usable: ${why}`,
    "Give a path relative to the skill's own directory, such as scripts/run.js.",
  );
}

/** Why the string rule refuses `path`, in words; undefined when it does not. */
export function pathComplaint(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > MAX_PATH) return `it is longer than ${MAX_PATH} characters`;
  if (path.includes("\0")) return "it holds a NUL character";
  if (path.includes("\\")) return "it holds a backslash";
  if (/%[0-9A-Fa-f]{2}/.test(path)) return "it holds a percent escape";
  // Encoded, a lone surrogate would turn into the name of another file.
  if (!path.isWellFormed()) return "it holds half a character";
  if (path.startsWith("/")) return "it is absolute";
  if (path.endsWith("/")) return "it ends in a slash";
  for (const segment of path.split("/")) {
    if (segment === "") return "it holds an empty segment";
    if (segment === "." || segment === "..") {
      return `it holds the segment "${segment}"`;
    }
    if (segment.trim() === "") return "it holds a segment of blanks";
  }
  return undefined;
}
