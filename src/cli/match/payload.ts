/** What a client's hook hands over, as far as a match needs it. Pure. */

import { isRecord } from "../../skill/block_values.ts";
import { patchPaths } from "./patch_paths.ts";

/** One payload, understood. Nothing in it is checked against the disk. */
export interface Payload {
  /** As the client names it; undefined: it says none. */
  readonly event: string | undefined;
  readonly message: string | undefined;
  /** As they stand there. */
  readonly paths: readonly string[];
  /** Where the client works, the first first; as it says. */
  readonly workspaces: readonly string[];
  /** What relative paths are relative to; as it says. */
  readonly cwd: string | undefined;
}

const MAX_PATHS = 200;
const MAX_PATH = 4096;
const MAX_DIRECTORIES = 16;
/** Deeper in a tool's input nobody puts a patch. */
const MAX_DEPTH = 4;

/** Members of a tool's input that hold one path, by whatever client. */
const PATH_KEYS: readonly string[] = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "target_file",
  "relative_workspace_path",
];

/**
 * Reads a payload; undefined when the text is no JSON object. With `patches`,
 * paths are also taken from patch texts in a tool's input.
 */
export function readPayload(
  text: string,
  options: { readonly patches: boolean },
): Payload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { prompt, hook_event_name: event } = value;
  const where = strings([value.cwd]);
  const roots = strings(value.workspace_roots);
  return {
    event: typeof event === "string" ? event : undefined,
    message: typeof prompt === "string" ? prompt : undefined,
    paths: pathsOf(value, options.patches),
    workspaces: (roots.length > 0 ? roots : where).slice(0, MAX_DIRECTORIES),
    cwd: where[0] ?? roots[0],
  };
}

function pathsOf(
  payload: Readonly<Record<string, unknown>>,
  patches: boolean,
): string[] {
  const input = payload.tool_input;
  const found = [
    ...strings(payload.paths),
    ...strings([payload.file_path]),
    ...(isRecord(input)
      ? strings([...PATH_KEYS.map((key) => input[key]), ...list(input.paths)])
      : []),
    ...(patches ? texts(input, 0).flatMap(patchPaths) : []),
  ];
  return [...new Set(found)].slice(0, MAX_PATHS);
}

/** Every text in a tool's input: patches come under several names. */
function texts(value: unknown, depth: number): string[] {
  if (typeof value === "string") return value.includes("***") ? [value] : [];
  if (depth === MAX_DEPTH || typeof value !== "object" || value === null) {
    return [];
  }
  return Object.values(value).slice(0, MAX_PATHS)
    .flatMap((each) => texts(each, depth + 1));
}

function strings(values: unknown): string[] {
  return list(values).filter((value): value is string =>
    typeof value === "string" && value !== "" && value.length <= MAX_PATH &&
    !value.includes("\0")
  );
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
