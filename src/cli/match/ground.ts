/** The configuration, as far as matching needs it, without what is large. */

import { isAbsolute, resolve } from "node:path";
import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import type { Flags } from "../../config/flags.ts";
import { readConfig } from "../../config/read_config.ts";
import type { Config, SkillRoot } from "../../config/types.ts";
import type { IndexGround } from "../../context/match_index.ts";
import type { CliHost } from "../host.ts";

/** The configuration; refused with its first complaint, hosted or not. */
export function matchConfig(host: CliHost, flags: Flags): Result<Config> {
  const { config, complaints } = readConfig({
    env: host.env,
    cwd: host.cwd,
    bundledSkills: host.bundledSkills,
    flags,
    jsonDirectory: plainJson,
  });
  return complaints[0] ?? ok(config);
}

/** What the index of these workspaces (absolute) rests on. */
export function groundOf(
  host: CliHost,
  { roots, maxSkills }: Config,
  workspaces: readonly string[],
): IndexGround {
  return { version: host.version, roots, maxSkills, workspaces };
}

/** Directories that a client names, as far as they are there. Real paths. */
export function realDirectories(paths: readonly string[]): string[] {
  const real = paths.flatMap((path) => {
    try {
      if (!isAbsolute(path)) return [];
      const real = Deno.realPathSync(path);
      return Deno.statSync(real).isDirectory ? [real] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(real)];
}

/**
 * As the reader of the JSON form, but it judges nothing, and so is small: it only
 * finds the index. One that the reader refuses is never made.
 */
function plainJson(
  source: string,
  text: string,
  cwd: string,
): Result<SkillRoot> {
  try {
    const value = JSON.parse(text);
    const { dir, include = [], ignore = [], watch = true } = value;
    const path = resolve(cwd, String(dir).trim());
    return ok({ path, include, ignore, watch, flat: value.flat === true });
  } catch {
    return unreadable(source);
  }
}

function unreadable(source: string): Refusal {
  return refuse("CONFIG", `${source} is not JSON`, "See skillfence --help.");
}
