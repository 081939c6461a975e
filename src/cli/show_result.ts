/** How a run ended, for people. */

import { visible } from "../base/text.ts";
import { askedFor } from "../evidence/asked_for.ts";
import { grantLines } from "../evidence/grant_lines.ts";
import type { Plan, RunResult } from "../fence/types.ts";
import type { Engine } from "../server/engine_types.ts";
import type { CliHost } from "./host.ts";
import { showEvidence } from "./show_evidence.ts";
import { byteCount } from "./show_plan.ts";
import { writeStream } from "./show_stream.ts";

/**
 * Prints a run that ended: the script's streams, then on stderr how it ended,
 * what it tried and left behind. `kept`: where its outputs were put; undefined
 * where they were not asked for.
 */
export function showResult(
  { screen }: CliHost,
  result: RunResult,
  kept: readonly string[] | undefined,
): void {
  const { stdout, stderr, outputs, hints } = result;
  const tell = screen.err;
  const terminal = screen.columns !== undefined;
  writeStream(stdout, screen.out, { terminal, tell });
  writeStream(stderr, screen.err, { terminal: screen.errIsTerminal, tell });
  tell(`skillfence: ${howItEnded(result)} after ${result.durationMs} ms\n`);
  // For a model; here the record and the owner's lines follow.
  const forModels = askedFor(result.evidence);
  for (const hint of hints.filter((each) => !forModels.includes(each))) {
    tell(`  ${visible(hint, 400)}\n`);
  }
  const tried = showEvidence(result.evidence, screen);
  if (tried !== "") tell(`${tried}\n`);
  for (const { path, size } of outputs) {
    tell(`  left behind: ${visible(path)} (${byteCount(size)})\n`);
  }
  for (const path of kept ?? []) tell(`  kept: ${visible(path)}\n`);
  const lost = outputs.some(({ path }) => path.startsWith("out/"));
  if (lost && kept === undefined) {
    tell("  out/ is gone with the run; keep it with --out DIR\n");
  }
}

/** The lines by which the owner would let the script have what it was denied. */
export async function wouldLetIt(
  engine: Engine,
  { skill, script, env: { notSet } }: Plan,
  { evidence }: RunResult,
): Promise<string[]> {
  const found = await engine.catalog.find(skill);
  if (!found.ok) return [];
  const { scripts, egress } = found.value.declaration;
  const env = scripts.find((each) => each.script === script)?.env ?? [];
  return grantLines(evidence, { skill, script, env, egress })
    .map(({ name, step, line }) =>
      notSet.includes(name)
        ? `${name} is not set in the server's environment`
        : step === "declare"
        ? `its author would have to declare ${line}`
        : `you could grant ${line}`
    );
}

function howItEnded(
  { exitCode, signal, timedOut, cancelled, overLimit }: RunResult,
) {
  if (overLimit !== null) return "stopped over a limit";
  if (timedOut) return "ended by its timeout";
  if (cancelled) return "cancelled";
  return signal === null ? `exit ${exitCode}` : `ended by ${signal}`;
}
