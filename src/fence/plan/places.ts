/** The directories beside the skill itself that a script is let into. */

import { dirname, isAbsolute } from "node:path";
import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { isWithin, joined } from "../../base/place.ts";
import type { Skill } from "../../catalog/types.ts";
import type { Permit } from "../../grant/types.ts";
import type { Account } from "../../os/types.ts";
import {
  DATA_PARENT,
  dataDirFor,
  dataDirProblem,
  refusedDataDir,
} from "../disk/data_dir.ts";
import { type CheckedDir, checkedDir } from "../preflight/checked_dir.ts";
import { checkOpened, commaInPath, realPathSoFar } from "../preflight.ts";
import { shutOut } from "../preflight/shut_out.ts";
import type { Workspace } from "../types.ts";

/** Data directory and workspace of one run. Absolute real paths. */
export interface Places {
  readonly dataDir: string | undefined;
  readonly workspace: Workspace | undefined;
  /** Entries of the workspace that must be closed. */
  readonly closed: readonly string[];
  /** Both, as far as they are there. */
  readonly checked: readonly CheckedDir[];
}

/** What of this machine the places must keep apart from. Absolute paths. */
export interface Surroundings {
  /** The directory that holds the skills' data directories. */
  readonly dataParent: string | undefined;
  /** Real roots of skills. */
  readonly roots: readonly string[];
  /** What else of the server's no script may write: its cache. */
  readonly own: readonly string[];
  /** The audit log, which no script may read either. */
  readonly auditLog: string | undefined;
  /** What scripts run as; undefined: the server's own. */
  readonly account?: Account | undefined;
  /**
   * A layer of the operating system lets nothing out of what is only read, so
   * that no link in it need be judged.
   */
  readonly contained?: boolean;
}

/** Finds and checks both. Creates neither. Refuses with `PREFLIGHT`. */
export async function checkPlaces(
  skill: Pick<Skill, "name" | "dir">,
  permit: Pick<Permit, "declared" | "workspace">,
  { dataParent, roots, own, auditLog, account, contained }: Surroundings,
): Promise<Result<Places>> {
  const data = dataParent === undefined
    ? ok(undefined)
    : await checkData(skill, dataParent, account);
  if (!data.ok) return data;
  const workspace = await checkWorkspace(skill, permit, {
    account,
    contained: contained ?? false,
  });
  if (!workspace.ok) return workspace;
  const dataDir = data.value?.dir;
  const opened = workspace.value;
  if (
    dataDir !== undefined && opened !== undefined &&
    overlap(dataDir, opened.dir)
  ) {
    return apart("the workspace", "the skill's data directory");
  }
  const places: Places = {
    dataDir,
    workspace: opened && { dir: opened.dir, mode: opened.mode },
    closed: opened?.closed ?? [],
    checked: [data.value?.checked, opened?.checked].filter((dir) =>
      dir !== undefined
    ),
  };
  if (
    auditLog !== undefined && opened !== undefined &&
    overlap(realPathSoFar(auditLog), opened.dir)
  ) {
    return apart("the workspace", "the audit log");
  }
  const kept = [
    ...roots,
    ...own.map(realPathSoFar),
    ...(dataParent === undefined ? [] : [realPathSoFar(dataParent)]),
  ];
  for (const dir of kept) {
    const refusal = writable(places, dir);
    if (refusal !== undefined) return refusal;
  }
  return ok(places);
}

/**
 * The refusal when the workspace would let a script write into a directory that
 * this server runs or serves from.
 */
export function writable(
  { workspace }: Pick<Places, "workspace">,
  dir: string,
): Refusal | undefined {
  return workspace?.mode === "write" && overlap(workspace.dir, dir)
    ? apart("the workspace", "what this server runs or serves from")
    : undefined;
}

async function checkData(
  skill: Pick<Skill, "name" | "dir">,
  parent: string,
  account: Account | undefined,
): Promise<Result<{ dir: string; checked?: CheckedDir }>> {
  let dir: string;
  try {
    dir = joined(realPathSoFar(parent), dataDirFor(skill.name));
  } catch {
    return refuse(
      "PREFLIGHT",
      "the directory for the skills' data cannot be reached",
      "Set MCP_DATA_DIR or SKILLFENCE_DATA_DIR to a directory of this account.",
    );
  }
  if (overlap(dir, skill.dir)) {
    return apart("the skill's data directory", "the skill's own directory");
  }
  // As far as it is there.
  const shut = shutOut(dirname(dir), account, DATA_PARENT);
  if (shut !== undefined) return shut;
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(dir);
  } catch {
    // Made when the first run starts.
    return commaInPath(dir, "the skill's data directory") ?? ok({ dir });
  }
  const problem = dataDirProblem(info, account);
  if (problem !== undefined) return refusedDataDir(problem, account);
  const checked = await checkOpened(dir, "data", true);
  return checked.ok ? ok({ dir, checked: checked.value.checked }) : checked;
}

interface Opened extends Workspace {
  readonly closed: readonly string[];
  readonly checked: CheckedDir;
}

async function checkWorkspace(
  skill: Pick<Skill, "dir">,
  { declared, workspace }: Pick<Permit, "declared" | "workspace">,
  { account, contained }: {
    readonly account: Account | undefined;
    readonly contained: boolean;
  },
): Promise<Result<Opened | undefined>> {
  const mode = declared.workspace;
  if (mode === undefined || workspace === undefined) return ok(undefined);
  let dir: string;
  try {
    if (!isAbsolute(workspace)) throw new TypeError("a relative path");
    dir = Deno.realPathSync(workspace);
    if (!Deno.statSync(dir).isDirectory) throw new TypeError("no directory");
  } catch {
    return refuse(
      "PREFLIGHT",
      "the workspace that the grant opens is not an existing directory",
      "Correct `workspace` of the row in MCP_SKILL_RUN: an absolute path of a directory.",
    );
  }
  // A script that may write into its skill could change what runs next time.
  if (mode === "write" && overlap(dir, skill.dir)) {
    return apart("the workspace", "the skill's own directory");
  }
  const shut = shutOut(dir, account, { what: "the workspace", want: mode });
  if (shut !== undefined) return shut;
  if (contained && mode === "read") {
    const what = "the workspace directory";
    return commaInPath(dir, what) ??
      ok({ dir, mode, closed: [], checked: checkedDir(dir, what) });
  }
  const checked = await checkOpened(dir, "workspace", mode === "write");
  if (!checked.ok) return checked;
  const { closed } = checked.value;
  return ok({ dir, mode, closed, checked: checked.value.checked });
}

function overlap(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function apart(one: string, other: string): Refusal {
  return refuse(
    "PREFLIGHT",
    `${one} and ${other} lie inside each other`,
    "Keep them in separate places, so that nothing changes what was checked.",
  );
}
