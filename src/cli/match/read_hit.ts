/** Skills of the index, read from the disk: nothing is told from memory. */

import { decodeUtf8 } from "../../base/utf8.ts";
import { DEFAULT_LIMITS } from "../../catalog/limits.ts";
import type { Skill } from "../../catalog/types.ts";
import type { IndexedSkill } from "../../context/match_index.ts";
import { splitFrontmatter } from "../../skill/split_frontmatter.ts";

/** The start of a skill's file, as the catalogue reads it. */
interface FileStart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
}

/** The body of a skill as its file says it now; undefined as for `fileStart`. */
export async function readBody(
  file: string,
): Promise<{ readonly body: string; readonly truncated: boolean } | undefined> {
  const start = await fileStart(file);
  if (start === undefined) return undefined;
  const { bytes, truncated } = start;
  const { text } = decodeUtf8(bytes, { cut: truncated });
  return { body: splitFrontmatter(text).body, truncated };
}

/** A skill whose file has changed, read anew; undefined as for `fileStart`. */
export async function readAgain(
  indexed: IndexedSkill,
): Promise<Skill | undefined> {
  const start = await fileStart(indexed.file);
  if (start === undefined) return undefined;
  // Large, and hardly ever needed.
  const { readSkillDocument } = await import("../../skill/document.ts");
  const { truncated } = start;
  const { flat } = indexed;
  const document = readSkillDocument(start.bytes, { truncated, flat });
  const { activation, modelMayNotInvoke } = document;
  const hidden = activation.kind === "path"
    ? "path-rule"
    : modelMayNotInvoke
    ? "disable-model-invocation"
    : undefined;
  return unread({ ...indexed, activation, hidden });
}

/** A skill of which only the index is known: enough to match. */
export function unread(
  { name, file, activation, hidden, flat, workspace }: IndexedSkill,
): Skill {
  return {
    name,
    rootIndex: 0,
    dir: file,
    skillFile: file,
    skillStamp: { size: 0, modifiedMs: null, changedMs: null, ino: null },
    createdMs: null,
    description: undefined,
    whenToUse: undefined,
    frontmatter: undefined,
    declaration: { scripts: [], variables: [], egress: [] },
    activation,
    hidden,
    flat,
    workspace,
    instructionsOnly: false,
    body: "",
    truncated: false,
    files: [],
    bytes: 0,
    references: [],
    leftOut: undefined,
  };
}

/**
 * Undefined when the file is no longer the regular one that was scanned. Opened
 * without blocking everything else: a pipe in its place would wait for a writer,
 * and the deadline must still come.
 */
async function fileStart(file: string): Promise<FileStart | undefined> {
  const cap = DEFAULT_LIMITS.skillFileBytes;
  try {
    // A link put anywhere on the way would lead elsewhere.
    if (Deno.realPathSync(file) !== file) return undefined;
    if (!Deno.lstatSync(file).isFile) return undefined;
    using open = await Deno.open(file, { read: true });
    const { isFile, size } = await open.stat();
    if (!isFile) return undefined;
    const buffer = new Uint8Array(Math.min(size, cap) + 1);
    let length = 0;
    while (length < buffer.length) {
      const read = open.readSync(buffer.subarray(length));
      if (read === null) break;
      length += read;
    }
    const kept = Math.min(length, cap);
    return { bytes: buffer.slice(0, kept), truncated: length > kept };
  } catch {
    return undefined;
  }
}
