/** From a found directory to a served skill: its SKILL.md, read and checked. */

import { readSkillDocument } from "../skill/document.ts";
import type { SkillDocument } from "../skill/types.ts";
import { visible } from "../base/text.ts";
import type { ScanLimits } from "./limits.ts";
import { below, isWithin, joined, lastSegment, SEPARATOR } from "./place.ts";
import type { ProblemLog } from "./problem_log.ts";
import { type FileStart, type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import type { Named } from "./settle.ts";
import type { BundleFile, Skill } from "./types.ts";

/** What reading one skill asks and tells. */
export interface ReadContext {
  readonly fs: ScanFs;
  readonly limits: ScanLimits;
  readonly log: ProblemLog;
}

/** The skill, or undefined (and a problem) when its SKILL.md cannot be read. */
export function readSkill(
  bundle: Named,
  context: ReadContext,
): Skill | undefined {
  const { limits } = context;
  const report = reporter(bundle, context.log);
  let start: FileStart;
  try {
    start = context.fs.readStart(bundle.skillFile, limits.skillFileBytes);
  } catch (error) {
    report({
      severity: "error",
      reason: "unreadable-skill-md",
      detail: `SKILL.md cannot be read: ${whyFailed(error)}`,
      hint: "Make it readable by the server's user.",
    });
    return undefined;
  }
  const document = readSkillDocument(start.bytes, {
    truncated: start.truncated,
  });
  for (const finding of document.findings) report(finding);
  if (start.truncated) {
    report({
      severity: "warning",
      reason: "skill-md-limit",
      detail: `SKILL.md is longer than ${
        limits.skillFileBytes / 1024
      } KiB: only its start is served`,
      hint: "Move the rest into files beside it; skill_file reads those.",
    });
  }
  const files = bundle.files();
  checkName(document, bundle, report);
  checkScripts(document, bundle, files, { ...context, report });
  return {
    name: bundle.name,
    rootIndex: bundle.root,
    dir: bundle.dir,
    skillFile: bundle.skillFile,
    skillStamp: stampOf(start.stat),
    createdMs: start.stat.birthtime?.getTime() ?? null,
    description: document.description,
    whenToUse: document.whenToUse,
    frontmatter: document.frontmatter,
    declaration: document.declaration,
    instructionsOnly: document.frontmatter === undefined,
    body: document.body,
    truncated: start.truncated,
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    references: [],
    leftOut: undefined,
  };
}

type Report = (finding: SkillDocument["findings"][number]) => void;

function reporter(bundle: Named, log: ProblemLog): Report {
  return (finding) =>
    log.add({
      ...finding,
      root: bundle.root,
      path: bundle.skillFileRel,
      owner: bundle,
    });
}

function checkName(
  { claimedName }: SkillDocument,
  bundle: Named,
  report: Report,
): void {
  if (claimedName === undefined || claimedName === bundle.name) return;
  const own = lastSegment(bundle.name);
  if (claimedName === own) return;
  report({
    severity: "warning",
    reason: "name-mismatch",
    detail: `the frontmatter says "${
      visible(claimedName)
    }"; the skill is served as ${bundle.name}, after its directory`,
    hint: `Write name: ${own}, or rename the directory.`,
  });
}

function checkScripts(
  { declaration }: SkillDocument,
  bundle: Named,
  files: readonly BundleFile[],
  context: ReadContext & { report: Report },
): void {
  if (declaration.scripts.length === 0) return;
  const listed = new Set(files.map(({ path }) => path));
  for (const { script } of declaration.scripts) {
    if (listed.has(script)) continue;
    if (leadsTo(script, bundle, listed, context.fs)) continue;
    context.report({
      severity: "error",
      reason: "declared-script-missing",
      detail: `the declared script "${
        visible(script)
      }" is not among the skill's files`,
      hint:
        "Add it, correct the path under mcp-host.run, or see why it is hidden.",
    });
  }
}

/** Whether a path through a linked directory ends at a listed file. */
function leadsTo(
  script: string,
  bundle: Named,
  listed: ReadonlySet<string>,
  fs: ScanFs,
): boolean {
  try {
    const real = fs.realPath(
      joined(bundle.dir, script.split("/").join(SEPARATOR)),
    );
    return isWithin(real, bundle.dir) && listed.has(below(real, bundle.dir));
  } catch {
    // Missing, or a broken link: either way no script.
    return false;
  }
}
