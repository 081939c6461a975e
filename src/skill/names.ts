/** Names of skills: plain segments, told apart without regard to case. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";

/** One segment of a skill's name. */
export const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The name of a skill whose real directory lies at `relativePath` below its
 * root (`acme/billing/refunds`). The caller has dropped a leading `skills/`
 * where that applies. Refuses with `PATH_REFUSED`, naming the first segment
 * that cannot stand in a name.
 */
export function skillNameFrom(relativePath: string): Result<string> {
  for (const segment of relativePath.split("/")) {
    if (SEGMENT.test(segment)) continue;
    return refuse(
      "PATH_REFUSED",
      `"${visible(segment, 80)}" cannot stand in a skill's name`,
      "Use 1 to 64 letters, digits, dots, underscores and hyphens, starting with a letter or a digit.",
    );
  }
  return ok(relativePath);
}

/**
 * The form under which two names count as one: case folded (by way of upper
 * case, so that `ß` and `SS` meet) and in one normal form.
 */
export function foldName(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase();
}
