/** `skillfence doctor`: how this server is set up, and whether the fence holds. */

import type { Flags } from "../config/read_config.ts";
import { createEngine } from "../server/engine.ts";
import { doctorReport } from "./doctor_report.ts";
import type { CliHost } from "./host.ts";
import { interruptible } from "./interrupt.ts";
import { withProgress } from "./progress.ts";
import { deepTest } from "./deep_test.ts";
import { selfTest } from "./self_test.ts";
import { printReport } from "./show_doctor.ts";
import { startConfig } from "./start.ts";

/** Prints the report. Returns 1 when something is broken, else 0. */
export async function doctor(
  host: CliHost,
  flags: Flags,
  options: { readonly json: boolean; readonly deep: boolean },
): Promise<number> {
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  const engine = createEngine(config);
  try {
    const report = await interruptible(
      (interrupt) =>
        withProgress(host.screen, "Testing the fence", async (say) => {
          const { signal } = interrupt;
          const rows = await selfTest(config, createEngine, signal);
          if (options.deep) {
            const onProgress = (done: number, of: number) =>
              say(`Trying hostile scripts: ${done} of ${of}`);
            rows.push(
              ...await deepTest(config, createEngine, { signal, onProgress }),
            );
          }
          say("Reading skills");
          return interrupt.exitCode() ?? await doctorReport(host, engine, rows);
        }),
      () => engine.runner.closeSync(),
    );
    if (typeof report === "number") return report;
    if (options.json) {
      host.screen.out(`${JSON.stringify(report, null, 2)}\n`);
    } else printReport(host.screen, report);
    return report.ok ? 0 : 1;
  } finally {
    engine.runner.closeSync();
  }
}
