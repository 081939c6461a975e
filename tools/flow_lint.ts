/**
 * The house rules that no general lint knows: the flow of the rooms under
 * `src/`, file names, and where `console` may stand.
 *
 * Run as `deno run -A tools/flow_lint.ts [ROOT]`; exits 1 on an error.
 */

import { basename, dirname, join, posix } from "node:path";
import { codeOnly, importsOf, lineAt } from "./code_text.ts";
import { warn } from "./say.ts";
import { walkFiles } from "./walk_files.ts";

/** The rooms in order: a room may import itself and those before it. */
export const ROOMS: readonly string[] = [
  "base",
  "config",
  "skill",
  "catalog",
  "prompt",
  "watch",
  "grant",
  "os",
  "proxy",
  "evidence",
  "fence",
  "audit",
  "context",
  "upstream",
  "server",
  "http",
  "cli",
];

/** Rooms to come. One that exists must be given its place in `ROOMS`. */
const LATER: readonly string[] = [
  "web",
];

const SNAKE_CASE = /^[a-z0-9]+(_[a-z0-9]+)*$/;
/** Files that may write to stderr through `console.error` and `console.warn`. */
const LOGGER = /^(?:[a-z0-9_]+_)?log(?:ger)?\.ts$/;
const LINES_WARN = 250;
const LINES_MAX = 400;

/** One broken rule at one place. */
export interface Fault {
  readonly severity: "error" | "warning";
  /** Relative to the root, `/`-separated. */
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Checks the tree at `root` (its `main.ts`, `src`, `tools` and `tests`). */
export async function lintTree(root: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const folder of ["src", "tools", "tests"]) {
    for await (const path of walkFiles(join(root, folder))) {
      const relative = `${folder}/${path}`;
      if (relative.startsWith("tests/fixtures/")) continue;
      if (!/\.[cm]?[jt]sx?$/.test(path)) continue;
      faults.push(...lintName(relative));
      if (folder !== "src") continue;
      faults.push(
        ...lintSource(relative, await Deno.readTextFile(join(root, relative))),
      );
    }
  }
  return faults;
}

/** Checks one file name and the directories above it. */
export function lintName(path: string): Fault[] {
  const segments = path.replace(/\.[cm]?[jt]sx?$/, "").split("/");
  const bad = segments.find((segment) => !SNAKE_CASE.test(segment));
  return bad === undefined ? [] : [
    fault(path, 1, `"${bad}" is not snake_case`),
  ];
}

/** Checks the text of one file under `src/`; `path` is relative to the root. */
export function lintSource(path: string, source: string): Fault[] {
  const room = path.split("/")[1] ?? "";
  if (path.split("/").length < 3) {
    return [fault(path, 1, "a file of src/ belongs in one of its rooms")];
  }
  if (!ROOMS.includes(room)) {
    const what = LATER.includes(room) ? "a room to come" : "no known room";
    return [
      fault(path, 1, `${room} is ${what}: place it in ROOMS of flow_lint.ts`),
    ];
  }
  return [
    ...lintImports(path, room, source),
    ...lintWords(path, room, source),
    ...lintLength(path, source),
  ];
}

function lintImports(path: string, room: string, source: string): Fault[] {
  const faults: Fault[] = [];
  for (const { specifier, line } of importsOf(source)) {
    if (specifier === undefined) {
      faults.push(
        fault(path, line, "computed import: the flow cannot be seen"),
      );
      continue;
    }
    if (!specifier.startsWith(".")) continue;
    const target = posix.join(dirname(path), specifier);
    if (!target.startsWith("src/")) {
      faults.push(fault(path, line, `imports ${target}, outside src/`));
      continue;
    }
    const other = target.split("/")[1] ?? "";
    if (ROOMS.indexOf(other) > ROOMS.indexOf(room)) {
      faults.push(
        fault(path, line, `${room} imports ${other}, a later room (${target})`),
      );
    }
  }
  return faults;
}

function lintWords(path: string, room: string, source: string): Fault[] {
  const faults: Fault[] = [];
  const code = codeOnly(source);
  for (const match of code.matchAll(/\bconsole\b(?:\s*\.\s*(\w+))?/g)) {
    if (room === "cli") continue;
    const toStderr = match[1] === "error" || match[1] === "warn";
    if (toStderr && LOGGER.test(basename(path))) continue;
    const line = lineAt(code, match.index);
    faults.push(
      fault(path, line, "console outside src/cli and the stderr logger"),
    );
  }
  for (const match of code.matchAll(/\bexport\s+default\b|\bas\s+default\b/g)) {
    faults.push(fault(path, lineAt(code, match.index), "default export"));
  }
  return faults;
}

function lintLength(path: string, source: string): Fault[] {
  const lines = source.replace(/\n$/, "").split("\n").length;
  if (lines > LINES_MAX) {
    return [fault(path, lines, `${lines} lines, over ${LINES_MAX}`)];
  }
  return lines <= LINES_WARN ? [] : [{
    severity: "warning",
    path,
    line: lines,
    message: `${lines} lines, over ${LINES_WARN}: look for a second duty`,
  }];
}

function fault(path: string, line: number, message: string): Fault {
  return { severity: "error", path, line, message };
}

/** Prints the faults of `root` on stderr; true when none is an error. */
export async function reportFlow(root: string): Promise<boolean> {
  const faults = await lintTree(root);
  for (const { severity, path, line, message } of faults) {
    warn(`${severity}: ${path}:${line}: ${message}`);
  }
  return faults.every((one) => one.severity !== "error");
}

if (import.meta.main) {
  const root = Deno.args[0] ?? join(import.meta.dirname!, "..");
  if (!await reportFlow(root)) Deno.exit(1);
}
