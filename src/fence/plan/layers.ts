/** The layers of the fence and whether they are in force. */

import type { OsLayer, OsOff } from "../../os/types.ts";
import type { Manner } from "./confine.ts";
import type { OsState } from "../os_layer.ts";
import type { Layer } from "../types.ts";

const DECISION: Layer = {
  name: "decision",
  on: true,
  note:
    "only a declared and granted script runs, after a preview and a confirmation, when its files pass the checks",
};
const PURE: Layer = {
  ...DECISION,
  note:
    "only a command that the owner wrote down word for word in MCP_SKILL_RENDER runs, when the skill's files pass the checks; nobody confirms it",
};
const WORKER =
  "the runtime's permission flags, obeyed by imports too since the script runs as a worker's main module";
const MAIN =
  "the runtime's permission flags: file reads rest on layer 3 (os) alone, since they do not cover a main module's imports; all other permissions rest on both";

/**
 * As a Plan states them for its script, or (without a manner) as a listing
 * states them for all.
 */
export function fenceLayers(
  { wanted, layer, off }: OsState,
  manner?: Manner,
  pure = false,
): readonly Layer[] {
  const realm = manner?.realm ??
    (layer?.by === "bwrap" && wanted !== "bwrap+worker" ? "main" : "worker");
  return [
    pure ? PURE : DECISION,
    {
      name: "permissions",
      on: true,
      note: realm === "main" ? MAIN : WORKER,
    },
    layer === undefined
      ? { name: "os", on: false, note: whyOff(wanted, off) }
      : { name: "os", on: true, note: whatItDoes(layer, manner) },
  ];
}

function whatItDoes(layer: OsLayer, manner: Manner | undefined): string {
  const network = manner === undefined ? "" : `; ${NETWORK[manner.network]}`;
  if (layer.by === "bwrap") {
    return `bubblewrap ${layer.version}: own namespaces, only the skill and what is granted is there, system calls filtered${network}`;
  }
  const rest = manner?.network === "none"
    ? undefined
    : layer.abi < 6
    ? "sockets of the host by path and by abstract name"
    : "sockets of the host by path";
  const sockets = rest === undefined
    ? ""
    : `; ${rest} rest on the permission flags`;
  const signals = layer.abi < 6
    ? "; signals to this account's other processes are left to them as well"
    : "";
  return `Landlock (ABI ${layer.abi}): files outside cannot be opened, though their existence can be seen; system calls filtered${sockets}${signals}${network}`;
}

const NETWORK: Readonly<Record<Manner["network"], string>> = {
  none: "no network",
  proxy: "no network but the socket of this run's proxy",
  open:
    "the host's network is shared, so hosts rest on the permission flags alone",
};

function whyOff(wanted: OsState["wanted"], off: readonly OsOff[]): string {
  const rest = "a flaw of the runtime is not caught";
  if (wanted === "off") {
    return `turned off by SKILLFENCE_OS_FENCE=off: ${rest}`;
  }
  if (Deno.build.os !== "linux") return `not on this platform: ${rest}`;
  const why = off.map(({ message }) => message).join("; ");
  return `${why || "none holds here"}: ${rest}. See: skillfence doctor`;
}
