/** A Plan in words and columns, for people. */

import { visible } from "../base/text.ts";
import { boundsProcesses } from "../fence/plan/limits_text.ts";
import type { Plan } from "../fence/types.ts";
import type { Screen } from "./screen.ts";
import { type Cell, table } from "./table.ts";

/** Characters of one value that are shown. */
const SHOWN = 200;
/** The same for our own words, in which strangers' are cut already. */
const WORDS = 2_000;

/** What of a Plan is shown. */
export interface PlanViewOptions {
  /** Everything, the literal command line too; else what differs by script. */
  readonly full: boolean;
  /** Blanks before every line. */
  readonly indent?: number;
}

/** `1,234 bytes`. */
export function byteCount(bytes: number): string {
  return `${bytes.toLocaleString("en-US")} ${bytes === 1 ? "byte" : "bytes"}`;
}

/** The Plan as lines without a trailing newline. */
export function showPlan(
  plan: Plan,
  screen: Screen,
  options: PlanViewOptions,
): string {
  const rows: Cell[][] = [];
  const add = (
    label: string,
    values: readonly string[],
    paint?: Cell["paint"],
    max = SHOWN,
  ) =>
    values.forEach((text, i) =>
      rows.push([
        { text: i === 0 ? label : "", paint: screen.paint.quiet },
        { text: visible(text, max), paint },
      ])
    );
  add("script", [`${plan.skill} ${plan.script}`], screen.paint.strong);
  for (const note of plan.notes) add("note", [note], screen.paint.warn, WORDS);
  add("runs on", [
    `${plan.interpreter}: ${plan.runtime.name} ${plan.runtime.version}` +
    ` (${plan.runtime.from})`,
  ]);
  add("arguments", plan.argv.map((arg) => JSON.stringify(arg)));
  add("directory", [plan.cwd]);
  add("may", plan.permissions, undefined, WORDS);
  add("variables", variableLines(plan, options.full));
  add("input", inputLines(plan));
  add("limits", limitLines(plan), undefined, WORDS);
  if (options.full) {
    add(
      "layers",
      plan.layers.map(({ name, on, note }) =>
        `${name}: ${on ? "on" : "off"}${note === "" ? "" : `, ${note}`}`
      ),
      undefined,
      WORDS,
    );
  }
  add("script is", [plan.scriptSha256]);
  add("bundle is", [
    `${plan.bundle.digest} (${plan.bundle.files} files, ${
      byteCount(plan.bundle.bytes)
    })`,
  ]);
  add("digest", [plan.digest]);
  if (options.full) {
    add("confined by", [
      `${plan.confinement.by}, as the ${plan.confinement.realm} module, network ${plan.confinement.network}`,
    ]);
    add(
      "command",
      [...plan.confinement.command, ...plan.flags],
      screen.paint.quiet,
    );
  }
  return table(rows, { columns: screen.columns, indent: options.indent });
}

function variableLines(plan: Plan, full: boolean): string[] {
  const { handed, granted, notSet, notGranted, held } = plan.env;
  const own = handed.filter((name) => !granted.includes(name));
  const plainly = granted.filter((name) =>
    !held.some((secret) => secret.name === name)
  );
  return [
    ...(plainly.length > 0 ? [`handed over: ${plainly.join(", ")}`] : []),
    ...held.map(({ name, hosts }) =>
      `held at the proxy: ${name}, ${
        hosts.length === 0 ? "sent nowhere" : `for ${hosts.join(", ")}`
      }`
    ),
    ...(notSet.length > 0 ? [`asked for, not set: ${notSet.join(", ")}`] : []),
    ...(notGranted.length > 0
      ? [`asked for, not granted: ${notGranted.join(", ")}`]
      : []),
    ...(full ? [`of the fence's own: ${own.join(", ")}`] : []),
  ];
}

function limitLines({ timeoutMs, limits }: Plan): string[] {
  return [
    `${timeoutMs / 1000} s, ${limits.memoryMiB} MiB of memory` +
    (limits.dataMiB === null
      ? ", "
      : ` (${limits.dataMiB} MiB with the runtime's own), `) +
    `${limits.cpuSeconds} s of processor time`,
    `${limits.fileMiB} MiB a file, ${limits.diskMiB} MiB and ` +
    `${limits.files} files left in all, ${limits.openFiles} open files` +
    (boundsProcesses(limits) ? `, ${limits.processes} processes` : ""),
    `${byteCount(limits.outputBytesPerStream)} kept of each stream`,
    ...limits.notEnforced.map((text) => `not enforced here: ${text}`),
  ];
}

function inputLines(plan: Plan): string[] {
  const stdin = plan.stdin === null
    ? []
    : [`stdin, ${byteCount(plan.stdin.bytes)}, ${plan.stdin.sha256}`];
  return [
    ...stdin,
    ...plan.files.map(({ name, bytes, sha256 }) =>
      `${name}, ${byteCount(bytes)}, ${sha256}`
    ),
  ];
}
