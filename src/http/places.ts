/** Which of this machine's directories have words that stand for them. */

import { tmpdir } from "node:os";
import type { Snapshot } from "../catalog/types.ts";
import { CARRIED } from "../fence/carried.ts";
import type { FullEngine } from "../server/engine.ts";
import {
  type NamedPlace,
  type ShowPaths,
  withWords,
} from "../server/shown_paths.ts";

/** How answers that were made from `snapshot` are shown to callers over HTTP. */
export async function showFor(
  engine: FullEngine,
  snapshot: Snapshot,
): Promise<ShowPaths> {
  return withWords([
    ...roots(snapshot),
    ...prompts(engine),
    ...await workspaces(engine),
    ...await ofRuns(engine),
    ...await ofOwner(engine),
  ], tmpdir());
}

function roots(snapshot: Snapshot): NamedPlace[] {
  return snapshot.roots.flatMap(({ path, realPath }, i) => {
    const label = `<root ${i + 1}>`;
    return [path, realPath ?? path].map((each) => ({ path: each, label }));
  });
}

function prompts({ config }: FullEngine): NamedPlace[] {
  return config.prompts.map((source, i) => ({
    path: source.kind === "file" ? source.file : source.directory.path,
    label: `<prompts ${i + 1}>`,
  }));
}

/** Directories that are worked in, as they were named and as they are. */
async function workspaces(
  { config, context }: FullEngine,
): Promise<NamedPlace[]> {
  const named = (paths: readonly string[]) =>
    paths.map((path, i) => ({ path, label: `<work ${i + 1}>` }));
  return [...named(config.workspaces), ...named(await context.workspaces())];
}

/** What the Plan and the record of a run may name. */
async function ofRuns(engine: FullEngine): Promise<NamedPlace[]> {
  const { config, grant } = engine;
  if (!config.runTools) return [];
  const runtime = await engine.runtime();
  return [
    ...grant.rows.flatMap(({ workspace, index }) =>
      workspace === undefined
        ? []
        : [{ path: workspace, label: `<workspace ${index + 1}>` }]
    ),
    ...runtime.ok ? [{ path: runtime.value.path, label: "<deno>" }] : [],
  ];
}

async function ofOwner(engine: FullEngine): Promise<NamedPlace[]> {
  const { config, cache } = engine;
  const caches = cache.candidates();
  const made = CARRIED === undefined ? undefined : await cache.get();
  if (made?.ok === true) caches.push(made.value.path);
  const places: readonly (readonly [string | undefined, string])[] = [
    [config.dataDir, "<data>"],
    [config.denoPath, "<deno>"],
    [config.auditLog, "<audit log>"],
    [config.http?.tokenFile, "<token file>"],
    [config.http?.planKeyFile, "<plan key file>"],
    [config.env("HOME"), "<home>"],
    ...caches.map((path) => [path, "<cache>"] as const),
  ];
  return places.flatMap(([path, label]) =>
    path === undefined ? [] : [{ path, label }]
  );
}
