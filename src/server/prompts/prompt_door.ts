/** Prompts as the rest of the server knows them. */

import type { Snapshot } from "../../catalog/types.ts";
import type { PromptSource } from "../../config/types.ts";
import { PromptFiles } from "../../prompt/prompt_files.ts";
import type { PromptSnapshot } from "../../prompt/types.ts";
import { type PromptTable, promptTable } from "./prompt_table.ts";

/** Prompt files, and what is offered of them and of the skills. */
export class PromptDoor {
  readonly #files: PromptFiles;
  readonly #skills: () => Promise<Snapshot>;
  /** The newest table, with the snapshots it was made of. */
  #made:
    | {
      readonly files: PromptSnapshot;
      readonly skills: Snapshot;
      readonly table: PromptTable;
    }
    | undefined;

  constructor(
    sources: readonly PromptSource[],
    skills: () => Promise<Snapshot>,
  ) {
    this.#files = new PromptFiles(sources);
    this.#skills = skills;
  }

  /** The newest snapshot; the first call reads the files. */
  snapshot(): Promise<PromptSnapshot> {
    return this.#files.snapshot();
  }

  /** A snapshot of what is on disk now. */
  rescan(): Promise<PromptSnapshot> {
    return this.#files.rescan();
  }

  /** Every prompt there is, of the newest snapshots. */
  async offered(): Promise<PromptTable> {
    const skills = await this.#skills();
    const files = await this.#files.snapshot();
    const made = this.#made;
    if (made?.files === files && made.skills === skills) return made.table;
    const table = promptTable(files, skills);
    this.#made = { files, skills, table };
    return table;
  }
}
