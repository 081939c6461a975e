/** `skillfence list`: the skills, and what is wrong with them. */

import { visible } from "../base/text.ts";
import type { Flags } from "../config/read_config.ts";
import { createEngine } from "../server/engine.ts";
import { STRANGERS_NOTE } from "../server/list_notes.ts";
import type { PromptTable } from "../server/prompts/prompt_table.ts";
import { promptNotes } from "../server/prompts/prompt_text.ts";
import type { CliHost } from "./host.ts";
import { fullListing, type Listing } from "./listing.ts";
import { withProgress } from "./progress.ts";
import { readSkills } from "./read_skills.ts";
import {
  countProblems,
  showProblems,
  showPrompts,
  showSkills,
} from "./show_list.ts";
import type { Screen } from "./screen.ts";
import { startConfig } from "./start.ts";
import { table } from "./table.ts";

/** Prints the listing. Returns 0; problems do not change it, see `check`. */
export async function list(
  host: CliHost,
  flags: Flags,
  options: { readonly json: boolean },
): Promise<number> {
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  const engine = createEngine(config);
  try {
    const listing = await withProgress(
      host.screen,
      "Reading skills",
      async (report) => fullListing(engine, await readSkills(engine, report)),
    );
    if (options.json) {
      host.screen.out(`${JSON.stringify(listing, null, 2)}\n`);
    } else {
      printListing(host.screen, listing, {
        table: await engine.prompts.offered(),
        notes: promptNotes(await engine.prompts.snapshot()),
      });
    }
    return 0;
  } finally {
    engine.runner.closeSync();
  }
}

/** What is offered, and what `skill_list` says of it to models. */
interface Prompts {
  readonly table: PromptTable;
  readonly notes: readonly string[];
}

/** The listing for people. */
function printListing(
  screen: Screen,
  listing: Listing,
  prompts: Prompts,
): void {
  const { roots, rootsFrom, skills, problems, notes } = listing;
  screen.out(`${showSkills(skills, screen)}\n\n`);
  if (prompts.notes.length > 0) {
    screen.out(`${showPrompts(prompts.table)}\n\n`);
  }
  if (problems.length > 0) {
    screen.out(`${showProblems(problems, screen, roots)}\n\n`);
  }
  // These are for models, and the first is true only where notes come first.
  const forModels = [STRANGERS_NOTE, ...prompts.notes];
  const rows = notes.filter((note) => !forModels.includes(note)).map((note) => [
    { text: visible(note, 800), paint: screen.paint.quiet },
  ]);
  screen.out(`${table(rows, { columns: screen.columns })}\n`);
  const where = roots.length === 0
    ? ""
    : ` in ${roots.map((root) => visible(root)).join(", ")}`;
  screen.out(
    `${skills.length} ${skills.length === 1 ? "skill" : "skills"}${where}` +
      ` (${rootsFrom}); ${countProblems(problems)}\n`,
  );
}
