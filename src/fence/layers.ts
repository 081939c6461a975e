/** The layers of the fence and whether they are in force. */

import type { Layer } from "./types.ts";

/** As every Plan states them. */
export function fenceLayers(): readonly Layer[] {
  return [
    {
      name: "decision",
      on: true,
      note:
        "only a declared and granted script runs, after a preview and a confirmation, when its files pass the checks",
    },
    {
      name: "permissions",
      on: true,
      note:
        "the runtime's permission flags, obeyed by imports too since the script runs as a worker's main module",
    },
    {
      name: "os",
      on: false,
      note: Deno.build.os === "linux"
        ? "the operating system's own confinement comes later: a flaw of the runtime is not caught"
        : "not on this platform: a flaw of the runtime is not caught",
    },
  ];
}
