/** Records and rules for tests that need no process. */

import {
  type AuditRecord,
  type Kind,
  KINDS,
} from "../../src/evidence/permission_record.ts";
import { type EvidenceInput, evidenceOf } from "../../src/evidence/evidence.ts";
import type { AccessRules, Evidence } from "../../src/evidence/types.ts";

/** A run that may read its skill, write its scratch and reach two hosts. */
export const RULES: AccessRules = {
  skillDir: "/skill",
  scratch: "/run/scratch",
  read: ["/skill", "/run/scratch"],
  denyRead: ["/skill/closed"],
  write: ["/run/scratch"],
  denyWrite: ["/run/scratch/in"],
  env: ["HOME", "API_KEY"],
  sys: ["cpus"],
  net: ["api.example.com:443", "*.example.org:80"],
  denyNet: ["10.0.0.0/8", "[::1]"],
};

/** Values asked for, each as often as it stands. */
export type Asked = Partial<Record<Kind, readonly (string | undefined)[]>>;

/** The record of a run that asked for these. */
export function recordOf(asked: Asked): AuditRecord {
  const checks = Object.fromEntries(
    KINDS.map((kind) => {
      const tally = new Map<string | undefined, number>();
      for (const value of asked[kind] ?? []) {
        tally.set(value, (tally.get(value) ?? 0) + 1);
      }
      return [kind, tally];
    }),
  ) as unknown as AuditRecord["checks"];
  return { checks, truncated: false, unreadable: 0, missing: false };
}

/** Its evidence, under `RULES` unless said. */
export function evidence(
  asked: Asked,
  more: Partial<EvidenceInput> = {},
): Evidence {
  return evidenceOf({
    record: recordOf(asked),
    rules: RULES,
    cwd: "/skill",
    direct: false,
    copiedEnv: true,
    network: "open",
    ...more,
  });
}
