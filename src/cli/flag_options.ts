/** The flags of a Config as options of the parser. */

import { type Command, Option } from "commander";
import { FLAG_WORDS, type GivenFlag } from "./flag_words.ts";

/** Adds the flags to a command; each that is given is noted in `given`. */
export function withFlags(
  command: Command,
  given: GivenFlag[],
  options: { json: boolean },
): Command {
  command.helpOption("-h, --help", "print this help")
    .allowExcessArguments(false);
  const serves = command.parent === null || command.name() === "serve";
  for (const { name, value, meaning, serves: servesOnly } of FLAG_WORDS) {
    if (servesOnly && !serves) continue;
    command.addOption(
      new Option(
        `--${name}${value === undefined ? "" : ` <${value}>`}`,
        meaning,
      ),
    );
    command.on(
      `option:${name}`,
      (text?: string) => given.push([name, text ?? ""]),
    );
  }
  if (options.json) command.option("--json", "print JSON");
  return command;
}
