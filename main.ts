/** skillfence: the entry of the source form and of the executable. */

import { join } from "node:path";
import metadata from "./deno.json" with { type: "json" };
import { runCli } from "./src/cli/run_cli.ts";
import { processScreen } from "./src/cli/screen.ts";
import { keepDescriptorsFromChildren } from "./src/fence/descriptors.ts";

// Before anything is started: an inherited socket needs no permission to use.
const descriptors = keepDescriptorsFromChildren();
const env = Deno.env.toObject();

Deno.exit(
  await runCli(Deno.args, {
    version: metadata.version,
    env,
    cwd: Deno.cwd(),
    bundledSkills: join(import.meta.dirname!, "skills"),
    descriptors,
    screen: processScreen((name) => env[name]),
  }),
);
