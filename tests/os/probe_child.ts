/** Probes as another program would, and prints the outcome. For tests. */

import { probeBwrap } from "../../src/os/bwrap_probe.ts";

const [runtime = "", tmpDir = ""] = Deno.args;
const probed = await probeBwrap({
  runtime,
  tmpDir,
  prefix: "probe-",
  account: undefined,
  searchPath: undefined,
  cacheDir: undefined,
});
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(probed)));
