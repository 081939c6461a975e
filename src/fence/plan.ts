/** Declaration, grant and call, made into a Plan: everything that will happen. */

import { dirname } from "node:path";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { below } from "../base/place.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import { limitsFor } from "../config/limits.ts";
import type { Grant, Permit } from "../grant/types.ts";
import type { Account } from "../os/types.ts";
import type { FileDigests } from "../catalog/file_digests.ts";
import {
  type Bundle,
  BundleDigests,
  manifestDigest,
} from "./plan/bundle_digest.ts";
import { checkCall } from "./check_call.ts";
import { childEnvironment } from "./plan/child_env.ts";
import type { HardLimits } from "./hard_limits.ts";
import { composePlan, type Parts, seenBy } from "./plan/compose_plan.ts";
import { interpreterFor } from "./interpreters.ts";
import { mannerOf, unshowable } from "./plan/confine.ts";
import { heldBack } from "./plan/held_secrets.ts";
import { demanded, type OsState } from "./os_layer.ts";
import { runLimits } from "./plan/run_limits.ts";
import { wayOut } from "./plan/way_out.ts";
import { checkPlaces, writable } from "./plan/places.ts";
import { checkBundle } from "./preflight.ts";
import { purePermit, type PureRights } from "./plan/pure_permit.ts";
import {
  meantHosts,
  reachOf,
  type Resolve,
  systemResolve,
} from "./plan/reach.ts";
import {
  permittedScript,
  scriptFile,
  ungranted,
  wantsBundle,
} from "./plan/resolve_script.ts";
import { SkillsOnDisk } from "./plan/skill_on_disk.ts";
import { secretValues } from "./plan/secret_values.ts";
import { BundleMemory, recordOf, staleGrant } from "./plan/stale_grant.ts";
import type { Plan, PreparedRun, RunCall, Runtime } from "./types.ts";

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

/** What a Plan is made for, once something lets it run. */
interface Permitted {
  readonly skill: Skill;
  readonly skillFileDigest: string | undefined;
  readonly permit: Permit;
  readonly pure: boolean;
}

/** Makes Plans. Reads, and creates nothing, until a run is confirmed. */
export class Planner {
  readonly #deps: PlannerDeps;
  readonly #digests: BundleDigests;
  readonly #onDisk = new SkillsOnDisk();
  readonly #memory: BundleMemory;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#digests = new BundleDigests(Date.now, deps.digests);
    this.#memory = new BundleMemory(deps.cacheDir);
  }

  /**
   * The Plan of a call, or why it can never run. The same call over the same
   * files, grant and environment gives the same digest.
   */
  async prepare(call: RunCall): Promise<Result<PreparedRun>> {
    const { catalog, grant } = this.#deps;
    const found = await catalog.find(call.skill);
    if (!found.ok) return found;
    const current = this.#onDisk.read(found.value);
    if (!current.ok) return current;
    const { skill, sha256: skillFileDigest } = current.value;
    const permitted = permittedScript(skill, call.script, grant);
    if (wantsBundle(skill, permitted)) {
      return await this.#ungranted(skill, call.script, permitted);
    }
    if (!permitted.ok) return permitted;
    return await this.#planned(call, {
      skill,
      skillFileDigest,
      permit: permitted.value,
      pure: false,
    });
  }

  /**
   * The Plan of a pure run: a script of the skill as its text is loaded, with
   * nothing but the skill and a workspace to read and a scratch to write. It
   * needs no declaration: what lets it run is the caller's to have looked at,
   * but for the accepted `bundles`.
   */
  async preparePure(
    found: Skill,
    call: RunCall,
    pure: PureRights,
  ): Promise<Result<PreparedRun>> {
    const current = this.#onDisk.read(found);
    if (!current.ok) return current;
    const { skill, sha256: skillFileDigest } = current.value;
    const permit = purePermit(skill, call.script, pure);
    return await this.#planned(call, {
      skill,
      skillFileDigest,
      permit,
      pure: true,
    });
  }

  /**
   * The digest of a skill's files as they are now, as a row pins it; of a flat
   * skill, of its one file.
   */
  async bundleDigest(skill: Skill): Promise<Result<string>> {
    const current = this.#onDisk.read(skill);
    if (!current.ok) return current;
    const { sha256 } = current.value;
    if (skill.flat) {
      return sha256 === undefined ? changedMeanwhile(skill) : ok(
        manifestDigest(
          new Map([[below(skill.skillFile, skill.dir), sha256]]),
        ),
      );
    }
    const account = await this.#deps.account();
    if (!account.ok) return account;
    const tree = await this.#checked(skill, account.value);
    if (!tree.ok) return tree;
    const bundle = await this.#digests.digest(skill.dir, tree.value.facts);
    return ok(bundle.digest);
  }

  async #planned(
    call: RunCall,
    { skill, skillFileDigest, permit: permitted, pure }: Permitted,
  ): Promise<Result<PreparedRun>> {
    const { catalog, config } = this.#deps;
    const { declared } = permitted;
    const interpreter = interpreterFor(declared.interpreter);
    if (!interpreter.ok) return interpreter;
    const checked = checkCall(call);
    if (!checked.ok) return checked;
    const script = await scriptFile(skill, declared.script);
    if (!script.ok) return script;

    const account = await this.#deps.account();
    if (!account.ok) return account;
    const { roots } = await catalog.snapshot();
    const tree = await this.#checked(skill, account.value);
    if (!tree.ok) return tree;
    const bundle = await this.#digests.digest(skill.dir, tree.value.facts);
    const listed = bundle.manifest.get(below(skill.skillFile, skill.dir));
    if (skillFileDigest !== undefined && listed?.startsWith("sha256:")) {
      // One text must not be declared from and another be pinned.
      if (listed !== skillFileDigest) return changedMeanwhile(skill);
    }
    const scriptDigest = bundle.manifest.get(script.value.path);
    if (scriptDigest === undefined) return closedScript(skill, call);
    const pinned = pure
      ? await this.#pureAtBundle(skill, permitted, bundle)
      : await this.#atBundle(skill, permitted, bundle);
    if (!pinned.ok) return pinned;
    const permit = pinned.value;
    const places = await checkPlaces(skill, permit, {
      dataParent: pure ? undefined : config.dataDir,
      roots: roots.flatMap(({ realPath }) => realPath ?? []),
      account: account.value,
      own: permit.workspace === undefined ? [] : await this.#own(),
      auditLog: config.auditLog,
      contained: pure && await this.#contained(),
    });
    if (!places.ok) return places;
    const runtime = await this.#deps.runtime();
    if (!runtime.ok) return runtime;
    const changesRuntime = writable(places.value, dirname(runtime.value.path));
    if (changesRuntime !== undefined) return changesRuntime;

    const os = demanded(await this.#deps.os(runtime.value.path));
    if (!os.ok) return os;
    const meant = meantHosts(permit);
    const manner = mannerOf({
      wanted: os.value.wanted,
      layer: os.value.layer,
      reaches: meant.hosts.length > 0,
      sockets: permit.sockets,
      closes: tree.value.closed.length + places.value.closed.length > 0,
    });
    const held = heldBack(permit.secrets, manner.network, config.env);
    if (!held.ok) return held;
    const reach = await reachOf(meant, manner.network, {
      env: config.env,
      resolve: this.#deps.resolve ?? systemResolve,
    });
    const workspaceClosed = places.value.closed;
    const parts: Parts = {
      call,
      skill,
      permit,
      interpreter: interpreter.value,
      script: script.value.realPath,
      scriptSha256: scriptDigest,
      runtime: runtime.value,
      bundle,
      checked: tree.value.checked,
      bytes: tree.value.facts.bytes,
      places: places.value,
      closed: [...tree.value.closed, ...workspaceClosed],
      closedShown: [...tree.value.facts.closed, ...workspaceClosed],
      reach,
      os: os.value,
      manner,
      account: account.value,
      held: held.value,
      env: childEnvironment({
        env: config.env,
        declared: permit.declared.env,
        granted: permit.env,
        held: held.value.names.map(({ name }) => name),
        dataDir: places.value.dataDir,
        network: manner.network,
        way: wayOut(manner),
      }),
      limits: runLimits({
        limits: limitsFor(
          permit.declared.limits,
          permit.declared.timeoutMs,
          config.ceiling,
        ),
        realm: manner.realm,
        layer: os.value.layer,
        hardLimits: await this.#deps.hardLimits(),
        uid: account.value?.uid ?? Deno.uid() ?? undefined,
      }),
      ceiling: config.ceiling,
      granted: config.env,
      redact: config.redact ? secretValues(skill, permit, config.env) : [],
      stdin: checked.value.stdin,
      pure,
    };
    const apart = unshowable(os.value.layer, seenBy(parts), this.#deps.tmpDir);
    return apart ?? ok(composePlan(parts));
  }

  /**
   * Remembers on disk what a confirmed Plan's bundle was made of, so that a
   * later `GRANT_STALE` can name what changed. Best effort.
   */
  async confirmed(plan: Plan): Promise<void> {
    await this.#memory.keep(plan.bundle.digest);
  }

  async #checked(
    skill: Skill,
    account: Account | undefined,
  ): ReturnType<typeof checkBundle> {
    const { roots } = await this.#deps.catalog.snapshot();
    const root = roots[skill.rootIndex]?.realPath ?? skill.dir;
    return await checkBundle(skill.dir, root, account);
  }

  /** The refusal with the whole row: one for a workspace's skill pins it. */
  async #ungranted(
    skill: Skill,
    script: string,
    refusal: Refusal,
  ): Promise<Refusal> {
    const account = await this.#deps.account();
    const tree = account.ok
      ? await this.#checked(skill, account.value)
      : account;
    // What cannot be checked could not run with a row either.
    if (!tree.ok) return refusal;
    const { digest } = await this.#digests.digest(skill.dir, tree.value.facts);
    const { name, workspace } = skill;
    const row = { skill: name, script, workspace, bundle: digest };
    return ungranted(row, this.#deps.grant);
  }

  /** Directories of the server that no script may write. */
  async #own(): Promise<readonly string[]> {
    const cache = await this.#deps.cacheDir();
    return cache.ok ? [cache.value] : [];
  }

  /** A layer keeps links within a directory that is shown, so none is judged. */
  async #contained(): Promise<boolean> {
    const runtime = await this.#deps.runtime();
    if (!runtime.ok) return false;
    return (await this.#deps.os(runtime.value.path)).layer !== undefined;
  }

  async #pureAtBundle(
    { declaration }: Skill,
    permit: Permit,
    bundle: Bundle,
  ): Promise<Result<Permit>> {
    const { bundles } = permit;
    const { digest } = bundle;
    const record = recordOf(bundle, declaration);
    if (bundles === undefined || bundles.includes(digest)) {
      this.#memory.remember(digest, record);
      return ok(permit);
    }
    return await staleGrant(bundles, { digest, record }, this.#memory);
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
      return await staleGrant(bundles, { digest, record }, this.#memory);
    }
    this.#memory.remember(digest, record);
    return permittedScript(skill, declared.script, this.#deps.grant, digest);
  }
}

function changedMeanwhile({ name }: Skill): Result<never> {
  return refuse(
    "PREFLIGHT",
    `the SKILL.md of ${name} changed while its Plan was made`,
    "Call again.",
  );
}

function closedScript(skill: Skill, { script }: RunCall): Result<never> {
  return refuse(
    "PREFLIGHT",
    `"${
      visible(script, 120)
    }" of ${skill.name} lies in a hidden or ignored directory that is closed to scripts, since links or special files in it lead out`,
    "Move the script, or remove those links.",
  );
}
