/**
 * Probes Landlock with the options given as JSON and prints the outcome: for
 * tests that put the prober itself into another surrounding.
 */

import { probeLandlock } from "../../src/os/landlock_probe.ts";

const probed = await probeLandlock(JSON.parse(Deno.args[0]!));
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(probed)));
