/** The variables of one run's child, with their values. */

import { proxyVariables } from "../../proxy/forwarder.ts";
import type { Scratch } from "../disk/scratch.ts";
import type { PreparedRun } from "../types.ts";
import { wayOfRun } from "../plan/way_out.ts";

/**
 * Values for the names the Plan hands over, and for no others. Held secrets get
 * the placeholders that the run's proxy made.
 */
export function runEnvironment(
  { plan, values }: PreparedRun,
  scratch: Scratch,
  placeholders: ReadonlyMap<string, string> = new Map(),
): Record<string, string> {
  const known = new Map([...Object.entries(values), ...placeholders]);
  const way = wayOfRun(plan.confinement, scratch);
  if (way !== undefined) {
    const variables = proxyVariables(way);
    for (const [name, value] of Object.entries(variables)) {
      known.set(name, value);
    }
  }
  known.set("HOME", scratch.scratch);
  known.set("TMPDIR", scratch.scratch);
  known.set("SKILL_OUT", scratch.out);
  known.set("DENO_DIR", scratch.denodir);
  known.set("DENO_AUDIT_PERMISSIONS", scratch.audit);
  const handed = new Set(plan.env.handed);
  return Object.fromEntries([...known].filter(([name]) => handed.has(name)));
}
