/**
 * What the fence holds on this machine: every hostile script of the tests in
 * every mode, as a table by kind and layer.
 *
 * Run as `deno run -A tools/fence_table.ts [--json] [KIND...]`; a KIND is a row
 * of `tests/fence/kinds.md`, all of them unless some are named. Progress goes to
 * stderr. Exits 1 when something is not as that table says.
 */

import { ATTACKS } from "../tests/fence/hostile/attacks.ts";
import {
  cellOf,
  type Kind,
  KINDS_FILE,
  readKinds,
} from "../tests/fence/hostile/kinds.ts";
import { tryIn, type Verdict } from "../tests/fence/hostile/matrix.ts";
import {
  type Here,
  lookAround,
  type Mode,
  MODES,
  modesOf,
} from "../tests/fence/hostile/modes.ts";
import { say, warn } from "./say.ts";

/** What was seen of one attack in one mode. */
export interface SeenOnce extends Verdict {
  readonly kind: string;
  readonly attack: string;
  readonly mode: Mode;
}

/** A cell that is not as the table of kinds says. */
export interface Mismatch {
  readonly kind: string;
  readonly mode: Mode;
  readonly expected: string;
  readonly seen: string;
  /** What the attacks that make it so have said. */
  readonly said: readonly string[];
}

/**
 * Tries every attack of these kinds wherever it can be tried, a few at once.
 * `onTried` is called before the first and after each, with how many are done.
 */
export async function tryKinds(
  kinds: readonly Kind[],
  here: Here,
  onTried: (done: number, of: number) => void = () => {},
): Promise<SeenOnce[]> {
  const names = new Set(kinds.map(({ name }) => name));
  const tasks = ATTACKS.filter(({ kind }) => names.has(kind))
    .flatMap((attack) =>
      modesOf(attack, here).map((mode) => ({ attack, mode }))
    );
  const seen: SeenOnce[] = [];
  const of = tasks.length;
  onTried(0, of);
  const worker = async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const { attack, mode } = task;
      const { id, kind } = attack;
      seen.push({ kind, attack: id, mode, ...await verdict(attack, mode) });
      onTried(seen.length, of);
    }
  };
  const atOnce = navigator.hardwareConcurrency + 1;
  await Promise.all(Array.from({ length: atOnce }, worker));
  return seen;
}

/** A script that cannot even be tried shows nothing. */
async function verdict(
  ...tried: Parameters<typeof tryIn>
): Promise<Verdict> {
  try {
    return await tryIn(...tried);
  } catch (error) {
    return { seen: "unclear", said: `not tried: ${error}` };
  }
}

/** Holds what was seen against the table. Modes nobody tried are not compared. */
export function mismatches(
  kinds: readonly Kind[],
  seen: readonly SeenOnce[],
): Mismatch[] {
  return kinds.flatMap(({ name, expected }) =>
    MODES.flatMap((mode) => {
      const of = seen.filter((one) => one.kind === name && one.mode === mode);
      const cell = cellOf(of.map((one) => one.seen));
      if (of.length === 0 || cell === expected[mode]) return [];
      const said = of.filter((one) =>
        one.seen !== "held" || expected[mode] !== "held"
      ).map((one) => `${one.attack}: ${one.said}`);
      return [{ kind: name, mode, expected: expected[mode], seen: cell, said }];
    })
  );
}

/** The table, one line a kind; what is not as expected stands in capitals. */
export function tableOf(
  kinds: readonly Kind[],
  seen: readonly SeenOnce[],
): string[] {
  const wrong = new Set(
    mismatches(kinds, seen).map(({ kind, mode }) => `${kind} ${mode}`),
  );
  const rows = kinds.map(({ name }) => [
    name,
    ...MODES.map((mode) => {
      const of = seen.filter((one) => one.kind === name && one.mode === mode);
      const cell = cellOf(of.map((one) => one.seen));
      return wrong.has(`${name} ${mode}`) ? cell.toUpperCase() : cell;
    }),
  ]);
  const lines = [["kind", ...MODES], ...rows];
  const widths = lines[0]!.map((_, at) =>
    Math.max(...lines.map((line) => line[at]!.length))
  );
  return lines.map((line) =>
    line.map((cell, at) => cell.padEnd(widths[at]!)).join("  ").trimEnd()
  );
}

/** Lines of progress at most, besides the first. */
const LINES = 20;

/** Says how many attempts are done: all of a few, every twentieth of many. */
export function progressLines(
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): (done: number, of: number) => void {
  const started = now();
  return (done, of) => {
    const part = (at: number) => Math.floor(at * LINES / of);
    if (done > 0 && part(done) === part(done - 1)) return;
    const seconds = Math.round((now() - started) / 1000);
    write(`${done} of ${of} attempts, ${seconds} s`);
  };
}

function isKind(kinds: readonly Kind[], wanted: string): boolean {
  return kinds.some(({ name }) => name === wanted);
}

if (import.meta.main) {
  const json = Deno.args.includes("--json");
  const names = Deno.args.filter((arg) => !arg.startsWith("--"));
  const all = readKinds(await Deno.readTextFile(KINDS_FILE));
  for (const name of names.filter((name) => !isKind(all, name))) {
    warn(`kinds.md has no kind "${name}"`);
    Deno.exit(1);
  }
  const kinds = all.filter(({ name }) =>
    names.length === 0 || names.includes(name)
  );
  const here = await lookAround();
  const seen = await tryKinds(kinds, here, progressLines(warn));
  const wrong = mismatches(kinds, seen);
  if (json) {
    say(JSON.stringify({ modes: here.modes, seen, wrong }));
  } else {
    for (const line of tableOf(kinds, seen)) say(line);
    const missing = MODES.filter((mode) => !here.modes.includes(mode));
    if (missing.length > 0) {
      say(`not tried on this machine: ${missing.join(", ")}`);
    }
  }
  for (const { kind, mode, expected, seen, said } of wrong) {
    warn(`${kind} in ${mode}: ${seen}, and kinds.md says ${expected}`);
    for (const line of said) warn(`  ${line}`);
  }
  if (!json) {
    say(`${seen.length} attempts, ${wrong.length} not as kinds.md says`);
  }
  if (wrong.length > 0) Deno.exit(1);
}
