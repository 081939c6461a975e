/** Where previews that may be confirmed are remembered. */

import { ok, type Result } from "../base/refusal.ts";
import type { HttpConfig } from "../config/types.ts";
import { PlanMemory, type Previews } from "../server/plan_memory.ts";
import { SignedPreviews } from "../server/signed_previews.ts";
import { readSecretFile, unusable } from "./secret_file.ts";

/** Makes the previews of one session or caller. */
export type PreviewsFor = (caller: string) => Previews;

const VARIABLE = "SKILLFENCE_PLAN_KEY_FILE";
const MIN_KEY_BYTES = 32;

/**
 * Signed previews where the owner gave a key, for all callers of this server;
 * else each session or caller has a memory of its own. Refuses with `CONFIG` a
 * key of fewer than 32 bytes.
 */
export async function previewsFor(
  { planKeyFile }: HttpConfig,
): Promise<Result<PreviewsFor>> {
  if (planKeyFile === undefined) {
    return ok(() => new PlanMemory(() => performance.now()));
  }
  const key = await readSecretFile(planKeyFile, VARIABLE);
  if (!key.ok) return key;
  if (key.value.length < MIN_KEY_BYTES) {
    return unusable(VARIABLE, `it has fewer than ${MIN_KEY_BYTES} bytes`);
  }
  const used = new Map<string, number>();
  return ok((caller) =>
    new SignedPreviews({ key: key.value, caller, used, now: Date.now })
  );
}
