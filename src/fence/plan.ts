/** Declaration, grant and call, made into a Plan: everything that will happen. */

import { ok, type Refusal, type Result } from "../base/refusal.ts";
import { below } from "../base/place.ts";
import type { Skill } from "../catalog/types.ts";
import type { Permit } from "../grant/types.ts";
import { type Bundle, manifestDigest } from "./plan/bundle_digest.ts";
import { changedMeanwhile, makePlan } from "./plan/make_plan.ts";
import { PlanGround, type PlannerDeps } from "./plan/plan_ground.ts";
import type { PureRights } from "./plan/pure_permit.ts";
import { purePlan } from "./plan/pure_plan.ts";
import {
  permittedScript,
  ungranted,
  wantsBundle,
} from "./plan/resolve_script.ts";
import { singleFileDigest } from "./plan/skill_on_disk.ts";
import { recordOf, staleGrant } from "./plan/stale_grant.ts";
import type { Plan, PreparedRun, RunCall } from "./types.ts";

export type { PlannerDeps } from "./plan/plan_ground.ts";

/** Makes Plans. Reads, and creates nothing, until a run is confirmed. */
export class Planner {
  readonly #deps: PlannerDeps;
  readonly #ground: PlanGround;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#ground = new PlanGround(deps);
  }

  /**
   * The Plan of a call, or why it can never run. The same call over the same
   * files, grant and environment gives the same digest.
   */
  async prepare(call: RunCall): Promise<Result<PreparedRun>> {
    const { catalog, grant } = this.#deps;
    const found = await catalog.find(call.skill);
    if (!found.ok) return found;
    const current = this.#ground.onDisk.read(found.value);
    if (!current.ok) return current;
    const { skill, sha256: skillFileDigest } = current.value;
    const permitted = permittedScript(skill, call.script, grant);
    if (wantsBundle(skill, permitted)) {
      return await this.#ungranted(skill, call.script, permitted);
    }
    if (!permitted.ok) return permitted;
    const permit = permitted.value;
    return await makePlan(this.#ground, call, {
      skill,
      skillFileDigest,
      permit,
      pure: false,
      atBundle: (bundle) => this.#atBundle(skill, permit, bundle),
    });
  }

  /** The Plan of a pure run, which needs no declaration: see `purePlan`. */
  async preparePure(
    found: Skill,
    call: RunCall,
    rights: PureRights,
  ): Promise<Result<PreparedRun>> {
    return await purePlan(this.#ground, found, call, rights);
  }

  /**
   * The digest of a skill's files as they are now, as a row pins it; of a flat
   * skill, of its one file.
   */
  async bundleDigest(skill: Skill): Promise<Result<string>> {
    if (skill.flat) {
      const sha256 = singleFileDigest(skill);
      return sha256 === undefined ? changedMeanwhile(skill) : ok(
        manifestDigest(
          new Map([[below(skill.skillFile, skill.dir), sha256]]),
        ),
      );
    }
    const current = this.#ground.onDisk.read(skill);
    if (!current.ok) return current;
    const account = await this.#deps.account();
    if (!account.ok) return account;
    const tree = await this.#ground.checked(skill, account.value);
    if (!tree.ok) return tree;
    const bundle = await this.#ground.digests.digest(
      skill.dir,
      tree.value.facts,
    );
    return ok(bundle.digest);
  }

  /**
   * Remembers on disk what a confirmed Plan's bundle was made of, so that a
   * later `GRANT_STALE` can name what changed. Best effort.
   */
  async confirmed(plan: Plan): Promise<void> {
    await this.#ground.memory.keep(plan.bundle.digest);
  }

  /** The refusal with the whole row: one for a workspace's skill pins it. */
  async #ungranted(
    skill: Skill,
    script: string,
    refusal: Refusal,
  ): Promise<Refusal> {
    const account = await this.#deps.account();
    const tree = account.ok
      ? await this.#ground.checked(skill, account.value)
      : account;
    // What cannot be checked could not run with a row either.
    if (!tree.ok) return refusal;
    const { digest } = await this.#ground.digests.digest(
      skill.dir,
      tree.value.facts,
    );
    const { name, workspace } = skill;
    const row = { skill: name, script, workspace, bundle: digest };
    return ungranted(row, this.#deps.grant);
  }

  /** The permit as it is at this very bundle, or `GRANT_STALE`. */
  async #atBundle(
    skill: Skill,
    { bundles, declared }: Permit,
    bundle: Bundle,
  ): Promise<Result<Permit>> {
    const record = recordOf(bundle, skill.declaration);
    const { digest } = bundle;
    if (bundles !== undefined && !bundles.includes(digest)) {
      return await staleGrant(bundles, { digest, record }, this.#ground.memory);
    }
    this.#ground.memory.remember(digest, record);
    return permittedScript(skill, declared.script, this.#deps.grant, digest);
  }
}
