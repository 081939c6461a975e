/** `skillfence doctor`: how this server is set up, and whether the fence holds. */

import { visible } from "../base/text.ts";
import type { Flags } from "../config/read_config.ts";
import { createEngine } from "../server/engine.ts";
import { type DoctorReport, doctorReport } from "./doctor_report.ts";
import type { CliHost } from "./host.ts";
import { interruptible } from "./interrupt.ts";
import { withProgress } from "./progress.ts";
import { deepTest } from "./deep_test.ts";
import type { Screen } from "./screen.ts";
import { selfTest, type SelfTestRow } from "./self_test.ts";
import { showLayers } from "./show_layers.ts";
import { severityPaint } from "./show_list.ts";
import { byteCount } from "./show_plan.ts";
import { startConfig } from "./start.ts";
import { type Cell, table } from "./table.ts";

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

function printReport(screen: Screen, report: DoctorReport): void {
  const { paint } = screen;
  // Both try some of the same things.
  const probed = report.selfTest.filter(({ attack }) => attack === undefined);
  const hostile = report.selfTest.filter(({ attack }) => attack !== undefined);
  const section = (title: string, rows: readonly Cell[][]) =>
    screen.out(
      `${paint.strong(title)}\n` +
        `${table(rows, { columns: screen.columns, indent: 2 })}\n\n`,
    );
  section("Program", programRows(report));
  section("Skills", skillRows(report, screen));
  section("Watching", watchTable(report, screen));
  section("Grant", grantRows(report, screen));
  section("Texts and servers", laterRows(report, screen));
  section("Runtime", runtimeRows(report, screen));
  screen.out(
    `${paint.strong("Layers")}\n${showLayers(report.layers, screen)}\n\n`,
  );
  section("Operating system's layer", confinementRows(report, screen));
  section(
    "Limits",
    report.limits.map(({ what, value }) => [
      { text: what },
      { text: value },
    ]),
  );
  section("What the server ever writes", writeRows(report, screen));
  section("Self-test", selfTestRows(probed, screen));
  if (hostile.length > 0) {
    section("Hostile scripts", selfTestRows(hostile, screen));
  }
  screen.out(
    report.ok
      ? `${paint.good("Everything is in order.")}\n`
      : `${paint.bad("Something needs attention; see above.")}\n`,
  );
}

function selfTestRows(
  rows: readonly SelfTestRow[],
  { paint }: Screen,
): Cell[][] {
  return rows.map(({ what, expected, passed, detail }) => [
    { text: passed ? "ok" : "FAILED", paint: passed ? paint.good : paint.bad },
    { text: `${what}: must be ${expected}` },
    { text: passed ? "" : visible(detail, 600) },
  ]);
}

function confinementRows(
  { confinement }: DoctorReport,
  { paint }: Screen,
): Cell[][] {
  return confinement.flatMap(({ what, text, advice }): Cell[][] => [
    [{ text: what }, {
      text: visible(text, 600),
      paint: what === "wanted" ? undefined : paint.warn,
    }],
    ...(advice === undefined
      ? []
      : [[{ text: "" }, { text: visible(advice, 600) }]]),
  ]);
}

function programRows(report: DoctorReport): Cell[][] {
  return [
    [{ text: "version" }, { text: `${report.version} (${report.form})` }],
    [{ text: "system" }, { text: report.system }],
    [{ text: "hosted" }, { text: report.hosted ? "yes" : "no" }],
    [{ text: "variables set" }, {
      text: report.variablesSet.join(", ") || "none",
    }],
    ...report.notes.map((
      note,
    ) => [{ text: "note" }, { text: visible(note, 400) }]),
  ];
}

function skillRows(report: DoctorReport, { paint }: Screen): Cell[][] {
  return [
    ...report.roots.map(({ path, problem }): Cell[] => [
      { text: "root" },
      {
        text: visible(path) + (problem === undefined ? "" : `: ${problem}`),
        paint: problem === undefined ? undefined : paint.bad,
      },
    ]),
    [{ text: "roots from" }, { text: report.rootsFrom }],
    ...report.workspaces.map((path): Cell[] => [
      { text: "workspace" },
      { text: visible(path) },
    ]),
    ...(report.workspaces.length === 0
      ? [[{ text: "workspace" }, {
        text: "none by --workspace; on stdio the client's own roots count",
      }]]
      : [[{ text: "context files" }, { text: String(report.contextFiles) }]]),
    [{ text: "served" }, { text: String(report.skills) }],
    [{ text: "problems" }, {
      text: report.problems === 0
        ? "0"
        : `${report.problems}; see: skillfence check`,
    }],
  ];
}

function watchTable(
  { watch, pollSeconds }: DoctorReport,
  { paint }: Screen,
): Cell[][] {
  return [
    ...watch.map(({ path, root, folder, state, reason }): Cell[] => [
      {
        text: root !== undefined
          ? `root ${root}`
          : folder !== undefined
          ? "workspace"
          : "prompts",
      },
      {
        text: state,
        paint: state === "watching"
          ? paint.good
          : state === "degraded"
          ? paint.warn
          : undefined,
      },
      { text: visible(reason ?? path, 600) },
    ]),
    [{ text: "poll" }, {
      text: pollSeconds === null ? "off" : `every ${pollSeconds} s`,
    }],
  ];
}

function grantRows({ grant }: DoctorReport, { paint }: Screen): Cell[][] {
  const meaning: Readonly<Record<string, string>> = {
    "declaration":
      "MCP_SKILL_RUN is not set: what a skill declares may run. Set it to decide yourself.",
    "hosted-default":
      "MCP_SKILL_RUN is not set and a host started this server: nothing runs.",
    "MCP_SKILL_RUN": "MCP_SKILL_RUN is set: only its rows run.",
  };
  return [
    [{ text: "from" }, { text: meaning[grant.from] ?? grant.from }],
    ...grant.rows.map((row) => [{ text: "row" }, { text: visible(row) }]),
    ...grant.notes.map(({ severity, reason, detail, hint }): Cell[] => [
      { text: severity, paint: severityPaint(severity, paint) },
      { text: `${reason}: ${visible(detail, 400)} ${visible(hint, 400)}` },
    ]),
  ];
}

/** What may run when a text is loaded, and which declared servers may start. */
function laterRows(
  { renderRows, mcpRows, laterNotes }: DoctorReport,
  { paint }: Screen,
): Cell[][] {
  const rows = (what: string, none: string, all: readonly string[]): Cell[][] =>
    all.length === 0
      ? [[{ text: what }, { text: none }]]
      : all.map((row) => [{ text: what }, { text: visible(row, 400) }]);
  return [
    ...rows(
      "command",
      "MCP_SKILL_RENDER lists none: no text runs anything",
      renderRows,
    ),
    ...rows(
      "server",
      "MCP_SKILL_MCP lists none: no declared server starts",
      mcpRows,
    ),
    ...laterNotes.map(({ variable, note }): Cell[] => [
      { text: note.severity, paint: severityPaint(note.severity, paint) },
      {
        text: `${variable}, ${note.reason}: ${visible(note.detail, 400)} ${
          visible(note.hint, 400)
        }`,
      },
    ]),
  ];
}

function runtimeRows(
  { runtime, interpreters }: DoctorReport,
  screen: Screen,
): Cell[][] {
  const { paint } = screen;
  return "missing" in runtime
    ? [
      [{ text: "none", paint: paint.bad }, {
        text: visible(runtime.missing, 800),
      }],
      ...runtime.attempts.map(({ from, path, reason }): Cell[] => [
        { text: from },
        {
          text: visible(
            `${path === undefined ? "" : `${path}: `}${reason}`,
            400,
          ),
        },
      ]),
    ]
    : [
      [{ text: "deno" }, { text: `${runtime.version} (${runtime.from})` }],
      [{ text: "path" }, { text: visible(runtime.path) }],
      [{ text: "interpreters" }, { text: interpreters.join(", ") }],
    ];
}

function writeRows({ writes }: DoctorReport, { paint }: Screen): Cell[][] {
  return writes.flatMap(
    ({ what, place, mode, bytes, until, turnOff, note }) => {
      const holds = bytes === undefined ? "" : `, holds ${byteCount(bytes)}`;
      const where = place === undefined
        ? "turned off"
        : `${visible(place)} (mode ${mode}${holds})`;
      return [
        [{ text: where, paint: paint.strong }],
        [{ text: `  ${what}` }],
        ...(note === undefined
          ? []
          : [[{ text: `  ${visible(note, 400)}`, paint: paint.warn }]]),
        [{
          text: `  ${until}. To turn it off: ${turnOff}`,
          paint: paint.quiet,
        }],
      ];
    },
  );
}
