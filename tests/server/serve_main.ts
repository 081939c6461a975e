/** The stdio server alone, for tests of `src/server/` without the command line. */

import { readConfig } from "../../src/config/read_config.ts";
import { serveStdio } from "../../src/server/stdio.ts";

const { config } = readConfig({
  env: Deno.env.toObject(),
  flags: {
    skills: Deno.args.filter((arg) => !arg.startsWith("--")),
    noRun: Deno.args.includes("--no-run"),
  },
  cwd: Deno.cwd(),
  bundledSkills: `${import.meta.dirname}/../../skills`,
});
Deno.exit(await serveStdio({ config, version: "0.0.0-test" }));
