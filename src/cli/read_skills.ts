/** The snapshot, with what is going on for whoever watches. */

import type { Snapshot } from "../catalog/types.ts";
import type { Engine } from "../server/engine_types.ts";
import type { Report } from "./progress.ts";

/** Waits for the scan; `report` hears how far it is. */
export async function readSkills(
  engine: Engine,
  report: Report,
): Promise<Snapshot> {
  return await engine.catalog.snapshot(({ directories, skills, total }) =>
    report(
      total === 0
        ? `Reading skills: ${directories} directories`
        : `Reading skills: ${skills} of ${total}`,
    )
  );
}
