/** Pure planning: of what a text's commands run. */

import { ok, type Result } from "../../base/refusal.ts";
import type { Skill } from "../../catalog/types.ts";
import type { Permit } from "../../grant/types.ts";
import type { PreparedRun, RunCall } from "../types.ts";
import type { Bundle } from "./bundle_digest.ts";
import { makePlan } from "./make_plan.ts";
import type { PlanGround } from "./plan_ground.ts";
import { purePermit, type PureRights } from "./pure_permit.ts";
import { recordOf, staleGrant } from "./stale_grant.ts";

/**
 * The Plan of a pure run: a script of the skill as its text is loaded, with
 * nothing but the skill and a workspace to read and a scratch to write. It
 * needs no declaration: what lets it run is the caller's to have looked at,
 * but for the accepted `bundles`.
 */
export async function purePlan(
  ground: PlanGround,
  found: Skill,
  call: RunCall,
  rights: PureRights,
): Promise<Result<PreparedRun>> {
  const current = ground.onDisk.read(found);
  if (!current.ok) return current;
  const { skill, sha256: skillFileDigest } = current.value;
  const permit = purePermit(skill, call.script, rights);
  return await makePlan(ground, call, {
    skill,
    skillFileDigest,
    permit,
    pure: true,
    atBundle: (bundle) => pureAtBundle(ground, skill, permit, bundle),
  });
}

async function pureAtBundle(
  { memory }: PlanGround,
  { declaration }: Skill,
  permit: Permit,
  bundle: Bundle,
): Promise<Result<Permit>> {
  const { bundles } = permit;
  const { digest } = bundle;
  const record = recordOf(bundle, declaration);
  if (bundles === undefined || bundles.includes(digest)) {
    memory.remember(digest, record);
    return ok(permit);
  }
  return await staleGrant(bundles, { digest, record }, memory);
}
