/** Shared references as `skill_load` shows them, and their texts. */

import { decodeUtf8 } from "../base/utf8.ts";
import { skillUri } from "../catalog/skill_uri.ts";
import type {
  Reference,
  SharedFile,
  Skill,
  Snapshot,
} from "../catalog/types.ts";
import { splitFrontmatter } from "../skill/frontmatter.ts";
import type { Engine } from "./engine_types.ts";
import { boundedText, encodedLength, structuredLength } from "./fit.ts";
import { allBytes, openShared } from "./resources/file_bytes.ts";
import { fileTimes } from "./resources/metadata.ts";
import { fileUri } from "./resources/served_skills.ts";
import type { ReferenceRow } from "./schemas/text_shapes.ts";

const MAX_NAME = 200;
/** What one file's own frontmatter may take of a row. */
const MAX_METADATA = 2000;
/** Ids named in one hint before the rest is counted: as many as a call takes. */
const MAX_IDS = 8;

/** One row, in its declared place. `local`: the client is on this machine. */
export function referenceRow(
  reference: Reference,
  skill: Pick<Skill, "name" | "leftOut">,
  local: boolean,
): ReferenceRow {
  if (reference.status === "not-found") {
    return { name: boundedText(reference.name, MAX_NAME), status: "not-found" };
  }
  const { file, copy } = reference;
  const { metadata } = file;
  return {
    id: file.id,
    name: boundedText(file.name, MAX_NAME),
    size: file.size,
    ...fileTimes(file.modifiedMs, file.createdMs),
    ...(copy === undefined || skill.leftOut !== undefined
      ? {}
      : { uri: skillUri(skill.name, copy) }),
    ...(local ? { fileUri: fileUri(file) } : {}),
    ...(metadata === undefined || structuredLength(metadata) > MAX_METADATA
      ? {}
      : { metadata }),
  };
}

/** Rows with the texts that they point at. */
export interface BundledRows {
  readonly rows: readonly ReferenceRow[];
  readonly texts: readonly string[];
  /** How to get what is not there. */
  readonly hints: readonly string[];
}

/**
 * Adds the texts of the rows that fit into `room` encoded characters, read now,
 * in order. `first` is the index of the first content block of theirs.
 */
export async function bundleTexts(
  engine: Engine,
  snapshot: Snapshot,
  rows: readonly ReferenceRow[],
  at: { readonly room: number; readonly first: number },
): Promise<BundledRows> {
  let left = at.room;
  const texts: string[] = [];
  const absent: string[] = [];
  const shown: ReferenceRow[] = [];
  for (const row of rows) {
    const file = row.id === undefined ? undefined : snapshot.shared.get(row.id);
    // No text is shorter than a byte a character, or longer than it is large.
    const text = file === undefined || file.size > 4 * Math.max(0, left)
      ? undefined
      : await textOf(engine, snapshot, file);
    const length = text === undefined ? Infinity : encodedLength(text);
    if (text === undefined || length > left) {
      if (row.id !== undefined) absent.push(row.id);
      shown.push(row);
      continue;
    }
    left -= length;
    shown.push({ ...row, block: at.first + texts.length });
    texts.push(text);
  }
  return { rows: shown, texts, hints: absentHint(absent) };
}

/** The text without its frontmatter, where that stands as metadata. */
async function textOf(
  engine: Engine,
  snapshot: Snapshot,
  file: SharedFile,
): Promise<string | undefined> {
  const opened = await openShared(engine, file, snapshot);
  if (!opened.ok) return undefined;
  await using open = opened.value;
  const { text, invalidAt } = decodeUtf8(await allBytes(open));
  if (invalidAt !== undefined) return undefined;
  if (file.metadata === undefined) return text;
  const split = splitFrontmatter(text);
  return split.kind === "block" ? split.body : text;
}

function absentHint(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const named = ids.slice(0, MAX_IDS).map((id) => boundedText(id, 300));
  const more = ids.length - named.length;
  return [
    `${ids.length} references are not in this answer: read them with skill_file and paths ${
      JSON.stringify(named)
    }${more > 0 ? `, and ${more} more` : ""}.`,
  ];
}
