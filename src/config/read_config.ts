/** Environment and flags -> one Config value. Never throws. */

import { nearest } from "../base/nearest.ts";
import { type Refusal, refuse } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { ceilingFrom } from "./limits.ts";
import { type JsonDirectoryReader, unreadDirectory } from "./directory.ts";
import type { Flags } from "./flags.ts";
import { readHttp } from "./http.ts";
import { readPoll } from "./poll.ts";
import { readPrompts } from "./prompts.ts";
import { readRoots } from "./roots.ts";
import type { Config, Limits, LogLevel, OsFence } from "./types.ts";
import {
  countingValue,
  type RawEnv,
  readVariable,
  setValue,
} from "./values.ts";
import {
  OWN_PREFIX,
  PROXY_VARIABLES,
  UPSTREAM_MARK,
  variable,
  type VariableName,
  VARIABLES,
} from "./variables.ts";
import { readWorkspaces } from "./workspaces.ts";

export type { Flags } from "./flags.ts";

/** Everything a Config is made of. */
export interface ConfigInput {
  /** The whole environment, e.g. `Deno.env.toObject()`. */
  readonly env: Readonly<Record<string, string>>;
  readonly flags: Flags;
  /** Absolute; relative roots are resolved against it. */
  readonly cwd: string;
  /** Absolute directory of the skills that come with the program. */
  readonly bundledSkills: string;
  /** Reads `--skill-dir` and the like; without it those are complained about. */
  readonly jsonDirectory?: JsonDirectoryReader;
}

/** A Config, and what was wrong on the way to it. */
export interface ConfigReading {
  readonly config: Config;
  /** Standalone: a start-up error. Hosted: served on, and nothing runs. */
  readonly complaints: readonly Refusal[];
}

/**
 * Reads the configuration. A malformed value is complained about and read as
 * the strictest value of its variable, so that a caller which goes on in spite
 * of complaints is never looser than its owner meant.
 */
export function readConfig(input: ConfigInput): ConfigReading {
  const raw: RawEnv = (name) =>
    Object.hasOwn(input.env, name) ? input.env[name] : undefined;
  const complaints: Refusal[] = [...unknownNames(Object.keys(input.env))];

  function one(name: VariableName): string | undefined {
    const row = variable(name);
    const read = readVariable(row, raw);
    if (read.ok) return read.value;
    complaints.push(read);
    return row.strict;
  }
  function oneOrFallback(name: VariableName): string {
    return one(name) ?? variable(name).fallback;
  }

  function ceiling(): Limits {
    // For the complaint: which parts of a wrong value still count is decided there.
    one("SKILLFENCE_LIMITS");
    return ceilingFrom(countingValue(variable("SKILLFENCE_LIMITS"), raw));
  }

  const { cwd, jsonDirectory = unreadDirectory } = input;
  const roots = readRoots(input, raw, jsonDirectory);
  complaints.push(...roots.complaints);
  const hostDataDir = one("MCP_DATA_DIR");
  const ownDataDir = one("SKILLFENCE_DATA_DIR");
  const uid = one("SKILLFENCE_UID");
  const confirm = oneOrFallback("SKILLFENCE_CONFIRM") as Config["confirm"];
  const prompts = readPrompts(input.flags.prompts ?? [], raw, {
    cwd,
    jsonDirectory,
  });
  const poll = readPoll(input.flags.poll ?? []);
  const workspaces = readWorkspaces(input.flags.workspaces ?? [], cwd);
  const http = readHttp(input.flags, {
    tokenFile: one("SKILLFENCE_TOKEN_FILE"),
    planKeyFile: one("SKILLFENCE_PLAN_KEY_FILE"),
    confirm,
  }, cwd);
  complaints.push(
    ...prompts.complaints,
    ...poll.complaints,
    ...workspaces.complaints,
    ...http.complaints,
  );
  const config: Omit<Config, "complaints"> = {
    roots: roots.roots,
    prompts: prompts.prompts,
    skipNative: input.flags.skipNative === true,
    pollMs: poll.pollMs,
    http: http.http,
    rootsFrom: roots.from,
    workspaces: workspaces.workspaces,
    contextDialects: one("SKILLFENCE_CONTEXT")?.split(",") ?? [],
    hosted: VARIABLES.some((row) =>
      "hostMarker" in row && setValue(raw(row.name)) !== undefined
    ),
    grantText: one("MCP_SKILL_RUN"),
    renderText: one("MCP_SKILL_RENDER"),
    mcpText: one("MCP_SKILL_MCP"),
    denoPath: one("SKILLFENCE_DENO"),
    cacheDir: one("SKILLFENCE_CACHE_DIR"),
    dataDir: hostDataDir ?? ownDataDir,
    maxSkills: Number(oneOrFallback("SKILLFENCE_MAX_SKILLS")),
    maxRuns: Number(oneOrFallback("SKILLFENCE_MAX_RUNS")),
    confirm,
    requireUser: oneOrFallback("SKILLFENCE_REQUIRE_USER") === "1",
    osFence: oneOrFallback("SKILLFENCE_OS_FENCE") as OsFence,
    uid: uid === undefined ? undefined : Number(uid),
    ceiling: ceiling(),
    redact: oneOrFallback("SKILLFENCE_REDACT") === "1",
    auditLog: one("SKILLFENCE_AUDIT_LOG"),
    log: oneOrFallback("SKILLFENCE_LOG") as LogLevel,
    // Over HTTP running must be asked for, even where --http is not understood.
    runTools: input.flags.noRun !== true &&
      (!http.wanted || http.http?.allowRun === true),
    behindProxy: PROXY_VARIABLES.some((name) =>
      setValue(raw(name)) !== undefined
    ),
    // Verbatim, not trimmed: a script gets what the owner set.
    env: (name) => setValue(raw(name)) === undefined ? undefined : raw(name),
    notes: roots.notes,
  };
  return {
    config: Object.freeze({
      ...config,
      complaints: complaints.map(({ message, hint }) => `${message}. ${hint}`),
    }),
    complaints,
  };
}

function unknownNames(names: readonly string[]): Refusal[] {
  const own = VARIABLES.map((row) => row.name as string)
    .filter((name) => name.startsWith(OWN_PREFIX));
  return names
    .filter((name) => name.startsWith(OWN_PREFIX) && !own.includes(name))
    .filter((name) => name !== UPSTREAM_MARK)
    .map((name) =>
      refuse(
        "CONFIG",
        `${visible(name)} is not a variable of skillfence; the nearest is ${
          nearest(name, own, 1)[0] ?? own[0]
        }`,
        `Accepted: ${own.join(", ")}.`,
      )
    );
}
