/** The one place that builds a child's command line. */

import { pathToFileURL } from "node:url";
import type { HostPattern } from "../../skill/types.ts";
import { denyRanges } from "./deny_ranges.ts";
import { hostModuleUrl, importMapUrl } from "./host_module.ts";
import type { Interpreter } from "../interpreters.ts";
import { SCRATCH } from "./placeholders.ts";
import type { Manner } from "./confine.ts";
import {
  proxyFlags,
  type ProxyPermissions,
  proxyPermissions,
  type ProxyWay,
} from "../../proxy/forwarder.ts";
import { wayOut } from "./way_out.ts";
import type { Workspace } from "../types.ts";

/** What the flags are made of. Every path is absolute and real. */
export interface FlagInput {
  readonly interpreter: Interpreter;
  readonly script: string;
  readonly manner: Manner;
  readonly skillDir: string;
  readonly dataDir: string | undefined;
  readonly workspace: Workspace | undefined;
  /** Directories below the readable ones that stay closed. */
  readonly closed: readonly string[];
  /** What may be reached; nothing else, and nothing at all when empty. */
  readonly hosts: readonly HostPattern[];
  /** Private addresses that are meant: they fall out of the denied ranges. */
  readonly openAddresses: readonly string[];
  /** Those of them, with a port, that stay denied: `127.0.0.1:443`. */
  readonly closedPorts: readonly string[];
  /** Variables the script may read; the others look unset. */
  readonly readableEnv: readonly string[];
  readonly v8Flags: readonly string[];
  readonly args: readonly string[];
}

/**
 * The command line after the runtime's own path, ending in the `data:` URL of
 * the host module, or the script's own URL where it is the main module, and the
 * script's arguments.
 */
export function buildFlags(input: FlagInput): string[] {
  const data = input.dataDir === undefined ? [] : [input.dataDir];
  const readable = input.workspace === undefined ? [] : [input.workspace.dir];
  const writable = input.workspace?.mode === "write" ? readable : [];
  const way = wayOut(input.manner);
  const proxy = way === undefined ? NO_PERMISSIONS : proxyPermissions(way);
  return [
    "run",
    "--quiet",
    "--no-prompt",
    // A configuration of the skill, or above it, would set imports and more.
    "--no-config",
    "--no-lock",
    // `npm:` and the default import hosts are fetched without any permission.
    "--no-remote",
    "--no-npm",
    "--cached-only",
    // In manual mode `require` reads any path with a `node_modules` part.
    "--node-modules-dir=none",
    "--no-check",
    "--no-code-cache",
    `--import-map=${importMapUrl()}`,
    ...input.interpreter.flags,
    ...way === undefined ? [] : proxyFlags(way),
    ...list("--allow-read", [
      ...[input.skillDir, ...data, ...readable, SCRATCH],
      ...proxy.paths,
    ]),
    ...list("--deny-read", input.closed),
    ...list("--allow-write", [
      ...[...data, ...writable, SCRATCH],
      ...proxy.paths,
    ]),
    `--deny-write=${SCRATCH}/in`,
    ...list("--allow-env", input.readableEnv),
    "--ignore-env",
    "--deny-run",
    "--deny-ffi",
    "--deny-import",
    ...netFlags(input, way),
    `--v8-flags=${input.v8Flags.join(",")}`,
    input.manner.realm === "main"
      ? pathToFileURL(input.script).href
      : hostModuleUrl(input.script, input.manner.by !== "bwrap"),
    ...input.args,
  ];
}

const NO_PERMISSIONS: ProxyPermissions = { net: [], paths: [] };

function netFlags(
  { hosts, openAddresses, closedPorts }: FlagInput,
  way: ProxyWay | undefined,
): string[] {
  // Without a list the flag denies every host.
  if (hosts.length === 0) return ["--deny-net"];
  // The sandbox's own loopback, on which nothing but the way out listens.
  const own = way?.port === undefined ? [] : ["127.0.0.1"];
  return [
    ...list("--allow-net", [
      ...hosts.flatMap(destinations),
      ...way === undefined ? [] : proxyPermissions(way).net,
    ]),
    ...list("--deny-net", [
      ...denyRanges([...openAddresses, ...own]),
      ...closedPorts,
    ]),
  ];
}

/** A pattern as Deno's own: one item for each port. */
function destinations({ kind, host, ports }: HostPattern): string[] {
  const name = kind === "wildcard"
    ? `*.${host}`
    : kind === "ipv6"
    ? `[${host}]`
    : host;
  return ports.map((port) => `${name}:${port}`);
}

/** A list flag, left out when empty: without items it would mean everything. */
function list(flag: string, items: readonly string[]): string[] {
  const distinct = [...new Set(items)];
  return distinct.length === 0 ? [] : [`${flag}=${distinct.join(",")}`];
}
