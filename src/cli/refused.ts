/** A refusal on the command line. */

import type { Refusal } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Plan } from "../fence/types.ts";
import { refusalValue } from "../server/errors.ts";
import type { Screen } from "./screen.ts";

/** Names of tools and their arguments, and what stands for them here. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/\bCall skill_list with reload: true\b/g, "Run `skillfence list`"],
  [/\bskill_list\b/g, "`skillfence list`"],
  [/\bplanDigest\b/g, "--plan-digest"],
];

/** Whoever types a name without the server's flags looks at other skills. */
const SAME_FLAGS =
  " Give the --skills, --skill-dir and --workspace that the server has, too.";

/** The refusal with commands in its hint where it names the tools of clients. */
export function forCommandLine(refusal: Refusal): Refusal {
  const hint = COMMANDS.reduce(
    (text, [tool, command]) => text.replaceAll(tool, command),
    refusal.hint,
  );
  return {
    ...refusal,
    hint: refusal.code === "UNKNOWN_SKILL" ? `${hint}${SAME_FLAGS}` : hint,
  };
}

/** Message and hint as sentences, whether or not the message ends in a stop. */
export function refusalWords(refusal: Refusal): string {
  const { message, hint } = forCommandLine(refusal);
  return `${message.replace(/\.$/, "")}. ${hint}`;
}

/**
 * Prints a refusal: words on stderr, or with `json` the object that the tools
 * answer with on stdout; hints name commands either way. Returns the exit code,
 * 2.
 */
export function printRefusal(
  screen: Screen,
  refusal: Refusal,
  options: { readonly json: boolean; readonly plan?: Plan },
): number {
  const said = forCommandLine(refusal);
  const { code, message, hint } = said;
  if (options.json) {
    const answer = refusalValue(said, options.plan);
    screen.out(`${JSON.stringify(answer, null, 2)}\n`);
  } else {
    screen.err(
      `skillfence: refused (${code}): ${visible(message, 1000)}\n` +
        `  ${visible(hint, 1000)}\n`,
    );
  }
  return 2;
}
