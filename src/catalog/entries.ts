/** The entries of one directory, sorted by what a walk does with them. */

import { byCodeUnit } from "../base/order.ts";
import { IGNORE_FILES } from "./ignore_rules.ts";

/** One directory's entries. */
export interface Entries {
  /** How many there are, hidden ones included. */
  readonly count: number;
  /** Names of regular files without a leading dot. */
  readonly files: string[];
  /** Names of all directories. */
  readonly directories: string[];
  /** Links and special files. */
  readonly others: Deno.DirEntry[];
  /** `.gitignore` and `.ignore`, of whatever kind. */
  readonly ignoring: Deno.DirEntry[];
  /** What is, or is meant as, SKILL.md: the exact spelling before others. */
  readonly skill: Deno.DirEntry | undefined;
}

/** Goes through the entries once. */
export function sortEntries(listed: Iterable<Deno.DirEntry>): Entries {
  const files: string[] = [];
  const directories: string[] = [];
  const others: Deno.DirEntry[] = [];
  const ignoring: Deno.DirEntry[] = [];
  let skill: Deno.DirEntry | undefined;
  let count = 0;
  for (const entry of listed) {
    count += 1;
    const { name } = entry;
    if (name.length === 8 && isSkillEntry(entry, skill)) skill = entry;
    if (name.startsWith(".") && IGNORE_FILES.includes(name)) {
      ignoring.push(entry);
    } else if (entry.isDirectory) directories.push(name);
    else if (!entry.isFile) others.push(entry);
    else if (!name.startsWith(".")) files.push(name);
  }
  return { count, files, directories, others, ignoring, skill };
}

function isSkillEntry(
  entry: Deno.DirEntry,
  so: Deno.DirEntry | undefined,
): boolean {
  if (entry.name === "SKILL.md") return true;
  if (entry.isDirectory || entry.name.toLowerCase() !== "skill.md") {
    return false;
  }
  // Of several other spellings the first in order, whatever the disk says.
  return so === undefined ||
    (so.name !== "SKILL.md" && entry.name < so.name);
}

/** Entries in name order. */
export function byName(entries: Deno.DirEntry[]): Deno.DirEntry[] {
  return entries.sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Files in name order behind the one that is read as SKILL.md. */
export function skillFirst(entries: Entries): string[] {
  const skill = entries.skill?.name;
  return entries.files.sort((a, b) =>
    a === skill ? -1 : b === skill ? 1 : byCodeUnit(a, b)
  );
}
