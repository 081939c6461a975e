/** A path as `skill_file` takes it -> a file to read. */

import { mediaType } from "../base/media_type.ts";
import { ok, type Result } from "../base/refusal.ts";
import type { Skill } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";

/** A file that may be read. `realPath` is never shown. */
export interface FileTarget {
  readonly realPath: string;
  /** Bytes, when it was found. */
  readonly size: number;
  readonly mediaType: string;
  readonly uri: string;
}

/** Before the id of a file that a run left behind. */
const OUTPUT_PREFIX = "out:";

/** Finds a served file of the skill, or an output of a run. */
export async function findTarget(
  engine: Engine,
  skill: Skill,
  path: string,
): Promise<Result<FileTarget>> {
  if (path.startsWith(OUTPUT_PREFIX)) {
    const id = path.slice(OUTPUT_PREFIX.length);
    const opened = await engine.runner.outputs.open(id);
    if (!opened.ok) return opened;
    const { output, file } = opened.value;
    return ok({
      realPath: file,
      size: output.size,
      mediaType: output.mediaType,
      uri: `${OUTPUT_PREFIX}${output.id}`,
    });
  }
  const resolved = await engine.resolveFile(skill, path);
  if (!resolved.ok) return resolved;
  return ok({
    realPath: resolved.value.realPath,
    size: resolved.value.size,
    mediaType: mediaType(path),
    uri: skillUri(skill.name, path),
  });
}

/** `skill://weather/docs/a%20b.md` */
export function skillUri(skill: string, path: string): string {
  const encoded = `${skill}/${path}`.split("/").map(encodeURIComponent);
  return `skill://${encoded.join("/")}`;
}
