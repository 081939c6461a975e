/** From the words of a call to one declared, granted, existing script. */

import { nearest } from "../../base/nearest.ts";
import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { below, isWithin, joined } from "../../base/place.ts";
import type { Skill } from "../../catalog/types.ts";
import { permitFor, permitsFor } from "../../grant/permit.ts";
import type { Grant, Permit } from "../../grant/types.ts";
import { interpreterProblem } from "../interpreters.ts";

/**
 * The permit for a script of a skill, or why there is none; with the digest of
 * its bundle, the permit at exactly that bundle.
 */
export function permittedScript(
  skill: Skill,
  script: string,
  grant: Grant,
  bundle?: string,
): Result<Permit> {
  const { scripts } = skill.declaration;
  if (!scripts.some((declared) => declared.script === script)) {
    return undeclared(skill, script, grant);
  }
  const permit = permitFor(
    skill.declaration,
    { skill: skill.name, workspace: skill.workspace, script, bundle },
    grant,
  );
  return permit === undefined
    ? ungranted(
      { skill: skill.name, script, workspace: skill.workspace },
      grant,
    )
    : ok(permit);
}

/** Whether the rest of the row is needed to say how a script is granted. */
export function wantsBundle(
  skill: Skill,
  permitted: Result<Permit>,
): permitted is Refusal {
  return !permitted.ok && permitted.code === "NOT_GRANTED" &&
    skill.workspace !== undefined;
}

function undeclared(skill: Skill, script: string, grant: Grant): Refusal {
  const runnable = permitsFor(
    { skill: skill.name, workspace: skill.workspace },
    skill.declaration,
    grant,
  ).granted
    .filter(({ declared }) =>
      interpreterProblem(declared.interpreter) === undefined
    )
    .map(({ declared }) => declared.script);
  const hint = skill.instructionsOnly
    ? "The frontmatter of its SKILL.md is missing or unreadable, so it serves instructions only."
    : runnable.length === 0
    ? "No script of this skill can run here."
    : `Scripts of this skill that can run here: ${
      runnable.map((each) => visible(each)).join(", ")
    }.`;
  const shown = visible(script, 120);
  if (skill.files.some(({ path }) => path === script)) {
    return refuse(
      "NOT_DECLARED",
      `${skill.name} holds "${shown}" and does not declare it as a script`,
      hint,
    );
  }
  const close = nearest(script, [
    ...skill.declaration.scripts.map((declared) => declared.script),
  ]);
  const meant = close.length === 0
    ? ""
    : ` Did you mean ${close.map((each) => visible(each)).join(", ")}?`;
  return refuse(
    "UNKNOWN_SCRIPT",
    `${skill.name} has no script "${shown}"`,
    hint + meant,
  );
}

/** A row that would grant a script, as far as the refusal can tell it. */
export interface WantedRow {
  /** Name as served. */
  readonly skill: string;
  readonly script: string;
  readonly workspace?: string | undefined;
  readonly bundle?: string | undefined;
}

/** Says that the owner does not let a script run, and which row would. */
export function ungranted(row: WantedRow, grant: Grant): Refusal {
  return refuse(
    "NOT_GRANTED",
    `${row.skill} declares "${
      visible(row.script, 120)
    }" and the owner does not let it run`,
    howToGrant(plainJson([row]), grant),
  );
}

/** JSON that can be copied and hides nothing, whatever a skill put into it. */
function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What the owner can do; a grant that is broken is to be mended first. */
function howToGrant(row: string, { from, notes }: Grant): string {
  if (from === "hosted-default") {
    return `This server is hosted and has no MCP_SKILL_RUN, so nothing runs. The owner can set it to ${row}.`;
  }
  if (from === "declaration") {
    return `A skill of a workspace runs nothing by itself. The owner can set MCP_SKILL_RUN to ${row}; from then on nothing else runs than what it names.`;
  }
  const unreadable = notes.find(({ reason }) => reason === "grant-unreadable");
  if (unreadable !== undefined) {
    return `${unreadable.detail} ${unreadable.hint}`;
  }
  const bad = notes.some(({ reason }) => reason === "grant-row")
    ? " It has rows that are malformed and grant nothing; skill_list names them."
    : "";
  return `The owner can add a row to MCP_SKILL_RUN: ${row}.${bad}`;
}

/** A script's file. */
export interface ScriptFile {
  /** Absolute real path. */
  readonly realPath: string;
  /** The same below the skill, `/`-separated. */
  readonly path: string;
}

/** The regular file a script's path leads to, inside the skill's real directory. */
export async function scriptFile(
  skill: Pick<Skill, "name" | "dir" | "files">,
  script: string,
): Promise<Result<ScriptFile>> {
  const shown = visible(script, 120);
  let realPath: string;
  let info: Deno.FileInfo;
  try {
    realPath = await Deno.realPath(joined(skill.dir, script));
    info = await Deno.lstat(realPath);
  } catch {
    const close = nearest(script, skill.files.map(({ path }) => path));
    return refuse(
      "NOT_FOUND",
      `${skill.name} declares "${shown}" and has no such file`,
      close.length === 0
        ? "The skill is incomplete."
        : `Nearest files: ${close.map((each) => visible(each)).join(", ")}.`,
    );
  }
  if (!isWithin(realPath, skill.dir)) {
    return refuse(
      "PATH_REFUSED",
      `"${shown}" of ${skill.name} leads out of the skill's directory`,
      "Replace the link by the file itself.",
    );
  }
  return info.isFile
    ? ok({ realPath, path: below(realPath, skill.dir) })
    : refuse(
      "PATH_REFUSED",
      `"${shown}" of ${skill.name} is not a regular file`,
      "Declare the script's own file.",
    );
}
