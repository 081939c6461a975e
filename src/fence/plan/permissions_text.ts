/** A Plan in words. Strangers' text goes through `visible`. */

import { listed, visible } from "../../base/text.ts";
import type { HostPattern } from "../../skill/types.ts";
import { isPrivateHost } from "../../skill/private_hosts.ts";
import type { Reach } from "./reach.ts";
import type { Manner } from "./confine.ts";
import type { HeldName, Workspace } from "../types.ts";

/** What the words are about. */
export interface PermissionFacts {
  readonly interpreter: string;
  readonly skillDir: string;
  readonly dataDir: string | undefined;
  readonly workspace: Workspace | undefined;
  /** The script asks for a workspace. */
  readonly asksForWorkspace: boolean;
  /** Closed entries of the skill and of a workspace, relative. */
  readonly closed: readonly string[];
  readonly reach: Reach;
  /** Variables handed over by the grant. */
  readonly granted: readonly string[];
  /** Those of them that nobody but the skill granted. */
  readonly selfGranted: readonly string[];
  /** Those whose values stay at the proxy. */
  readonly held: readonly HeldName[];
  /** Secrets with hosts of their own that are handed over all the same. */
  readonly plain: readonly string[];
  readonly manner: Manner;
  readonly asksForSockets: boolean;
  /** The account, where it is not the server's own; 0 where that is root. */
  readonly uid: number | undefined;
  readonly timeoutMs: number;
  readonly smallMemoryMiB: number | undefined;
  /** See `narrowedInWords`. */
  readonly narrowed: readonly string[];
}

/** Names listed in one sentence at most. */
const LISTED = 8;
/** Where many clients give up on a call, in ms. */
const CLIENTS_WAIT_MS = 60_000;

/** One sentence for each thing the script may do. */
export function permissionsInWords(facts: PermissionFacts): string[] {
  const { workspace, dataDir, reach } = facts;
  const except = facts.closed.length === 0
    ? ""
    : `, except ${shown(facts.closed)}`;
  return [
    `reads the skill's own directory ${visible(facts.skillDir)}${except}`,
    "reads and writes a scratch directory made for this run and removed after it",
    ...(dataDir === undefined ? [] : [
      `reads and writes the skill's data directory ${
        visible(dataDir)
      }, which stays from run to run`,
    ]),
    ...(workspace === undefined ? [] : [
      `${
        workspace.mode === "read" ? "reads" : "reads and writes"
      } the owner's directory ${visible(workspace.dir)} and starts in it`,
    ]),
    ...(reach.hosts.length === 0
      ? ["reaches no host"]
      : reach.hosts.map(reaches)),
    ...handed(facts),
    ...(facts.interpreter === "node"
      ? [
        "may ask for the processors, the home directory's path and the system's release",
      ]
      : []),
    "starts no program, loads no native code, imports nothing from the network",
    ...(facts.uid === undefined
      ? []
      : facts.uid === 0
      ? ["runs as root, as this server does"]
      : [`runs as the account with the number ${facts.uid}`]),
  ];
}

/** What whoever confirms should know, weightiest first. */
export function notesInWords(facts: PermissionFacts): string[] {
  const { reach, selfGranted, timeoutMs, workspace, manner } = facts;
  const ownHosts = facts.held.filter(({ chosenBy, hosts }) =>
    chosenBy === "author" && hosts.length > 0
  );
  const lasting = [
    ...(reach.hosts.length > 0 ? ["what the script fetches"] : []),
    ...(facts.dataDir === undefined ? [] : ["what is in its data directory"]),
    ...(workspace === undefined ? [] : ["what is in the owner's directory"]),
  ];
  return [
    selfGranted.length === 0
      ? undefined
      : `Nobody granted ${
        shown(selfGranted)
      }: the skill asks for it and no MCP_SKILL_RUN is set. It runs only when this Plan's digest is given with the call.`,
    ownHosts.length === 0
      ? undefined
      : `The skill's author, not the owner, chose where the value of ${
        shown(ownHosts.map(({ name }) => name))
      } is sent; a row's \`env\` may name hosts.`,
    facts.plain.length === 0
      ? undefined
      : `${
        shown(facts.plain)
      } is handed over as it is, since no proxy is in force for this run and the grant says \`plain\`.`,
    manner.network !== "open" || manner.by === "none"
      ? undefined
      : "The script has the host's network itself (`sockets`): which hosts it reaches rests on the runtime's permission flags alone.",
    !facts.asksForSockets || manner.network === "open" || manner.by === "none"
      ? undefined
      : "The script asks for `sockets` and no row of MCP_SKILL_RUN gives them: it reaches its hosts through the run's proxy only.",
    reach.withheld.length === 0
      ? undefined
      : `${
        shown(reach.withheld.map(({ text }) => text))
      } is private or may be: it is reached only when a row of MCP_SKILL_RUN names it exactly.`,
    reach.unresolved.length === 0
      ? undefined
      : `${
        shown(reach.unresolved)
      } does not resolve now: while it leads to a private address it cannot be reached.`,
    reach.proxy === undefined
      ? undefined
      : `Requests go through the server's proxy ${
        shown(reach.proxy.where)
      }, which resolves names itself: that a name does not lead to a private address rests on the proxy.`,
    lasting.length === 0
      ? undefined
      : `No digest covers ${
        lasting.join(" or ")
      }: it can change without this Plan changing.`,
    facts.closed.length === 0
      ? undefined
      : `${
        shown(facts.closed)
      } is closed to the script: it is hidden or ignored, and links or special files in it lead out, or cannot be looked at.`,
    facts.asksForWorkspace && workspace === undefined
      ? "The script asks for a workspace and no row of MCP_SKILL_RUN opens exactly one."
      : undefined,
    timeoutMs > CLIENTS_WAIT_MS
      ? `The script may run for ${
        timeoutMs / 1000
      } s; many clients give up on a call after 60 s.`
      : undefined,
    facts.narrowed.length === 0
      ? undefined
      : `The script asks for more than the owner's ceiling (SKILLFENCE_LIMITS): ${
        facts.narrowed.join("; ")
      }.`,
    facts.smallMemoryMiB === undefined
      ? undefined
      : `This server runs under a small memory limit: the script is interpreted, which is slower, with ${facts.smallMemoryMiB} MiB of heap.`,
  ].filter((note) => note !== undefined);
}

function handed({ granted, held }: PermissionFacts): string[] {
  const plainly = granted.filter((name) =>
    !held.some((secret) => secret.name === name)
  );
  if (granted.length === 0) return ["is handed no variable"];
  return [
    ...(plainly.length === 0 ? [] : [`is handed ${shown(plainly)}`]),
    ...held.map(({ name, hosts }) =>
      `is handed a placeholder for ${name}, whose value ${
        hosts.length === 0
          ? "is sent nowhere: none of the hosts it is meant for can be used"
          : `the run's proxy puts into request headers to ${
            shown(hosts)
          } over https`
      }`
    ),
  ];
}

function reaches(host: HostPattern): string {
  const ports = host.ports.length === 1
    ? `port ${host.ports[0]}`
    : `ports ${host.ports.join(" and ")}`;
  const name = visible(host.host);
  if (host.kind === "wildcard") {
    return `reaches ${name} itself and every name below it on ${ports}`;
  }
  const privately = isPrivateHost(host)
    ? ", which is private and which the grant names"
    : "";
  return `reaches ${name} on ${ports}${privately}`;
}

function shown(names: readonly string[]): string {
  return listed(names.map((name) => visible(name)), LISTED);
}
