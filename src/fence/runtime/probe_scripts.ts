/** The scripts that try to break out of a runtime, and what they report. */

/** A variable of the process that the scripts are not granted. */
export const HIDDEN_NAME = "PROBE_HIDDEN";
/** What a module outside the readable directories prints when it is reached. */
export const REACHED = "reached-outside";

/** A static import is asked about only where the worker rule holds. */
export const GRAPH_SCRIPT = 'import "../outside/secret.mjs";\n';

/**
 * Prints a JSON object: `inside` and `shown` must be true, the rest false,
 * except `fetched` and `connected` in the control run.
 */
export const CHECK_SCRIPT = `
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import process from "node:process";

const [outside, port] = process.argv.slice(2);
const report = {
  inside: fs.readFileSync(new URL("inside.txt", import.meta.url), "utf8") === "inside",
  shown: process.env.TMPDIR !== undefined,
  hidden: process.env.${HIDDEN_NAME} !== undefined,
};
const helper = process.env.TMPDIR + "/helper.mjs";
fs.writeFileSync(helper, "import " + JSON.stringify(outside) + ";");
report.required = await attempt(() => createRequire(import.meta.url)(helper));
report.read = await attempt(() => fs.readFileSync(new URL(outside)));
report.fetched = await attempt(() => fetch("http://localhost:" + port));
report.connected = await attempt(() =>
  new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), "localhost");
    socket.on("connect", () => resolve(socket.destroy()));
    socket.on("error", reject);
  })
);
console.log(JSON.stringify(report));

async function attempt(action) {
  try {
    await action();
    return true;
  } catch {
    return false;
  }
}
`;

/** What the check script reports. */
export interface Report {
  readonly inside: boolean;
  readonly shown: boolean;
  readonly hidden: boolean;
  readonly required: boolean;
  readonly read: boolean;
  readonly fetched: boolean;
  readonly connected: boolean;
}

/** Reads what the check script wrote to stdout; undefined when it is no report. */
export function readReport(stdout: string): Report | undefined {
  const line = stdout.trim().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line) as Report;
  } catch {
    return undefined;
  }
}
