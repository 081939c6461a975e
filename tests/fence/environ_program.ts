/**
 * A server of its own process for `server_environ_test.ts`: runs the script of
 * the root, by flags and layer or by the layer alone, and prints what it says.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PreparedRun } from "../../src/fence/types.ts";
import { captured, openFence } from "../support/fenced.ts";

const [root = "", mode = "", alone] = Deno.args;

using fence = openFence({ root, env: { SKILLFENCE_OS_FENCE: mode } });
const prepared = await fence.prepare("a.mjs", { args: [String(Deno.pid)] });
if (!prepared.ok) throw new Error(prepared.message);
const ran = await fence.engine.runner.run(
  alone === undefined ? prepared.value : withoutFlags(prepared.value),
  {},
);
if (!ran.ok) throw new Error(ran.message);
const text = captured(ran.value.stdout) + captured(ran.value.stderr);
Deno.stdout.writeSync(new TextEncoder().encode(text));

/** The same run as the main module under `-A`. */
function withoutFlags(prepared: PreparedRun): PreparedRun {
  const { plan } = prepared;
  const script = pathToFileURL(join(plan.cwd, plan.script)).href;
  const flags = ["run", "-A", "--quiet", "--no-config", script, ...plan.argv];
  return { ...prepared, plan: { ...plan, flags } };
}
