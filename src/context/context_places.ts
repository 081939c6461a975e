/** Where context files lie, for whoever watches them. Pure, and small to load. */

import { dirname, join } from "node:path";
import { below, isWithin, lastSegment } from "../base/place.ts";
import { isAt, kindOf, placesOf } from "./files/dialects.ts";
import type { ContextFiles } from "./types.ts";

/** Directories beyond which nothing more is watched. */
const MAX_DIRECTORIES = 1_000;

/** What such places are told from. */
export interface PlacesOptions {
  /** Absolute real paths. */
  readonly workspaces: readonly string[];
  /** Further dialects, by the words of `SKILLFENCE_CONTEXT`. */
  readonly dialects: readonly string[];
  /** What is known by now; undefined: nobody has asked. */
  readonly found: ContextFiles | undefined;
}

/** The directories, and what in them counts. */
export interface ContextPlaces {
  /** Absolute; some may not be there. */
  readonly directories: ReadonlySet<string>;
  /** Whether an absolute path may be that of a context file. */
  matters(path: string): boolean;
}

/**
 * The workspaces themselves, where a new file counts, and every directory in
 * which a known file lies, as does what a link in it leads to. A nested file
 * that is new in another directory is found by the next look.
 */
export function contextPlaces(
  { workspaces, dialects, found }: PlacesOptions,
): ContextPlaces {
  const directories = new Set(workspaces);
  const patterns: string[] = [];
  for (const { file, directory, ending = "" } of placesOf(dialects)) {
    patterns.push(file ?? `${directory}/*${ending}`);
    for (const workspace of workspaces) {
      directories.add(
        join(
          workspace,
          file === undefined ? directory! : file,
          file === undefined ? "." : "..",
        ),
      );
    }
  }
  const known = new Set<string>();
  for (const { workspace, path, realPath } of found?.files ?? []) {
    known.add(join(workspace, path)).add(realPath);
  }
  const left = [...found?.problems ?? [], ...found?.skipped ?? []];
  for (const { workspace, path } of left) {
    // Directories that cannot be read are problems too.
    if (kindOf(lastSegment(path)) !== undefined) {
      known.add(join(workspace, path));
    }
  }
  for (const path of known) {
    if (directories.size < MAX_DIRECTORIES) directories.add(dirname(path));
  }
  const isPlace = (path: string) =>
    workspaces.some((workspace) =>
      isWithin(path, workspace) &&
      patterns.some((pattern) => isAt(below(path, workspace), pattern))
    );
  return {
    directories,
    matters: (path) =>
      known.has(path) ||
      directories.has(dirname(path)) &&
        (kindOf(lastSegment(path)) !== undefined || isPlace(path)),
  };
}
