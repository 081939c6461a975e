/** `skillfence doctor --deep`: hostile scripts against the fence, here and now. */

import { join } from "node:path";
import type { Config } from "../config/types.ts";
import type { RunResult } from "../fence/types.ts";
import type { Engine } from "../server/engine_types.ts";
import { type MadeTarget, makeTarget } from "./attack_target.ts";
import type { AttackText } from "./attack_text.ts";
import { FLAG_WORDS, KERNEL_WORDS, seenIn } from "./attack_verdict.ts";
import { FILE_ATTACKS } from "./deep_attacks_files.ts";
import { REACH_ATTACKS } from "./deep_attacks_reach.ts";
import { notLaidOut, type SelfTestRow } from "./self_test.ts";
import { withSkill } from "./throwaway_skill.ts";

/** Every attack that is tried, in this order. */
export const DEEP_ATTACKS: readonly AttackText[] = [
  ...FILE_ATTACKS,
  ...REACH_ATTACKS,
];

const SKILL = "deep-test";
/** Most that is shown of what a script said. */
const SHOWN = 400;

/**
 * Runs every attack once through the whole product, in the mode in force, and
 * gives a row for each. Nothing of it is left behind.
 */
export async function deepTest(
  config: Config,
  open: (config: Config) => Engine,
  options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, of: number) => void;
  } = {},
): Promise<SelfTestRow[]> {
  // Windows has neither kind of socket for a script.
  const attacks = DEEP_ATTACKS.filter(({ target }) =>
    Deno.build.os === "linux" ||
    target !== "abstract" && (target !== "socket" || Deno.build.os === "darwin")
  );
  await using targets = new AsyncDisposableStack();
  const secret = crypto.randomUUID();
  const made = new Map<AttackText, MadeTarget>();
  try {
    return await withSkill({
      config,
      open,
      signal: options.signal,
      name: SKILL,
      scripts: attacks.map(({ file }) => file),
      files: async (base) => {
        for (const attack of attacks) {
          const target = await makeTarget(attack.target, {
            dir: join(base, "outside", attack.id),
            socket: join(base, `${attack.id}.sock`),
            secret,
          });
          made.set(attack, targets.use(target));
        }
        return filesOf(made);
      },
    }, async ({ run }) => {
      const rows: SelfTestRow[] = [];
      for (const [attack, target] of made) {
        options.onProgress?.(rows.length, made.size);
        let ended: RunResult | string = "it was not tried";
        for (let times = attack.runs ?? 1; times > 0; times--) {
          ended = await run(attack.file);
        }
        rows.push(rowOf(attack, ended, { secret, reached: target.reached() }));
      }
      return rows;
    });
  } catch (error) {
    return [notLaidOut(error)];
  }
}

function filesOf(
  made: ReadonlyMap<AttackText, MadeTarget>,
): Record<string, string> {
  const files: Record<string, string> = {};
  const declared: string[] = [];
  for (const [{ file, source, also }, { target }] of made) {
    const filled = (text: string) => fill(text, target);
    files[file] = filled(source);
    for (const [path, text] of Object.entries(also ?? {})) {
      files[path] = filled(text);
    }
    const interpreter = file.endsWith(".cjs") ? "node" : "deno";
    declared.push(
      `    - { script: ${file}, interpreter: ${interpreter}, timeout: 30 }\n`,
    );
  }
  files["SKILL.md"] = `---
description: Tries what must be denied.
mcp-host:
  version: 1
  run:
${declared.join("")}---
`;
  return files;
}

/** An attack's text with its target and the server's process put in. */
export function fill(text: string, target: string): string {
  return text.replaceAll("__TARGET__", target)
    .replaceAll("__SERVER__", String(Deno.pid));
}

function rowOf(
  { id, title, words }: AttackText,
  ended: RunResult | string,
  effect: { readonly secret: string; readonly reached: number },
): SelfTestRow {
  const row = (passed: boolean, detail: string): SelfTestRow => ({
    what: title,
    attack: id,
    expected: "denied",
    passed,
    detail: detail.slice(0, SHOWN),
  });
  if (typeof ended === "string") return row(false, `nothing ran: ${ended}`);
  const decoder = new TextDecoder();
  const stdout = decoder.decode(ended.stdout.head);
  const stderr = decoder.decode(ended.stderr.head);
  const accepted = [FLAG_WORDS, KERNEL_WORDS, ...words ? [words] : []];
  const seen = effect.reached > 0
    ? "got through"
    : seenIn({ stdout, stderr }, { secret: effect.secret, words: accepted });
  return seen === "held"
    ? row(true, "denied")
    : row(false, `${seen.toUpperCase()}: ${`${stdout}${stderr}`.trim()}`);
}
