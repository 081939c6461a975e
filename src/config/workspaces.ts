/** `--workspace DIR`: the directories that people work in. */

import { resolve } from "node:path";
import type { Refusal } from "../base/refusal.ts";
import { setValue, tildeComplaint } from "./values.ts";

/**
 * Reads every `--workspace` that was given, in order, each directory once; what
 * a client left blank or as a placeholder counts as not given. One that cannot
 * be meant as written is complained about and stays: without any, the client's
 * own roots would stand in.
 */
export function readWorkspaces(
  texts: readonly string[],
  cwd: string,
): {
  readonly workspaces: readonly string[];
  readonly complaints: readonly Refusal[];
} {
  const given = texts.flatMap((text) => setValue(text) ?? []);
  return {
    workspaces: [...new Set(given.map((path) => resolve(cwd, path)))],
    complaints: given.flatMap((path) =>
      tildeComplaint("--workspace", path) ?? []
    ),
  };
}
