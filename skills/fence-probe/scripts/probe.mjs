// Runs every attempt, says how each ended, exits 3 when one got through.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { attempts, controls } from "../lib/attempts.mjs";

/** The fence's own refusals, by name or by what they say. */
const DENIED =
  /NotCapable|PermissionDenied|Requires \w+ access|EACCES|EPERM|not allowed/;
const LOADER = /--no-remote|--no-npm/;
/** Where a sandbox stands around the script, what lies outside is not there. */
const ABSENT = /Module not found|NotFound|ENOENT/;

function outcomeOf(error) {
  const text = `${error?.name}: ${error?.message}`;
  const isDenied = [DENIED, LOADER, ABSENT].some((words) => words.test(text));
  return isDenied ? "denied" : "failed";
}

async function tryOne([what, action], control) {
  try {
    const got = await action();
    return {
      what,
      outcome: control ? "ok" : "GOT THROUGH",
      detail: String(got),
    };
  } catch (error) {
    const detail = String(error?.message ?? error).split("\n")[0].slice(0, 160);
    return { what, outcome: outcomeOf(error), detail };
  }
}

const rows = [];
for (const control of controls) rows.push(await tryOne(control, true));
const controlFailed = rows.some((row) => row.outcome !== "ok");
for (const attempt of attempts) rows.push(await tryOne(attempt, false));

const width = Math.max(...rows.map((row) => row.what.length));
for (const row of rows) {
  console.log(
    `${row.outcome.padEnd(11)}  ${row.what.padEnd(width)}  ${row.detail}`,
  );
}
const through = rows.filter((row) => row.outcome === "GOT THROUGH");
console.log(
  `${rows.filter((row) => row.outcome === "denied").length} denied, ` +
    `${rows.filter((row) => row.outcome === "failed").length} failed, ` +
    `${through.length} got through`,
);
writeFileSync(
  join(process.env.SKILL_OUT, "probe.json"),
  JSON.stringify(rows, null, 2) + "\n",
);
process.exitCode = through.length > 0 ? 3 : controlFailed ? 1 : 0;
