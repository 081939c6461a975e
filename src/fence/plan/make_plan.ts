/** One permitted call over a skill's files as they are now, made into a Plan. */

import { dirname } from "node:path";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { below } from "../../base/place.ts";
import type { Skill } from "../../catalog/types.ts";
import { limitsFor } from "../../config/limits.ts";
import type { Permit } from "../../grant/types.ts";
import { checkCall } from "../check_call.ts";
import { interpreterFor } from "../interpreters.ts";
import { demanded } from "../os_layer.ts";
import type { PreparedRun, RunCall } from "../types.ts";
import type { Bundle } from "./bundle_digest.ts";
import { childEnvironment } from "./child_env.ts";
import { composePlan, type Parts, seenBy } from "./compose_plan.ts";
import { mannerOf, unshowable } from "./confine.ts";
import { heldBack } from "./held_secrets.ts";
import { checkPlaces, writable } from "./places.ts";
import type { PlanGround, PlannerDeps } from "./plan_ground.ts";
import { meantHosts, reachOf, systemResolve } from "./reach.ts";
import { scriptFile } from "./resolve_script.ts";
import { runLimits } from "./run_limits.ts";
import { secretValues } from "./secret_values.ts";
import { wayOut } from "./way_out.ts";

/** What a Plan is made for, once something lets it run. */
export interface Permitted {
  readonly skill: Skill;
  readonly skillFileDigest: string | undefined;
  readonly permit: Permit;
  readonly pure: boolean;
  /** The permit as it is at this very bundle, or `GRANT_STALE`. */
  readonly atBundle: (bundle: Bundle) => Promise<Result<Permit>>;
}

/**
 * The Plan, or why it can never run. The same call over the same files, grant
 * and environment gives the same digest.
 */
export async function makePlan(
  ground: PlanGround,
  call: RunCall,
  { skill, skillFileDigest, permit: permitted, pure, atBundle }: Permitted,
): Promise<Result<PreparedRun>> {
  const { deps } = ground;
  const { catalog, config } = deps;
  const { declared } = permitted;
  const interpreter = interpreterFor(declared.interpreter);
  if (!interpreter.ok) return interpreter;
  const checked = checkCall(call);
  if (!checked.ok) return checked;
  const script = await scriptFile(skill, declared.script);
  if (!script.ok) return script;

  const account = await deps.account();
  if (!account.ok) return account;
  const { roots } = await catalog.snapshot();
  const tree = await ground.checked(skill, account.value);
  if (!tree.ok) return tree;
  const bundle = await ground.digests.digest(skill.dir, tree.value.facts);
  const listed = bundle.manifest.get(below(skill.skillFile, skill.dir));
  if (skillFileDigest !== undefined && listed?.startsWith("sha256:")) {
    // One text must not be declared from and another be pinned.
    if (listed !== skillFileDigest) return changedMeanwhile(skill);
  }
  const scriptDigest = bundle.manifest.get(script.value.path);
  if (scriptDigest === undefined) return closedScript(skill, call);
  const pinned = await atBundle(bundle);
  if (!pinned.ok) return pinned;
  const permit = pinned.value;
  const places = await checkPlaces(skill, permit, {
    dataParent: pure ? undefined : config.dataDir,
    roots: roots.flatMap(({ realPath }) => realPath ?? []),
    account: account.value,
    own: permit.workspace === undefined ? [] : await own(deps),
    auditLog: config.auditLog,
    contained: pure && await contained(deps),
  });
  if (!places.ok) return places;
  const runtime = await deps.runtime();
  if (!runtime.ok) return runtime;
  const changesRuntime = writable(places.value, dirname(runtime.value.path));
  if (changesRuntime !== undefined) return changesRuntime;

  const os = demanded(await deps.os(runtime.value.path));
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
    resolve: deps.resolve ?? systemResolve,
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
      hardLimits: await deps.hardLimits(),
      uid: account.value?.uid ?? Deno.uid() ?? undefined,
    }),
    ceiling: config.ceiling,
    granted: config.env,
    redact: config.redact ? secretValues(skill, permit, config.env) : [],
    stdin: checked.value.stdin,
    pure,
  };
  const apart = unshowable(os.value.layer, seenBy(parts), deps.tmpDir);
  return apart ?? ok(composePlan(parts));
}

/** Directories of the server that no script may write. */
async function own({ cacheDir }: PlannerDeps): Promise<readonly string[]> {
  const cache = await cacheDir();
  return cache.ok ? [cache.value] : [];
}

/** A layer keeps links within a directory that is shown, so none is judged. */
async function contained(deps: PlannerDeps): Promise<boolean> {
  const runtime = await deps.runtime();
  if (!runtime.ok) return false;
  return (await deps.os(runtime.value.path)).layer !== undefined;
}

/** The refusal for a skill whose text and files are of two moments. */
export function changedMeanwhile({ name }: Skill): Result<never> {
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
