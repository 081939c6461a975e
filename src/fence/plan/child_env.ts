/** Which variables a script's process gets, and which of them it may read. */

import { PROXY_VARIABLES } from "../../config/variables.ts";
import type { Network } from "../../os/types.ts";
import { proxyVariables, type ProxyWay } from "../../proxy/forwarder.ts";

/** Set by the runner, different in every run. */
const PER_RUN: readonly string[] = [
  "HOME",
  "TMPDIR",
  "SKILL_OUT",
  "DENO_DIR",
  "DENO_AUDIT_PERMISSIONS",
];
/** Passed on from the server when set. */
const PASSED_ON: readonly string[] = ["PATH", "LANG", "TZ"];
const CONSTANT: Readonly<Record<string, string>> = {
  // WebGPU loads the machine's drivers, and libraries that files in HOME name,
  // without any permission (Deno 2.9.6): there is no backend of this name.
  DENO_WEBGPU_BACKEND: "none",
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
};
/** Of the process, not of the script: they may hold credentials. */
const PROXY_NAMES: readonly string[] = [
  ...PROXY_VARIABLES,
  "NO_PROXY",
  "no_proxy",
];

/**
 * What glibc is told about names: an AAAA record can spell a private IPv4
 * address, and Deno 2.9.6 does not hold that against the denied ranges.
 */
const RESOLVER = "RES_OPTIONS";

/** What the environment is made of. */
export interface ChildEnvInput {
  /** The server's own environment; blank is undefined. */
  readonly env: (name: string) => string | undefined;
  /** Names the script asks for. */
  readonly declared: readonly string[];
  /** Names it may be handed: a subset. */
  readonly granted: readonly string[];
  /** Those of them whose values stay at the run's proxy. */
  readonly held: readonly string[];
  /** What it sees as `MCP_DATA_DIR`. */
  readonly dataDir: string | undefined;
  /** `open`: the process resolves names, and goes through the server's proxy. */
  readonly network: Network;
  /** Where the run's own proxy is. */
  readonly way: ProxyWay | undefined;
}

/** A child's environment. */
export interface ChildEnv {
  /** Every name of the process, sorted. */
  readonly handed: readonly string[];
  /** Names the script may read, sorted. */
  readonly readable: readonly string[];
  /** Granted names that are set, sorted. */
  readonly granted: readonly string[];
  /** Granted names that are not set, sorted. */
  readonly notSet: readonly string[];
  /** Declared names that are not granted, sorted. */
  readonly notGranted: readonly string[];
  /** Values of the names that are the same in every run. */
  readonly values: Readonly<Record<string, string>>;
}

/** The environment of one child. Pure: asks `env` and nothing else. */
export function childEnvironment(input: ChildEnvInput): ChildEnv {
  const { env, declared, dataDir } = input;
  const values: Record<string, string> = Object.create(null);
  const take = (name: string) => {
    const value = env(name);
    if (value !== undefined) values[name] = value;
  };
  const asked = input.granted.filter((name) => declared.includes(name));
  // Own names come last: nothing that was granted may stand in for them.
  asked.filter((name) => !input.held.includes(name)).forEach(take);
  PASSED_ON.forEach(take);
  if (input.network === "open") PROXY_NAMES.forEach(take);
  if (dataDir !== undefined) values.MCP_DATA_DIR = dataDir;
  Object.assign(values, CONSTANT);
  if (input.network === "open") {
    values[RESOLVER] = `${env(RESOLVER) ?? ""} no-aaaa`.trimStart();
  }
  const perRun = [
    ...PER_RUN,
    ...input.held,
    // Their values are of this run too: they name its socket.
    ...input.way === undefined ? [] : Object.keys(proxyVariables(input.way)),
  ];
  for (const name of perRun) delete values[name];
  const handed = [...Object.keys(values), ...perRun].sort();
  return {
    handed,
    readable: handed.filter((name) =>
      !/^(?:DENO|NODE)_/.test(name) && !PROXY_NAMES.includes(name) &&
      name !== RESOLVER
    ),
    granted: asked.filter((name) => handed.includes(name) && name !== RESOLVER)
      .sort(),
    notSet: asked.filter((name) => env(name) === undefined).sort(),
    notGranted: declared.filter((name) => !asked.includes(name)).sort(),
    values,
  };
}
