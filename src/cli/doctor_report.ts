/** The facts that `doctor` prints. */

import type { RootState } from "../catalog/types.ts";
import { VARIABLES } from "../config/variables.ts";
import type { DescriptorState } from "../fence/descriptors.ts";
import { demanded, type OsState } from "../fence/os_layer.ts";
import { INTERPRETER_NAMES } from "../fence/interpreters.ts";
import type { Attempt } from "../fence/runtime.ts";
import type { Layer, Runtime } from "../fence/types.ts";
import type { GrantNote, GrantRow, McpRow, RenderRow } from "../grant/types.ts";
import { laterGrantNotes, type LaterNote } from "../server/later_grants.ts";
import { allProblems } from "../server/all_problems.ts";
import type { FullEngine } from "../server/engine.ts";
import type { WatchState } from "../watch/types.ts";
import type { CliHost } from "./host.ts";
import { type LimitFact, limitFacts } from "./limit_facts.ts";
import { refusalWords } from "./refused.ts";
import type { SelfTestRow } from "./self_test.ts";
import { type WrittenPlace, writtenPlaces } from "./writes.ts";

/** One thing about the operating system's layer. */
export interface ConfinementFact {
  /** `wanted`, `warning`, or the cause why a layer is off. */
  readonly what: string;
  readonly text: string;
  /** What would turn it on. */
  readonly advice?: string;
}

/** Everything, as `doctor --json` prints it. */
export interface DoctorReport {
  /** Nothing is broken. */
  readonly ok: boolean;
  readonly version: string;
  /** `executable` or `source`. */
  readonly form: string;
  readonly system: string;
  readonly hosted: boolean;
  readonly roots: readonly (RootState & { readonly problem?: string })[];
  readonly rootsFrom: string;
  /** How well changes in roots and directories of prompts are noticed. */
  readonly watch: readonly WatchState[];
  /** Between looks at everything; null: none. */
  readonly pollSeconds: number | null;
  readonly skills: number;
  readonly problems: number;
  readonly grant: {
    readonly from: string;
    readonly rows: readonly string[];
    readonly notes: readonly GrantNote[];
  };
  /** Directories that are worked in, and what counts of them. */
  readonly workspaces: readonly string[];
  readonly contextFiles: number;
  /** `MCP_SKILL_RENDER`: what may run when a text is loaded. */
  readonly renderRows: readonly string[];
  /** `MCP_SKILL_MCP`: declared servers that may start. */
  readonly mcpRows: readonly string[];
  /** About both. */
  readonly laterNotes: readonly LaterNote[];
  readonly runtime: Runtime | {
    readonly missing: string;
    /** Every place that was looked at in vain. */
    readonly attempts: readonly Attempt[];
  };
  readonly interpreters: readonly string[];
  readonly layers: readonly Layer[];
  /** What is worth knowing of the operating system's layer. */
  readonly confinement: readonly ConfinementFact[];
  readonly descriptors: DescriptorState;
  readonly limits: readonly LimitFact[];
  /** Names of our variables that are set, never values. */
  readonly variablesSet: readonly string[];
  readonly notes: readonly string[];
  readonly writes: readonly WrittenPlace[];
  readonly selfTest: readonly SelfTestRow[];
}

/** Collects the facts around a self-test that was already run. */
export async function doctorReport(
  host: CliHost,
  engine: FullEngine,
  selfTest: readonly SelfTestRow[],
): Promise<DoctorReport> {
  const { config, grant } = engine;
  // Watched for a moment, as a server would: how well that goes is a fact too.
  engine.live.start();
  await engine.live.ready();
  const watch = engine.live.states();
  const snapshot = await engine.catalog.snapshot();
  const runtime = await engine.runtime();
  const os = await engine.osState();
  const roots = snapshot.roots.map((root) => ({
    ...root,
    ...(root.realPath === undefined ? { problem: "cannot be read" } : {}),
  }));
  const writes = await writtenPlaces(engine);
  const notes = [...grant.notes, ...engine.grantNotes(snapshot)];
  const later = await laterGrantNotes(engine, snapshot);
  const context = await engine.context.document(snapshot);
  return {
    ok: runtime.ok && demanded(os).ok && config.complaints.length === 0 &&
      selfTest.every(({ passed }) => passed) &&
      roots.every(({ realPath }) => realPath !== undefined) &&
      !writes.some(({ broken }) => broken) &&
      !notes.some(({ severity }) => severity === "error") &&
      !later.some(({ note }) => note.severity === "error"),
    version: host.version,
    form: Deno.build.standalone ? "executable" : "source",
    system: `${Deno.build.os} ${Deno.build.arch}`,
    hosted: config.hosted,
    roots,
    rootsFrom: config.rootsFrom,
    watch,
    pollSeconds: config.pollMs === undefined ? null : config.pollMs / 1000,
    skills: snapshot.skills.size,
    problems: (await allProblems(engine, snapshot)).length,
    grant: {
      from: grant.from,
      rows: grant.rows.map(rowWords),
      notes,
    },
    workspaces: await engine.context.workspaces(),
    contextFiles: context?.files.files.length ?? 0,
    renderRows: engine.renderGrant.rows.map(renderWords),
    mcpRows: engine.mcpGrant.rows.map(mcpWords),
    laterNotes: later,
    runtime: runtime.ok ? runtime.value : {
      missing: refusalWords(runtime),
      attempts: engine.runtimes.attempts(),
    },
    interpreters: INTERPRETER_NAMES,
    layers: await engine.layers(),
    confinement: confinementFacts(os),
    descriptors: host.descriptors,
    limits: limitFacts(engine),
    variablesSet: VARIABLES.map(({ name }) => name as string)
      .filter((name) => config.env(name) !== undefined),
    notes: [...config.complaints, ...config.notes ?? []],
    writes,
    selfTest,
  };
}

function renderWords({ skill, command }: RenderRow): string {
  return `${skill}: ${command.join(" ")}`;
}

function mcpWords({ skill, server, trusted, unfenced }: McpRow): string {
  return `${skill} ${server}${unfenced ? ", unfenced" : ""}${
    trusted.length === 0 ? "" : `, trusted: ${trusted.join(", ")}`
  }`;
}

function rowWords({ skill, script, env, sockets }: GrantRow): string {
  const names = env.map(({ name, hosts }) =>
    hosts === undefined
      ? name
      : `${name} -> ${hosts.map(({ text }) => text).join(" ") || "nowhere"}`
  );
  const given = [...names, ...(sockets ? ["sockets"] : [])];
  return `${skill} ${script}${
    given.length > 0 ? ` with ${given.join(", ")}` : ""
  }`;
}

function confinementFacts({ wanted, layer, off }: OsState): ConfinementFact[] {
  const warnings = layer?.by === "bwrap" ? layer.warnings : [];
  return [
    { what: "wanted", text: `SKILLFENCE_OS_FENCE is ${wanted}` },
    ...(wanted === "off"
      ? [{
        what: "off",
        text: "chosen by SKILLFENCE_OS_FENCE=off: no layer was tried",
        advice: "Leave SKILLFENCE_OS_FENCE unset to use one that holds here.",
      }]
      : []),
    ...warnings.map((text) => ({ what: "warning", text })),
    ...off.map(({ cause, message, advice }) => ({
      what: cause,
      text: message,
      advice,
    })),
  ];
}
