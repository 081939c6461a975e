/** What the log says once, when the first scan is done. */

import type { Snapshot } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";
import type { Logger } from "./log.ts";

/**
 * Warns of what keeps scripts from running although somebody meant them to
 * (configuration, unreadable grant), and informs of what is served.
 */
export function reportStart(
  engine: Engine,
  snapshot: Snapshot,
  log: Logger,
): void {
  const { config, grant } = engine;
  for (const text of config.complaints) log.warn(text);
  for (const { severity, detail, hint } of grant.notes) {
    if (severity === "error") log.warn(`${detail} ${hint}`);
  }
  const errors = snapshot.problems.filter(({ severity }) =>
    severity === "error"
  );
  log.info(
    `serving ${snapshot.skills.size} skills from ${snapshot.roots.length} roots, ` +
      `${errors.length} errors; skill_list tells them`,
  );
}
