/** Entries of `skills/list`: a skill's frontmatter and its files by digest. */

import type { Skill as SkillEntry } from "@modelcontextprotocol/server/ext/skills";
import { whyLeftOut } from "../../catalog/left_out.ts";
import { Pacer } from "../../base/pacer.ts";
import { skillUri } from "../../catalog/skill_uri.ts";
import type { FileStamp, Skill } from "../../catalog/types.ts";
import { sha256 } from "../../base/digest.ts";
import { readSkillDocument } from "../../skill/document.ts";
import {
  allBytes,
  digestOf,
  type FileDigest,
  type FileDoor,
  openServed,
} from "./file_bytes.ts";
import type { ServedFile, ServedSkills } from "./served_skills.ts";

const MAIN = "SKILL.md";
/** Bytes of SKILL.md that are read for its frontmatter, as in a scan. */
const MAX_FRONTMATTER = 256 * 1024;

/**
 * The entry of a served skill. Its frontmatter is that of the SKILL.md whose
 * digest it lists. A file that is gone is not listed. Undefined when SKILL.md
 * cannot be read any more, or came to be one that is left out.
 */
export async function skillEntry(
  door: FileDoor,
  served: ServedSkills,
  skill: Skill,
): Promise<SkillEntry | undefined> {
  const files = served.files(skill);
  const main = await mainOf(door, served, skill, files);
  if (main === undefined) return undefined;
  const pacer = new Pacer();
  const resources = [];
  for (const file of files) {
    const found = file.path === MAIN
      ? main
      : await digestOf(door, file, served.snapshot);
    if (found === undefined) continue;
    const { digest, size } = found;
    resources.push({ uri: skillUri(skill.name, file.path), digest, size });
    if (pacer.due()) await pacer.pause();
  }
  return {
    uri: skillUri(skill.name, MAIN),
    frontmatter: main.frontmatter as SkillEntry["frontmatter"],
    resources,
  };
}

type Main = Pick<FileDigest, "digest" | "size"> & {
  readonly frontmatter: Readonly<Record<string, unknown>>;
};

async function mainOf(
  door: FileDoor,
  served: ServedSkills,
  skill: Skill,
  files: readonly ServedFile[],
): Promise<Main | undefined> {
  const file = files.find(({ path }) => path === MAIN);
  if (file === undefined || skill.frontmatter === undefined) return undefined;
  const found = await digestOf(door, file, served.snapshot);
  if (found === undefined) return undefined;
  if (isAsScanned(found, skill.skillStamp)) {
    return { ...found, frontmatter: skill.frontmatter };
  }
  // It moved since the scan: what is listed must fit what is read.
  const opened = await openServed(door, file, served.snapshot);
  if (!opened.ok) return undefined;
  await using open = opened.value;
  const bytes = await allBytes(open);
  const { frontmatter, description } = readSkillDocument(
    bytes.subarray(0, MAX_FRONTMATTER),
    { truncated: bytes.length > MAX_FRONTMATTER },
  );
  if (frontmatter === undefined) return undefined;
  if (whyLeftOut({ ...skill, frontmatter, description }, []) !== undefined) {
    return undefined;
  }
  return { digest: sha256(bytes), size: bytes.length, frontmatter };
}

function isAsScanned({ look }: FileDigest, stamp: FileStamp): boolean {
  return look.size === stamp.size && look.ino === stamp.ino &&
    (look.mtime?.getTime() ?? null) === stamp.modifiedMs &&
    (look.ctime?.getTime() ?? null) === stamp.changedMs;
}
