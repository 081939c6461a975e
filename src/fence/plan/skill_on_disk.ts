/** A skill as its SKILL.md declares it at this moment. */

import { readBoundedSync } from "../../base/bounded_read.ts";
import { sha256 } from "../../base/digest.ts";
import { isWithin } from "../../base/place.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import { DEFAULT_LIMITS } from "../../catalog/limits.ts";
import type { Skill } from "../../catalog/types.ts";
import { readSkillDocument } from "../../skill/document.ts";

/** What a text declares. */
type Declared = Pick<Skill, "declaration" | "instructionsOnly">;

/** Texts whose declarations are kept at most. */
const MAX_KEPT = 64;

/** Reads SKILL.md files at every call, and makes out each text once. */
export class SkillsOnDisk {
  /** By the digest of the whole text, last used last. */
  readonly #kept = new Map<string, Declared>();

  /**
   * The skill with the declaration that its SKILL.md holds now: what runs has
   * to be what the bytes under the bundle's digest declare, not what an earlier
   * scan read. With the digest of that text, unless it was cut.
   */
  read(
    skill: Skill,
  ): Result<{ skill: Skill; sha256: string | undefined }> {
    // A single file declares nothing, whatever it holds by now.
    if (skill.flat) return ok({ skill, sha256: undefined });
    const read = readBoundedSync(
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
    const digest = truncated ? undefined : sha256(bytes);
    const declared = this.#known(digest) ?? declaredIn(bytes, truncated);
    if (digest !== undefined) this.#keep(digest, declared);
    return ok({ skill: { ...skill, ...declared }, sha256: digest });
  }

  #known(digest: string | undefined): Declared | undefined {
    return digest === undefined ? undefined : this.#kept.get(digest);
  }

  #keep(digest: string, declared: Declared): void {
    this.#kept.delete(digest);
    this.#kept.set(digest, declared);
    if (this.#kept.size > MAX_KEPT) {
      this.#kept.delete(this.#kept.keys().next().value!);
    }
  }
}

/**
 * SHA-256 of a flat skill's one file as it is now; undefined when it cannot be
 * read whole, or leads out of the workspace that the skill is of.
 */
export function singleFileDigest(
  { skillFile, workspace }: Pick<Skill, "skillFile" | "workspace">,
): string | undefined {
  try {
    // What lies elsewhere is not told of, not even by a digest.
    if (workspace && !isWithin(Deno.realPathSync(skillFile), workspace)) {
      return undefined;
    }
  } catch {
    return undefined;
  }
  const read = readBoundedSync(skillFile, DEFAULT_LIMITS.skillFileBytes);
  if (!read.ok || read.value.truncated) return undefined;
  return sha256(read.value.bytes);
}

function declaredIn(bytes: Uint8Array, truncated: boolean): Declared {
  const document = readSkillDocument(bytes, { truncated });
  return {
    declaration: document.declaration,
    instructionsOnly: document.frontmatter === undefined,
  };
}
