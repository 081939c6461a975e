/** What a call would do, before it does. Pure. */

import { canonicalJson, sha256 } from "../base/digest.ts";
import { nearest } from "../base/nearest.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { ServerDeclaration } from "./declared.ts";
import { notesOf, permissionsOf } from "./server_words.ts";
import type { Judged } from "./judge.ts";
import type { UpstreamPlan } from "./types.ts";

/** Characters of a call's arguments as JSON. */
const MAX_ARGUMENTS = 262_144;
const MAX_SHOWN = 2_000;

/** One call. */
export interface PlannedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Names of the tools that the server runs with now, when it runs. */
  readonly known: readonly string[] | undefined;
}

/** The plan of a call to a server that is ready. */
export function callPlan(
  { server, row, state }: Judged,
  { tool, args, known }: PlannedCall,
): Result<UpstreamPlan> {
  if (server === undefined || row === undefined) {
    return refuse("INTERNAL", "a plan without a grant", "Call again.");
  }
  const { skill, declared } = server;
  const text = canonicalJson(args);
  if (text.length > MAX_ARGUMENTS) {
    return refuse(
      "TOO_LARGE",
      `the arguments are longer than ${MAX_ARGUMENTS / 1024} KiB`,
      "Pass less, or the path of a file.",
    );
  }
  if (known !== undefined && !known.includes(tool)) {
    return unknownTool(tool, known);
  }
  const plan: Omit<UpstreamPlan, "digest"> = {
    skill: skill.name,
    server: declared.name,
    tool,
    reaches: reachesOf(declared),
    permissions: [
      ...permissionsOf(server),
      ...state.fence === undefined ? [] : [`is held by: ${state.fence}`],
    ],
    notes: notesOf(server),
    env: Object.keys(server.values).sort(),
    argumentsSha256: sha256(text),
    serverDigest: row.digest,
    toolsDigest: row.tools,
    trusted: row.trusted.includes(tool),
  };
  return ok({ ...plan, digest: sha256(canonicalJson(plan)) });
}

/** Command line or address, as declared: no value is in it. */
export function reachesOf({ transport }: ServerDeclaration): string {
  return transport.kind === "stdio"
    ? visible([transport.command, ...transport.args].join(" "), MAX_SHOWN)
    : visible(transport.url, MAX_SHOWN);
}

/** A tool that the server does not list. */
export function unknownTool(
  tool: string,
  names: readonly string[],
): Result<never> {
  const near = nearest(tool, names, 3).map((name) => visible(name, 80));
  return refuse(
    "NOT_FOUND",
    `the server has no tool ${visible(tool, 80)}`,
    near.length === 0 ? "It has no tools." : `Nearest: ${near.join(", ")}.`,
  );
}
