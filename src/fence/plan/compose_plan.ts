/** The Plan as a value, put together from what was found and decided. */

import { canonicalJson, sha256 } from "../../base/digest.ts";
import type { Skill } from "../../catalog/types.ts";
import type { Limits } from "../../config/types.ts";
import type { Permit } from "../../grant/types.ts";
import type { Account } from "../../os/types.ts";
import type { Bundle } from "./bundle_digest.ts";
import { KEPT_OF_STREAM } from "../capture.ts";
import { MAX_INPUT_BYTES } from "../check_call.ts";
import type { CheckedDir } from "../preflight/checked_dir.ts";
import type { ChildEnv } from "./child_env.ts";
import { buildFlags } from "./flags.ts";
import type { Interpreter } from "../interpreters.ts";
import { fenceLayers } from "./layers.ts";
import { confinedCommand, type Manner, type Seen } from "./confine.ts";
import type { Held } from "./held_secrets.ts";
import type { OsState } from "../os_layer.ts";
import { narrowedInWords } from "./limits_text.ts";
import type { LimitedRun } from "./run_limits.ts";
import {
  notesInWords,
  type PermissionFacts,
  permissionsInWords,
} from "./permissions_text.ts";
import type { Places } from "./places.ts";
import type { Reach } from "./reach.ts";
import type { Plan, PreparedRun, RunCall, Runtime, Sized } from "../types.ts";

/** Everything a Plan is made of. */
export interface Parts {
  readonly call: RunCall;
  readonly skill: Skill;
  readonly permit: Permit;
  readonly interpreter: Interpreter;
  /** Absolute real path. */
  readonly script: string;
  readonly scriptSha256: string;
  readonly runtime: Runtime;
  readonly bundle: Bundle;
  /** The skill's directory. */
  readonly checked: CheckedDir;
  readonly bytes: number;
  readonly places: Places;
  /** Closed entries: absolute, and as they are shown. */
  readonly closed: readonly string[];
  readonly closedShown: readonly string[];
  readonly reach: Reach;
  readonly env: ChildEnv;
  readonly os: OsState;
  readonly manner: Manner;
  readonly account: Account | undefined;
  readonly held: Held;
  readonly limits: LimitedRun;
  /** The owner's. */
  readonly ceiling: Limits;
  /** The value of a variable. */
  readonly granted: (name: string) => string | undefined;
  /** Name and value of what is kept out of the script's output. */
  readonly redact: readonly (readonly [string, string])[];
  readonly stdin: Uint8Array<ArrayBuffer>;
  /** It runs as a text is loaded; nobody confirms it. */
  readonly pure: boolean;
}

/** The Plan, its digest, and what the runner needs beside it. */
export function composePlan(parts: Parts): PreparedRun {
  const plan = planOf(parts);
  const { confinement, flags, ...first } = plan;
  const digest = sha256(canonicalJson(plan));
  return {
    // The long command comes last.
    plan: { ...first, digest, confinement, flags },
    runtimePath: parts.runtime.path,
    stdin: parts.stdin,
    files: parts.call.files,
    values: { ...parts.env.values },
    proxy: {
      hosts: parts.reach.hosts,
      openAddresses: parts.reach.openAddresses,
      closedPorts: parts.reach.closedPorts,
      secrets: parts.held.secrets,
    },
    redact: new Map(parts.redact),
    hidden: new Map(
      parts.env.granted.flatMap((name) => {
        const value = parts.granted(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    script: parts.script,
    skillDir: parts.skill.dir,
    checked: [parts.checked, ...parts.places.checked],
    account: parts.account,
  };
}

function planOf(parts: Parts): Omit<Plan, "digest"> {
  const { call, permit, skill, env, places, limits, manner, runtime } = parts;
  const facts = factsOf(parts);
  return {
    skill: skill.name,
    script: permit.declared.script,
    interpreter: parts.interpreter.name,
    runtime: { name: "deno", version: runtime.version, from: runtime.from },
    argv: [...call.args],
    permissions: permissionsInWords(facts),
    notes: notesInWords(facts),
    selfGranted: facts.selfGranted,
    layers: fenceLayers(parts.os, manner, parts.pure),
    env: {
      handed: env.handed,
      granted: env.granted,
      notSet: env.notSet,
      notGranted: env.notGranted,
      held: parts.held.names,
    },
    dataDir: places.dataDir ?? null,
    workspace: places.workspace ?? null,
    timeoutMs: permit.declared.timeoutMs,
    limits: {
      ...limits.plan,
      outputBytesPerStream: KEPT_OF_STREAM,
      inputBytes: MAX_INPUT_BYTES,
    },
    stdin: call.stdin === undefined ? null : sized(parts.stdin),
    files: call.files.map((file) => ({
      name: file.name,
      ...sized(file.bytes),
    })),
    cwd: cwdOf(parts),
    scriptSha256: parts.scriptSha256,
    bundle: {
      digest: parts.bundle.digest,
      files: parts.bundle.manifest.size,
      bytes: parts.bytes,
    },
    confinement: {
      ...manner,
      uid: parts.account?.uid ?? null,
      command: confinedCommand(parts.os.layer, seenBy(parts)),
    },
    flags: buildFlags({
      interpreter: parts.interpreter,
      script: parts.script,
      manner,
      skillDir: skill.dir,
      dataDir: places.dataDir,
      workspace: places.workspace,
      closed: parts.closed,
      hosts: parts.reach.hosts,
      openAddresses: parts.reach.openAddresses,
      closedPorts: parts.reach.closedPorts,
      readableEnv: env.readable,
      v8Flags: limits.v8Flags,
      args: call.args,
    }),
  };
}

/** What of this machine the script's process sees. */
export function seenBy(parts: Parts): Seen {
  const { runtime, skill, places, manner, limits, account } = parts;
  return {
    runtime: runtime.path,
    skillDir: skill.dir,
    dataDir: places.dataDir,
    workspace: places.workspace,
    cwd: cwdOf(parts),
    network: manner.network,
    scratchMiB: limits.plan.diskMiB,
    processes: limits.plan.processes,
    account,
  };
}

function cwdOf({ places, skill }: Pick<Parts, "places" | "skill">): string {
  return places.workspace?.dir ?? skill.dir;
}

function factsOf(parts: Parts): PermissionFacts {
  const { permit, places, env, limits } = parts;
  return {
    interpreter: permit.declared.interpreter,
    skillDir: parts.skill.dir,
    dataDir: places.dataDir,
    workspace: places.workspace,
    asksForWorkspace: permit.declared.workspace !== undefined,
    closed: parts.closedShown,
    reach: parts.reach,
    granted: env.granted,
    selfGranted: permit.selfGranted ? env.granted : [],
    timeoutMs: permit.declared.timeoutMs,
    held: parts.held.names,
    plain: parts.held.plain,
    manner: parts.manner,
    asksForSockets: permit.declared.sockets,
    uid: parts.account?.uid ?? (Deno.uid() === 0 ? 0 : undefined),
    narrowed: narrowedInWords(
      permit.declared.limits,
      parts.ceiling,
      limits.plan,
    ),
    smallMemoryMiB: limits.small ? limits.plan.memoryMiB : undefined,
  };
}

function sized(bytes: Uint8Array): Sized {
  return { bytes: bytes.length, sha256: sha256(bytes) };
}
