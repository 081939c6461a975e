/** A path as `skill_file` takes it -> a file to read. */

import { readRange } from "../base/bounded_read.ts";
import { mediaType } from "../base/media_type.ts";
import { ok, type Result } from "../base/refusal.ts";
import type { Skill } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";

/** An open file that may be read. Dispose of it. */
export interface FileTarget extends AsyncDisposable {
  /** Bytes, when it was opened. */
  readonly size: number;
  readonly mediaType: string;
  readonly uri: string;
  /** Up to `limit` bytes from `offset`; fewer only where the file ends. */
  read(offset: number, limit: number): Promise<Uint8Array>;
}

/** Before the id of a file that a run left behind. */
const OUTPUT_PREFIX = "out:";

/** Opens a served file of the skill, or an output of a run. */
export async function openTarget(
  engine: Engine,
  skill: Skill,
  path: string,
): Promise<Result<FileTarget>> {
  if (path.startsWith(OUTPUT_PREFIX)) {
    return await openOutput(engine, path.slice(OUTPUT_PREFIX.length));
  }
  const opened = await engine.openFile(skill, path);
  if (!opened.ok) return opened;
  const file = opened.value;
  return ok({
    size: file.size,
    mediaType: mediaType(path),
    uri: skillUri(skill.name, path),
    read: (offset, limit) => file.read(offset, limit),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  });
}

async function openOutput(
  engine: Engine,
  id: string,
): Promise<Result<FileTarget>> {
  const stored = await engine.runner.outputs.open(id);
  if (!stored.ok) return stored;
  const { output, file } = stored.value;
  return ok({
    size: output.size,
    mediaType: output.mediaType,
    uri: `${OUTPUT_PREFIX}${output.id}`,
    // The store's own copy: nobody else writes it.
    read: async (offset, limit) => {
      const read = await readRange(file, offset, limit);
      return read.ok ? read.value.bytes : new Uint8Array(0);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

/** `skill://weather/docs/a%20b.md` */
function skillUri(skill: string, path: string): string {
  const encoded = `${skill}/${path}`.split("/").map(encodeURIComponent);
  return `skill://${encoded.join("/")}`;
}
