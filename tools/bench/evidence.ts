/** What it costs that a run's permission checks are written down and read. */

import { join } from "node:path";
import { readAuditRecord } from "../../src/evidence/permission_record.ts";
import { evidenceOf } from "../../src/evidence/evidence.ts";
import { rulesFromFlags } from "../../src/evidence/verdicts.ts";
import { bareChild, type PlanCommand } from "./bare_child.ts";
import type { Bench } from "./bench.ts";
import { unpackedRuntime } from "./layers.ts";
import { ms, type Row, row } from "./row.ts";
import { READS } from "./skill_trees.ts";
import { StdioClient } from "./stdio_client.ts";
import { inTurns } from "./timing.ts";

type Planned = PlanCommand & { readonly confinement: { realm: string } };

/** Evidence on over evidence off, on the same child without us. */
export async function measureEvidence(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const scripts = [
    ["empty.js", "an empty script"],
    ["reads.js", `a script that reads ${READS} times`],
  ] as const;
  for (const [script, words] of scripts) {
    const plan = await planOf(bench, script);
    const direct = plan.confinement.realm === "main";
    const runtime = await unpackedRuntime(bench.cacheDir);
    const skillDir = join(bench.trees, "run/empty");
    const readRecord = async (audit: string, flags: string[]) =>
      evidenceOf({
        record: await readAuditRecord(audit, {
          script: join(skillDir, script),
          direct,
        }),
        rules: rulesFromFlags(flags, { skillDir, scratch: "/scratch" }),
        cwd: plan.cwd,
        direct,
        copiedEnv: !direct,
        network: "none",
      });
    const times = await inTurns(15, {
      off: () => bareChild({ runtime, plan }),
      on: () => bareChild({ runtime, plan, readRecord }),
    });
    rows.push(
      row(
        `evidence of ${words} (${ms(times.on)}) / without (${ms(times.off)})`,
        times.on / times.off,
        1.1,
      ),
    );
  }
  return rows;
}

async function planOf(bench: Bench, script: string): Promise<Planned> {
  await using client = await StdioClient.start(bench.server("run"));
  const { structuredContent: answer } = await client.call("skill_preview", {
    name: "empty",
    script,
  });
  const plan = answer?.["plan"] as Planned | undefined;
  if (plan === undefined) throw new Error(JSON.stringify(answer));
  return plan;
}
