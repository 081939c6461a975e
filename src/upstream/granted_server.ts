/** What starts a granted server, worked out before anything does. */

import { join } from "node:path";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { listed } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import { dataDirFor } from "../fence/disk/data_dir.ts";
import type { CheckedDir } from "../fence/preflight/checked_dir.ts";
import { realPathSoFar } from "../fence/preflight.ts";
import { demanded, type OsState } from "../fence/os_layer.ts";
import type { McpRow } from "../grant/types.ts";
import { nativeObstacle } from "../os/native.ts";
import { nativePlaces } from "../os/native_places.ts";
import type { Account, OsLayer } from "../os/types.ts";
import type { ServerDeclaration } from "./declared.ts";
import { expand, type Expanded, SKILL_ROOT } from "./expand.ts";
import { admittedAddress } from "./http_way.ts";
import { findServerProgram, type ServerProgram } from "./program.ts";

/** What the owner's row gives; a pin has it from its flags. */
export type Rights = Pick<McpRow, "env" | "net" | "unfenced" | "url"> & {
  /** A pin's: `url` is what the address comes to. */
  readonly thisUrl?: boolean;
};

/** How a server's process is held. */
export type ServerFence =
  | { readonly by: "layer"; readonly layer: OsLayer }
  /** `account`: what scripts run as, where that is not the server's own. */
  | { readonly by: "none" };

/** A server that can be started: everything that is known beforehand. */
export interface GrantedServer {
  readonly skill: Skill;
  readonly declared: ServerDeclaration;
  readonly rights: Rights;
  readonly expanded: Expanded;
  readonly account: Account | undefined;
  /** Undefined for an address. */
  readonly process: GrantedProcess | undefined;
  /** Granted variables that are set, with their values. */
  readonly values: Readonly<Record<string, string>>;
  /** Granted names that are not set. */
  readonly notSet: readonly string[];
}

/** What a process is started with. Absolute real paths. */
export interface GrantedProcess {
  readonly program: ServerProgram;
  readonly fence: ServerFence;
  readonly dataDir: string | undefined;
  /** What is shown of the skill; undefined for a flat file. */
  readonly skillDir: string | undefined;
  readonly checked: CheckedDir | undefined;
}

/** What of this machine it depends on. */
export interface Ground {
  readonly config: Pick<Config, "env" | "dataDir">;
  readonly account: Result<Account | undefined>;
  readonly os: OsState;
  /** Real paths of our own executable and main module. */
  readonly ourselves: readonly string[];
}

/** What stands beside the declaration. */
export interface GrantedInput {
  readonly skill: Skill;
  readonly declared: ServerDeclaration;
  readonly rights: Rights;
  readonly checked: CheckedDir | undefined;
}

/** Works it out, or says why it cannot start here. Starts and makes nothing. */
export async function grantedServer(
  { skill, declared, rights, checked }: GrantedInput,
  { config, account, os, ourselves }: Ground,
): Promise<Result<GrantedServer>> {
  const values: Record<string, string> = Object.create(null);
  for (const name of rights.env) {
    const value = config.env(name);
    if (value !== undefined) values[name] = value;
  }
  const known = new Map(Object.entries(values));
  if (!skill.flat) known.set(SKILL_ROOT, skill.dir);
  const expanded = expand(declared.transport, known);
  if (expanded.missing.length > 0) {
    return refuse(
      "NOT_GRANTED",
      `no value for ${listed(expanded.missing, 10)}`,
      `Set it in this server's environment, and name it in \`env\` of the row in MCP_SKILL_MCP: \`skillfence mcp pin\` with ${
        listed(expanded.missing.map((name) => `--env ${name}`), 10)
      } prints such a row.`,
    );
  }
  if (!account.ok) return account;
  const address = expanded.transport.kind === "http"
    ? expanded.transport.url
    : undefined;
  const meant = rights.thisUrl ? address : rights.url;
  const common = {
    skill,
    declared,
    rights: { ...rights, url: meant },
    expanded,
    account: account.value,
    values,
    notSet: rights.env.filter((name) => !(name in values)),
  };
  const { transport } = expanded;
  if (transport.kind === "http") {
    const { url } = transport;
    const to = admittedAddress(url, meant === url);
    return to.ok ? ok({ ...common, process: undefined }) : to;
  }
  const program = await findServerProgram(transport.command, transport.args, {
    skillDir: skill.flat ? undefined : skill.dir,
    searchPath: config.env("PATH"),
    home: config.env("HOME"),
    account: account.value,
    places: nativePlaces(),
    ourselves,
  });
  if (!program.ok) return program;
  const fence = fenceFor(rights, os, account.value);
  if (!fence.ok) return fence;
  return ok({
    ...common,
    process: {
      program: program.value,
      fence: fence.value,
      dataDir: config.dataDir === undefined ? undefined : join(
        realPathSoFar(config.dataDir),
        dataDirFor(skill.name),
      ),
      skillDir: skill.flat ? undefined : skill.dir,
      checked,
    },
  });
}

/**
 * The layer where it holds a native program; nothing only where the row says
 * so and the kernel still keeps this server's environment from its children.
 */
export function fenceFor(
  { unfenced }: Pick<Rights, "unfenced">,
  os: OsState,
  account: Account | undefined,
): Result<ServerFence> {
  const held = demanded(os);
  if (!held.ok) return held;
  const { layer } = os;
  const obstacle = layer && nativeObstacle(layer);
  if (layer !== undefined && obstacle === undefined) {
    return ok({ by: "layer", layer });
  }
  const why = obstacle ??
    (os.wanted === "off"
      ? "SKILLFENCE_OS_FENCE is off"
      : os.off.map(({ message }) => message).join("; ") ||
        "no layer of the operating system holds here");
  if (!unfenced) {
    return refuse(
      "FENCE_UNAVAILABLE",
      `no layer holds it: ${why}`,
      'Run `skillfence doctor`: it says what would turn a layer on. A row with "unfenced": true lets it start without one.',
    );
  }
  if (account === undefined && Deno.build.os === "linux" && Deno.uid() === 0) {
    return refuse(
      "FENCE_UNAVAILABLE",
      "unfenced, it would run as root and could read this server's environment",
      "Start this server as an ordinary user, or let it change accounts.",
    );
  }
  if (Deno.build.os !== "linux") {
    return refuse(
      "FENCE_UNAVAILABLE",
      "on this system nothing would keep this server's environment from it",
      "Declared servers that are programs start on Linux alone.",
    );
  }
  return ok({ by: "none" });
}
