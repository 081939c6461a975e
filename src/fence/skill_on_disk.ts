/** A skill as its SKILL.md declares it at this moment. */

import { readBounded } from "../base/bounded_read.ts";
import { sha256 } from "../base/digest.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { DEFAULT_LIMITS } from "../catalog/limits.ts";
import type { Skill } from "../catalog/types.ts";
import { readSkillDocument } from "../skill/document.ts";

/**
 * The skill with the declaration that its SKILL.md holds now: what runs has to
 * be what the bytes under the bundle's digest declare, not what an earlier scan
 * read. With the digest of that text, unless it was cut.
 */
export async function skillOnDisk(
  skill: Skill,
): Promise<Result<{ skill: Skill; sha256: string | undefined }>> {
  const read = await readBounded(
    skill.skillFile,
    DEFAULT_LIMITS.skillFileBytes,
  );
  if (!read.ok) {
    return refuse(
      "NOT_FOUND",
      `the SKILL.md of ${skill.name} cannot be read any more`,
      "Call skill_list with reload: true to see what is there now.",
    );
  }
  const { bytes, truncated } = read.value;
  const document = readSkillDocument(bytes, { truncated });
  return ok({
    skill: {
      ...skill,
      declaration: document.declaration,
      instructionsOnly: document.frontmatter === undefined,
    },
    sha256: truncated ? undefined : sha256(bytes),
  });
}
