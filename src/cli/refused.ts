/** A refusal on the command line. */

import type { Refusal } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Plan } from "../fence/types.ts";
import { refusalValue } from "../server/errors.ts";
import type { Screen } from "./screen.ts";

/** Message and hint as sentences, whether or not the message ends in a stop. */
export function refusalWords({ message, hint }: Refusal): string {
  return `${message.replace(/\.$/, "")}. ${hint}`;
}

/**
 * Prints a refusal: words on stderr, or with `json` the object that the tools
 * answer with on stdout. Returns the exit code, 2.
 */
export function printRefusal(
  screen: Screen,
  refusal: Refusal,
  options: { readonly json: boolean; readonly plan?: Plan },
): number {
  const { code, message, hint } = refusal;
  if (options.json) {
    const answer = refusalValue(refusal, options.plan);
    screen.out(`${JSON.stringify(answer, null, 2)}\n`);
  } else {
    screen.err(
      `skillfence: refused (${code}): ${visible(message, 1000)}\n` +
        `  ${visible(hint, 1000)}\n`,
    );
  }
  return 2;
}
