/**
 * The two modules of ours that a child loads, both as `data:` URLs: they need
 * no file, and the script's path stays out of `Deno.args` and the environment.
 */

import { pathToFileURL } from "node:url";
import { SERVER } from "./placeholders.ts";

/**
 * Bare names of Node's builtins under Deno 2.9.6, without those that exist only
 * with the `node:` prefix.
 */
export const BARE_BUILTINS: readonly string[] = [
  "assert",
  "assert/strict",
  "async_hooks",
  "buffer",
  "child_process",
  "cluster",
  "console",
  "constants",
  "crypto",
  "dgram",
  "diagnostics_channel",
  "dns",
  "dns/promises",
  "domain",
  "events",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "inspector",
  "inspector/promises",
  "module",
  "net",
  "os",
  "path",
  "path/posix",
  "path/win32",
  "perf_hooks",
  "process",
  "punycode",
  "querystring",
  "readline",
  "readline/promises",
  "repl",
  "stream",
  "stream/consumers",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "sys",
  "timers",
  "timers/promises",
  "tls",
  "trace_events",
  "tty",
  "url",
  "util",
  "util/types",
  "v8",
  "vm",
  "wasi",
  "worker_threads",
  "zlib",
];

/** How often the program looks whether its server still lives. */
const ORPHAN_MS = 500;

/**
 * A `data:` URL of the program that starts the script at this absolute real
 * path as the main module of a worker, and ends as the script ends.
 *
 * In a worker the module loader asks the permission flags about every module;
 * in the main realm a static import, and `require` of an ES module, is not
 * asked about at all. The program prints nothing: the runtime reports an
 * uncaught error of a worker itself. It ends, and the script with it, within a
 * second of its server's death.
 *
 * With `child` the program is the server's own child, as it is not in a
 * sandbox's process namespace: the URL then ends in the placeholder of the
 * server's number, and no script is started once that server is gone and
 * process 1 has adopted what it left.
 */
export function hostModuleUrl(
  scriptRealPath: string,
  child: boolean = false,
): string {
  const script = JSON.stringify(pathToFileURL(scriptRealPath).href);
  const program = dataUrl(
    "text/javascript",
    `import { Worker } from "node:worker_threads";` +
      // A server that was killed cannot end its script; its absence can.
      `const parent = Deno.ppid;` +
      `const look = () => { if (Deno.ppid !== parent) Deno.exit(1); };` +
      // A runtime may be a program that starts another, so that the parent need
      // not be the server; process 1 is one only where it is the server.
      `const server = Number(new URL(import.meta.url).hash.slice(1)) || parent;` +
      `if (parent === 1 && server !== 1) Deno.exit(1);` +
      `new Worker(new URL(${script}), { argv: Deno.args })` +
      // An error event that nobody listens to would be thrown here as well.
      `.on("error", () => {})` +
      `.on("exit", (code) => Deno.exit(code));` +
      `Deno.unrefTimer(setInterval(look, ${ORPHAN_MS}));`,
  );
  return child ? `${program}#${SERVER}` : program;
}

/** A `data:` URL of the import map that gives Node's builtins their bare names. */
export function importMapUrl(): string {
  const imports = Object.fromEntries(
    BARE_BUILTINS.map((name) => [name, `node:${name}`]),
  );
  return dataUrl("application/json", JSON.stringify({ imports }));
}

function dataUrl(type: string, text: string): string {
  // Only the characters that the URL standard leaves alone in a path stay bare.
  return `data:${type},${encodeURIComponent(text).replaceAll("'", "%27")}`;
}
