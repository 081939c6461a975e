/** The configuration, or the words for why there is none. */

import { visible } from "../base/text.ts";
import { type Flags, readConfig } from "../config/read_config.ts";
import type { Config } from "../config/types.ts";
import type { CliHost } from "./host.ts";

/**
 * Reads the configuration. A mistake in it is printed to stderr; undefined then
 * means that the caller must end with exit code 2. Hosted, a mistake never
 * stops the server: it is told and the strictest reading is used.
 */
export async function startConfig(
  host: CliHost,
  flags: Flags,
): Promise<Config | undefined> {
  const { config, complaints } = readConfig({
    ...(holdsJson(flags) ? await import("../config/json_directory.ts") : {}),
    env: host.env,
    cwd: host.cwd,
    bundledSkills: host.bundledSkills,
    flags,
  });
  for (const { message, hint } of complaints) {
    host.screen.err(
      `skillfence: ${visible(message)}\n  ${visible(hint, 400)}\n`,
    );
  }
  for (const note of config.notes ?? []) {
    host.screen.err(`skillfence: ${visible(note)}\n`);
  }
  return complaints.length > 0 && !config.hosted ? undefined : config;
}

/** Whether a directory may be given in its JSON form, whose reader is large. */
function holdsJson({ skills = [], prompts = [] }: Flags): boolean {
  return skills.some((flag) => typeof flag !== "string") ||
    prompts.some((flag) => "dir" in flag);
}
