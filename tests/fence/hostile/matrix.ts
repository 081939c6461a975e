/** Runs hostile scripts through the product, in each mode, and judges them. */

import {
  FLAG_WORDS,
  KERNEL_WORDS,
  type Printed,
  type Seen,
  seenIn,
} from "../../../src/cli/attack_verdict.ts";
import type { PreparedRun, RunResult } from "../../../src/fence/types.ts";
import { captured, type Fence, openFence } from "../../support/fenced.ts";
import { makeTree } from "../../support/tree.ts";
import type { Attack } from "./attack.ts";
import {
  BARE,
  isAlone,
  type Mode,
  modeEnv,
  withoutFlags,
  withoutWorker,
} from "./modes.ts";
import { type Scene, SECRET, stage } from "./scene.ts";

/** What was seen of an attack, with the words that show it. */
export interface Verdict {
  readonly seen: Seen;
  readonly said: string;
}

/** How a module is missed by who imports it. */
const ABSENT = /[Mm]odule not found|Cannot find module|No such file|ENOENT/;
/** How a connection fails where there is no network. */
const NO_NETWORK =
  /fetch failed|name resolution|EAI_AGAIN|403 Forbidden|is not granted to this script|error sending request|client error|tcp connect|os error|failed to connect|Connection refused/i;

/** Runs an attack through the whole product and judges it. */
export async function tryIn(attack: Attack, mode: Mode): Promise<Verdict> {
  await using at = await stage(attack);
  return judged(attack, mode, at, await fenced(attack, mode, at));
}

/** The same with the Plan's own flags and no worker, no layer around it. */
export async function tryAsMain(attack: Attack): Promise<Verdict> {
  await using at = await stage(attack);
  return judged(
    attack,
    "flags",
    at,
    await fenced(attack, "flags", at, withoutWorker),
  );
}

/** Runs the control: `got through` is what it must give. */
export async function tryControl(
  attack: Attack,
  mode: Mode = attack.controlIn ?? "flags",
): Promise<Verdict> {
  const { control } = attack;
  if (control === "bare" || control === "bare as root") {
    await using at = await stage(attack);
    return judged(attack, mode, at, await bare(attack, at, attack.bare ?? []));
  }
  const granted: Attack = control === "granted"
    ? {
      ...attack,
      declares: { ...attack.declares, egress: ["__HOST__"] },
      grant: { ...attack.grant, egress: ["__HOST__"] },
      ...attack.granted,
    }
    : attack;
  await using at = await stage(granted, { inside: control === "inside" });
  return judged(granted, mode, at, await fenced(granted, mode, at));
}

/** Runs it as the main module with nothing around it. */
export async function tryUnfenced(attack: Attack): Promise<Verdict> {
  await using at = await stage(attack);
  return judged(attack, "flags", at, await bare(attack, at, []));
}

/** What a run left: its end, or the refusal that stopped it. */
type Left = Printed & {
  readonly result?: RunResult;
  readonly refusal?: { readonly code: string };
  /** All that a client gets besides the two streams, as text. */
  readonly handedOut?: string;
};

/** What is taken away from a run. */
type Change = (prepared: PreparedRun) => PreparedRun;

async function fenced(
  attack: Attack,
  mode: Mode,
  at: Scene,
  change: Change = isAlone(mode) ? withoutFlags : (prepared) => prepared,
): Promise<Left> {
  using fence = openFence({
    root: at.root,
    dataDir: at.dataDir,
    grant: at.grant,
    env: { ...attack.env, ...modeEnv(mode) },
  });
  await attack.before?.(at);
  let left: Left = { stdout: "", stderr: "" };
  for (let run = 0; run < (attack.runs ?? 1); run++) {
    left = await once(fence, attack, at, change);
    await attack.after?.(at);
  }
  return left;
}

async function once(
  fence: Fence,
  attack: Attack,
  at: Scene,
  change: Change,
): Promise<Left> {
  const prepared = await fence.prepare(attack.file, { args: attack.args });
  if (!prepared.ok) return refused(prepared);
  await attack.between?.(at);
  const changed = change(prepared.value);
  const ran = await fence.engine.runner.run(
    attack.asRoot ? { ...changed, account: undefined } : changed,
    {},
  );
  if (!ran.ok) return refused(ran);
  return {
    result: ran.value,
    handedOut: await handedOut(fence, ran.value),
    stdout: captured(ran.value.stdout),
    stderr: captured(ran.value.stderr),
  };
}

/** The files, evidence and hints of a result. */
async function handedOut(fence: Fence, result: RunResult): Promise<string> {
  const texts = [JSON.stringify(result.evidence), ...result.hints];
  for (const { id } of result.outputs) {
    const opened = await fence.engine.runner.outputs.open(id);
    if (opened.ok) texts.push(await Deno.readTextFile(opened.value.file));
  }
  return texts.join("\n");
}

function refused(refusal: { code: string; message: string }): Left {
  const stderr = `${refusal.code}: ${refusal.message}`;
  return { stdout: "", stderr, refusal };
}

/** The same script, its own directory and a scratch, and `deno run -A`. */
async function bare(
  attack: Attack,
  at: Scene,
  flags: readonly string[],
): Promise<Left> {
  await using scratch = await makeTree({ out: { dir: true } });
  await attack.before?.(at);
  await attack.between?.(at);
  const decoder = new TextDecoder();
  let left: Left = { stdout: "", stderr: "" };
  for (let run = 0; run < (attack.runs ?? 1); run++) {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...BARE.filter((flag) => !flags.includes(`${flag}=off`)),
        ...flags.filter((flag) => !flag.endsWith("=off")),
        `${at.skillDir}/${attack.file}`,
        ...attack.args ?? [],
      ],
      clearEnv: true,
      env: {
        ...attack.env,
        PATH: Deno.env.get("PATH") ?? "",
        HOME: scratch.root,
        TMPDIR: scratch.root,
        SKILL_OUT: scratch.path("out"),
        DENO_DIR: scratch.path("deno"),
        MCP_DATA_DIR: at.dataDir,
        TEST_SECRET: SECRET,
      },
      cwd: at.skillDir,
      stdin: "null",
      signal: AbortSignal.timeout(30_000),
    }).output();
    left = { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }
  return left;
}

async function judged(
  attack: Attack,
  mode: Mode,
  at: Scene,
  left: Left,
): Promise<Verdict> {
  const said = `${left.stdout}\n${left.stderr}`.trim();
  const seenOutside = left.handedOut?.includes(SECRET) === true;
  if (at.reached() > 0 || seenOutside || await attack.breached?.(at)) {
    return { seen: "got through", said };
  }
  if (left.refusal !== undefined) {
    const expected = attack.refused?.includes(left.refusal.code) === true;
    const seen = expected ? "held" : "unclear";
    return { seen, said };
  }
  const words = wordsOf(attack, mode);
  const seen = seenIn(left, { secret: SECRET, words });
  if (seen !== "unclear" || left.result === undefined) return { seen, said };
  return { seen: attack.heldBy?.(left.result, left) ? "held" : seen, said };
}

/** What a stopped script may say in a mode. */
function wordsOf(attack: Attack, mode: Mode): RegExp[] {
  const own = attack.words === undefined ? [] : [attack.words];
  // The flags stand, so they answer; but the module graph of a main module is
  // held by there being nothing else to import.
  if (!isAlone(mode)) {
    const graph = mode === "bwrap" && attack.kind.startsWith("module-");
    // The flags go by names: what was swapped under a name is not their matter.
    const swapped = mode !== "flags" && attack.kind.startsWith("swap-");
    return [
      FLAG_WORDS,
      ...(graph ? [ABSENT] : []),
      ...(swapped ? [KERNEL_WORDS] : []),
      ...own,
    ];
  }
  return [KERNEL_WORDS, NO_NETWORK, ...own];
}

/** One attack, tried. */
export interface Tried {
  readonly attack: Attack;
  /** By mode; only those in which it can be tried here. */
  readonly verdicts: ReadonlyMap<Mode, Verdict>;
}

/** Tries an attack in each of these modes at the same time. */
export async function tryAll(
  attack: Attack,
  modes: readonly Mode[],
): Promise<Tried> {
  const verdicts = await Promise.all(
    modes.map(async (mode) => [mode, await tryIn(attack, mode)] as const),
  );
  return { attack, verdicts: new Map(verdicts) };
}
