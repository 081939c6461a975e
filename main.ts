/** skillfence: the entry of the source form and of the executable. */

import metadata from "./deno.json" with { type: "json" };

// Started again as the launcher: loaded first, and alone, as each run waits.
if (Deno.args[0] === "__confine") {
  const { launch } = await import("./src/os/launcher.ts");
  launch(Deno.args.slice(1));
}

const { join } = await import("node:path");
const { runCli } = await import("./src/cli/run_cli.ts");
const { processScreen } = await import("./src/cli/screen.ts");
const { keepDescriptorsFromChildren } = await import(
  "./src/fence/descriptors.ts"
);

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
