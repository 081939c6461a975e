/** What serving resources works with: one connection, one moment. */

import type { Engine } from "../engine_types.ts";
import type { ServedSkills } from "./served_skills.ts";

/** What one request is answered from. */
export interface Room {
  readonly engine: Engine;
  readonly served: ServedSkills;
  /**
   * The client is on this machine: it is told paths, and may read shared files
   * by them.
   */
  readonly local: boolean;
}

/** The room of a request that comes now; waits for the first scan. */
export async function openRoom(engine: Engine): Promise<Room> {
  const served = engine.served(await engine.catalog.snapshot());
  return { engine, served, local: engine.config.http === undefined };
}
