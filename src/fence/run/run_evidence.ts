/** What one run tried, from the runtime's record and its proxy's. */

import { readAuditRecord } from "../../evidence/permission_record.ts";
import { evidenceOf } from "../../evidence/evidence.ts";
import type { Evidence } from "../../evidence/types.ts";
import { rulesFromFlags } from "../../evidence/verdicts.ts";
import { proxyPermissions } from "../../proxy/forwarder.ts";
import type { ProxyRecord } from "../../proxy/types.ts";
import { fillIn } from "./fill_in.ts";
import type { Scratch } from "../disk/scratch.ts";
import type { Plan, PreparedRun } from "../types.ts";
import { wayOfRun } from "../plan/way_out.ts";

const MIB = 1024 * 1024;

/** The evidence of a run that has ended, its verdicts drawn from its Plan. */
export async function runEvidence(
  { plan, script, skillDir, hidden }: PreparedRun,
  scratch: Scratch,
  proxy: ProxyRecord | undefined,
): Promise<Evidence> {
  const { realm, network } = plan.confinement;
  const direct = realm === "main";
  const flags = fillIn(plan.flags, plan.argv.length, scratch);
  return evidenceOf({
    record: await readAuditRecord(scratch.audit, {
      script,
      direct,
      fileLimit: plan.limits.fileMiB * MIB,
    }),
    rules: rulesFromFlags(flags.slice(0, flags.length - plan.argv.length), {
      skillDir,
      scratch: scratch.scratch,
    }),
    cwd: plan.cwd,
    direct,
    copiedEnv: !direct,
    network,
    ...(proxy === undefined ? {} : { proxy }),
    own: ownAsked(plan, scratch),
    hidden,
  });
}

/** What the runtime asks for by itself, to get to the proxy. */
function ownAsked({ confinement }: Plan, scratch: Scratch): string[] {
  const way = wayOfRun(confinement, scratch);
  if (way === undefined) return [];
  const { net, paths } = proxyPermissions(way);
  return [...net, ...paths];
}
