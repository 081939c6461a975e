/** `skillfence check`: the judgement on skills, for authors and for CI. */

import { resolve } from "node:path";
import { visible } from "../base/text.ts";
import type { Refusal, RefusalCode } from "../base/refusal.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Flags } from "../config/read_config.ts";
import { plainRoot } from "../config/directory.ts";
import type { Layer, Plan } from "../fence/types.ts";
import { createEngine } from "../server/engine.ts";
import type { Engine } from "../server/engine_types.ts";
import { grantFaults, grantReadingFaults } from "../server/list_notes.ts";
import { publishPlan } from "../server/schemas/plan_output.ts";
import {
  checkCommands,
  checkServers,
  type CommandCheck,
  printCommands,
  printServers,
  type ServerCheck,
} from "./check_texts.ts";
import { heldSecretNotes } from "./held_secrets.ts";
import type { CliHost } from "./host.ts";
import { fullListing, type Listing } from "./listing.ts";
import { withProgress } from "./progress.ts";
import { readSkills } from "./read_skills.ts";
import { forCommandLine } from "./refused.ts";
import { showLayers } from "./show_layers.ts";
import { countProblems, showProblems, showSkills } from "./show_list.ts";
import { showPlan } from "./show_plan.ts";
import { startConfig } from "./start.ts";

/** What `check` was asked for. */
export interface CheckRequest {
  /** A skill or a directory of skills; undefined: the configured roots. */
  readonly dir: string | undefined;
  readonly json: boolean;
}

/** A declared script with its Plan, or why there is none. */
interface ScriptCheck {
  readonly skill: string;
  readonly script: string;
  readonly plan?: Plan;
  readonly refusal?: Refusal;
}

interface CheckReport {
  readonly listing: Listing;
  readonly scripts: readonly ScriptCheck[];
  readonly commands: readonly CommandCheck[];
  readonly servers: readonly ServerCheck[];
  /** What works otherwise than an author may expect; no mistakes. */
  readonly notes: readonly string[];
  /** What does not work of the variables that grant something. */
  readonly grants: readonly string[];
  /** Of the fence, as they are in force for scripts here. */
  readonly layers: readonly Layer[];
}

/** Refusals that the skill itself causes; others are about this machine. */
const AUTHORS: readonly RefusalCode[] = [
  "NOT_FOUND",
  "PATH_REFUSED",
  "PREFLIGHT",
  "TOO_LARGE",
];

/**
 * Checks. Returns 1 when there is a problem of severity `error` or a script that
 * its skill keeps from running, 2 for a mistake in the call, else 0.
 */
export async function check(
  host: CliHost,
  flags: Flags,
  request: CheckRequest,
): Promise<number> {
  if (request.dir === "") {
    // An unset variable would otherwise mean the working directory.
    host.screen.err(
      "skillfence: check was given an empty DIR\n  Name a directory, or leave DIR out to check the configured roots.\n",
    );
    return 2;
  }
  const configured = await startConfig(host, flags);
  if (configured === undefined) return 2;
  const config = request.dir === undefined ? configured : {
    ...configured,
    roots: [plainRoot(resolve(host.cwd, request.dir))],
    rootsFrom: "--skills" as const,
  };
  const engine = createEngine(config);
  try {
    const report = await withProgress(
      host.screen,
      "Reading skills",
      async (progress): Promise<CheckReport> => {
        const snapshot = await readSkills(engine, progress);
        progress("Planning scripts");
        const scripts = await checkScripts(engine, snapshot);
        const commands = await checkCommands(engine, snapshot);
        const servers = await checkServers(engine, snapshot);
        const listing = await fullListing(engine, snapshot);
        const notes = [...snapshot.skills.values()].flatMap((skill) =>
          heldSecretNotes(skill.name, skill.declaration)
        );
        return {
          listing,
          scripts,
          commands,
          servers,
          notes,
          // Rows for skills outside a DIR are no mistakes.
          grants: request.dir === undefined
            ? await grantFaults(engine, snapshot)
            : grantReadingFaults(engine),
          layers: await engine.layers(),
        };
      },
    );
    if (request.json) printJson(host, report);
    else printReport(host, report);
    return failed(report) ? 1 : 0;
  } finally {
    engine.runner.closeSync();
  }
}

function failed({ listing, scripts }: CheckReport): boolean {
  return listing.problems.some(({ severity }) => severity === "error") ||
    scripts.some(({ refusal }) =>
      refusal !== undefined && AUTHORS.includes(refusal.code)
    );
}

async function checkScripts(
  engine: Engine,
  snapshot: Snapshot,
): Promise<ScriptCheck[]> {
  const checks: ScriptCheck[] = [];
  for (const skill of snapshot.skills.values()) {
    for (const { script } of skill.declaration.scripts) {
      checks.push(await checkScript(engine, skill, script));
    }
  }
  return checks;
}

async function checkScript(
  engine: Engine,
  skill: Skill,
  script: string,
): Promise<ScriptCheck> {
  const call = {
    skill: skill.name,
    script,
    args: [],
    stdin: undefined,
    files: [],
  };
  const prepared = await engine.planner.prepare(call);
  return prepared.ok
    ? { skill: skill.name, script, plan: prepared.value.plan }
    : { skill: skill.name, script, refusal: forCommandLine(prepared) };
}

function printJson({ screen }: CliHost, report: CheckReport): void {
  const { listing, scripts, commands, servers, notes, grants, layers } = report;
  const value = {
    ok: !failed(report),
    problems: listing.problems,
    notes,
    grants,
    layers,
    scripts: scripts.map(({ skill, script, plan, refusal }) => ({
      skill,
      script,
      ...(plan === undefined ? {} : { plan: publishPlan(plan) }),
      ...(refusal === undefined ? {} : {
        refused: {
          code: refusal.code,
          message: refusal.message,
          hint: refusal.hint,
        },
      }),
    })),
    commands,
    servers,
    listing,
  };
  screen.out(`${JSON.stringify(value, null, 2)}\n`);
}

function printReport({ screen }: CliHost, report: CheckReport): void {
  const { paint, out } = screen;
  const { problems, skills, roots } = report.listing;
  out(`${paint.strong("Problems")}\n`);
  out(
    `${
      problems.length === 0 ? "None." : showProblems(problems, screen, roots)
    }\n\n`,
  );
  if (report.notes.length > 0) {
    out(`${paint.strong("Notes")}\n`);
    out(`${report.notes.map((note) => visible(note, 2000)).join("\n")}\n\n`);
  }
  if (report.grants.length > 0) {
    out(`${paint.strong("Grants that do not work")}\n`);
    out(`${report.grants.map((note) => visible(note, 2000)).join("\n")}\n\n`);
  }
  out(`${paint.strong("Layers")}\n${showLayers(report.layers, screen)}\n\n`);
  for (const { skill, script, plan, refusal } of report.scripts) {
    out(`${paint.strong(`Plan of ${visible(skill)} ${visible(script)}`)}\n`);
    if (plan !== undefined) {
      out(`${showPlan(plan, screen, { full: false, indent: 2 })}\n\n`);
    } else if (refusal !== undefined) {
      out(
        `  ${paint.warn(`cannot run here (${refusal.code})`)}: ` +
          `${visible(refusal.message, 600)}\n  ${
            visible(refusal.hint, 600)
          }\n\n`,
      );
    }
  }
  printCommands(screen, report.commands);
  printServers(screen, report.servers);
  out(`${paint.strong("What a client would list")}\n`);
  out(`${showSkills(skills, screen)}\n\n`);
  const verdict = failed(report) ? paint.bad : paint.good;
  out(`${verdict(countProblems(problems, report.notes.length))}\n`);
}
