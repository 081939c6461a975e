/** Config values for tests, read the way the product reads them. */

import {
  type ConfigReading,
  type Flags,
  readConfig,
} from "../../src/config/read_config.ts";

/** Reads a Config from exactly this environment; roots default to none. */
export function setup(
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: Flags;
    readonly root?: string;
  } = {},
): ConfigReading {
  const { env = {}, flags = {}, root = "/no-such-root" } = options;
  return readConfig({ env, flags, cwd: "/", bundledSkills: root });
}
