/** Real scripts behind the real flags, with what the runtime wrote about them. */

import { readAuditRecord } from "../../src/evidence/permission_record.ts";
import { type EvidenceInput, evidenceOf } from "../../src/evidence/evidence.ts";
import type { Evidence } from "../../src/evidence/types.ts";
import { rulesFromFlags } from "../../src/evidence/verdicts.ts";
import { buildFlags } from "../../src/fence/plan/flags.ts";
import { interpreterFor } from "../../src/fence/interpreters.ts";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import { makeTree, type Tree } from "../support/tree.ts";

/** How a script is run. */
export interface Staging {
  readonly direct: boolean;
  /** Patterns that may be reached. */
  readonly hosts?: readonly string[];
  readonly openAddresses?: readonly string[];
  readonly interpreter?: string;
  /** Granted variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further variables of the process that the script may not read. */
  readonly processEnv?: Readonly<Record<string, string>>;
  /** Shell text before the runtime takes over. */
  readonly before?: string;
  /** Bytes that `before` lets a file have. */
  readonly fileLimit?: number;
}

/** What a run left. */
export interface Staged {
  readonly evidence: Evidence;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** For another look. */
  readonly input: EvidenceInput;
}

/** What every script finds beside itself. */
const SKILL = {
  "skill/own.txt": "own",
  "skill/closed/hidden.txt": "hidden",
  "skill/part.mjs": "export const part = 1;",
  "skillother/near.txt": "near",
  "outside/secret.txt": "secret",
  "outside/out.mjs": "export const out = 1; console.log('OUT RAN');",
  "data/kept.txt": "kept",
};

/** Runs `code` as `skill/s.mjs` and returns what there is to see. */
export async function stage(code: string, staging: Staging): Promise<Staged> {
  await using tree = await makeTree({
    ...SKILL,
    "skill/s.mjs": code,
    "run/scratch/in/given.txt": "given",
    "run/scratch/out": { dir: true },
    "run/denodir": { dir: true },
  });
  const scratch = tree.path("run", "scratch");
  const flags = flagsOf(tree, staging).map((flag) =>
    flag.replaceAll("<scratch>", scratch)
  );
  const out = await new Deno.Command("/bin/sh", {
    args: [
      "-c",
      `ulimit -c 0; ${staging.before ?? ""}\nexec "$@"`,
      "stage",
      Deno.execPath(),
      ...flags,
    ],
    cwd: tree.path("skill"),
    clearEnv: true,
    env: {
      TMPDIR: scratch,
      HOME: scratch,
      DENO_DIR: tree.path("run", "denodir"),
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      DENO_AUDIT_PERMISSIONS: tree.path("run", "audit.jsonl"),
      OUTSIDE: tree.path("outside"),
      DATA: tree.path("data"),
      ...staging.env,
      ...staging.processEnv,
    },
    stdin: "null",
  }).output();
  const { direct } = staging;
  const input: EvidenceInput = {
    record: await readAuditRecord(tree.path("run", "audit.jsonl"), {
      script: tree.path("skill", "s.mjs"),
      direct,
      ...(staging.fileLimit === undefined
        ? {}
        : { fileLimit: staging.fileLimit }),
    }),
    rules: rulesFromFlags(flags, { skillDir: tree.path("skill"), scratch }),
    cwd: tree.path("skill"),
    direct,
    copiedEnv: !direct,
    network: (staging.hosts ?? []).length === 0 ? "none" : "open",
  };
  const text = (bytes: Uint8Array) =>
    new TextDecoder().decode(bytes).replaceAll(tree.root, "<tree>");
  const evidence = JSON.parse(
    JSON.stringify(evidenceOf(input)).replaceAll(tree.root, "<tree>"),
  );
  return {
    evidence,
    stdout: text(out.stdout),
    stderr: text(out.stderr),
    exitCode: out.code,
    input,
  };
}

function flagsOf(tree: Tree, staging: Staging): string[] {
  const interpreter = interpreterFor(staging.interpreter ?? "deno");
  if (!interpreter.ok) throw new Error(interpreter.message);
  return buildFlags({
    interpreter: interpreter.value,
    script: tree.path("skill", "s.mjs"),
    manner: {
      by: "none",
      network: "open",
      realm: staging.direct ? "main" : "worker",
    },
    skillDir: tree.path("skill"),
    dataDir: tree.path("data"),
    workspace: undefined,
    closed: [tree.path("skill", "closed")],
    hosts: (staging.hosts ?? []).map((text) => {
      const parsed = parseHostPattern(text);
      if (!parsed.ok) throw new Error(parsed.message);
      return parsed.value;
    }),
    openAddresses: staging.openAddresses ?? [],
    closedPorts: [],
    readableEnv: [
      "TMPDIR",
      "HOME",
      "OUTSIDE",
      "DATA",
      ...Object.keys(staging.env ?? {}),
    ],
    v8Flags: ["--max-old-space-size=256"],
    args: [],
  });
}

/**
 * Begins a script that notes what came of each thing it tries, and prints it as
 * JSON at its end: `[kind, what, verdict]` with evidence's own words.
 */
export const NOTING = `
import fs from "node:fs";
const said = [];
const note = (kind, what, verdict) => said.push([kind, what, verdict]);
const refused = (error) =>
  error?.name === "NotCapable" || error?.code === "EPERM" ||
  /Requires \\w+ access/.test(String(error?.message) + String(error?.cause?.message ?? ""));
const tried = async (kind, what, act) => {
  try {
    await act();
    note(kind, what, "allowed");
  } catch (error) {
    note(kind, what, refused(error) ? "denied" : "allowed");
  }
};
const variable = (name) => {
  const value = Deno.env.get(name);
  note("env", name, value === undefined ? "denied" : "allowed");
  return value;
};
const end = () => console.log(JSON.stringify(said));
`;

/** What such a script noted, distinct and sorted. */
export function noted(stdout: string): string[] {
  const said: [string, string, string][] = JSON.parse(stdout.trim());
  return distinct(said.map((parts) => parts.join(" ")));
}

/** The same of evidence. */
export function claimed(evidence: Evidence): string[] {
  const { more: _more, blind: _blind, ...lists } = evidence;
  return distinct(
    Object.entries(lists).flatMap(([kind, entries]) =>
      entries.map(({ what, verdict }) => `${kind} ${what} ${verdict}`)
    ),
  );
}

function distinct(lines: readonly string[]): string[] {
  return [...new Set(lines)].sort();
}
