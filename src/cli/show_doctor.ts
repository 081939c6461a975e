/** The report of `doctor`, as a person reads it. */

import { visible } from "../base/text.ts";
import type { DoctorReport } from "./doctor_report.ts";
import type { Screen } from "./screen.ts";
import type { SelfTestRow } from "./self_test.ts";
import { grantRows, laterRows } from "./show_grants.ts";
import { showLayers } from "./show_layers.ts";
import { byteCount } from "./show_plan.ts";
import { type Cell, table } from "./table.ts";

/** Prints every section, and whether anything needs attention. */
export function printReport(screen: Screen, report: DoctorReport): void {
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
