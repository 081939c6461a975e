/** What a subcommand gets from the process it runs in. */

import type { DescriptorState } from "../fence/descriptors.ts";
import type { Screen } from "./screen.ts";

/** The process, as far as the command line touches it. Injected for tests. */
export interface CliHost {
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute directory of the skills that come with the program. */
  readonly bundledSkills: string;
  /** Whether inherited descriptors are kept from scripts. */
  readonly descriptors: DescriptorState;
  readonly screen: Screen;
}
