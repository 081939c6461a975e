/** What every Plan rests on: skills and their files as they are on disk now. */

import type { FileDigests } from "../../catalog/file_digests.ts";
import type { Result } from "../../base/refusal.ts";
import type { Skill, Snapshot } from "../../catalog/types.ts";
import type { Config } from "../../config/types.ts";
import type { Grant } from "../../grant/types.ts";
import type { Account } from "../../os/types.ts";
import type { HardLimits } from "../hard_limits.ts";
import type { OsState } from "../os_layer.ts";
import { checkBundle } from "../preflight.ts";
import type { Runtime } from "../types.ts";
import { BundleDigests } from "./bundle_digest.ts";
import type { Resolve } from "./reach.ts";
import { SkillsOnDisk } from "./skill_on_disk.ts";
import { BundleMemory } from "./stale_grant.ts";

/** What a planner works with. */
export interface PlannerDeps {
  readonly config: Pick<
    Config,
    "env" | "dataDir" | "ceiling" | "redact" | "auditLog"
  >;
  readonly catalog: {
    /** By served name or alias. */
    find(name: string): Promise<Result<Skill>>;
    snapshot(): Promise<Pick<Snapshot, "roots">>;
  };
  readonly grant: Grant;
  /** One that the account can start. */
  readonly runtime: () => Promise<Result<Runtime>>;
  /** The account scripts run as; undefined: the server's own. */
  readonly account: () => Promise<Result<Account | undefined>>;
  /** The layer of the operating system that holds for this runtime. */
  readonly os: (runtime: string) => Promise<OsState>;
  /** What a run may be limited to at most. */
  readonly hardLimits: () => Promise<HardLimits>;
  /** The cache directory, found or made when a record needs it. */
  readonly cacheDir: () => Promise<Result<string>>;
  /** Asked about proxies and about private names that are granted exactly. */
  readonly resolve?: Resolve;
  /** The system's temporary directory, real, in which runs are laid out. */
  readonly tmpDir: string;
  /** Digests of files, shared with whoever else needs them. */
  readonly digests?: FileDigests;
}

/** The effects that planning has, and what is kept between two Plans. */
export class PlanGround {
  readonly deps: PlannerDeps;
  readonly digests: BundleDigests;
  readonly onDisk = new SkillsOnDisk();
  readonly memory: BundleMemory;

  constructor(deps: PlannerDeps) {
    this.deps = deps;
    this.digests = new BundleDigests(Date.now, deps.digests);
    this.memory = new BundleMemory(deps.cacheDir);
  }

  /** The skill's tree, as far as the account may be given it. */
  async checked(
    skill: Skill,
    account: Account | undefined,
  ): ReturnType<typeof checkBundle> {
    const { roots } = await this.deps.catalog.snapshot();
    const root = roots[skill.rootIndex]?.realPath ?? skill.dir;
    return await checkBundle(skill.dir, root, account);
  }
}
