/** What must hold of every tree a script is let into, at every run. */

import { dirname } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { counted, visible } from "../base/text.ts";
import { below, isWithin, joined } from "../base/place.ts";
import { scriptsUid } from "../os/account.ts";
import type { Account } from "../os/types.ts";
import { type CheckedDir, checkedDir } from "./preflight/checked_dir.ts";
import { DENODIR, SCRATCH } from "./plan/placeholders.ts";
import {
  type Fault,
  inspectTree,
  type TreeFacts,
} from "./preflight/inspect_tree.ts";
import { shutOut } from "./preflight/shut_out.ts";
import { rulesAbove } from "./preflight/tree_rules.ts";

const MIB = 1024 * 1024;
/** A bundle larger than this does not run. */
export const BUNDLE_LIMITS = { maxFiles: 20_000, maxBytes: 512 * MIB };
/** A data directory or workspace larger than this cannot be looked at in time. */
const OPENED = { maxFiles: 200_000, maxBytes: Infinity };
/**
 * Bytes of closed paths of one tree: a system takes one argument of at most
 * 128 KiB, and the paths of two trees stand in one.
 */
const MAX_CLOSED_BYTES = 48 * 1024;
/** Faults named in one refusal. */
const NAMED = 3;

/** A tree that passed. */
export interface CheckedTree {
  /** Absolute and real. */
  readonly dir: string;
  /** The directory as it was before anything in it was looked at. */
  readonly checked: CheckedDir;
  readonly facts: TreeFacts;
  /** Absolute paths that must be closed to the script. */
  readonly closed: readonly string[];
}

/**
 * Looks at a skill's real directory. `root` is the real path of the catalog's
 * root it lies in, whose ignore rules count. Refuses with `PREFLIGHT` naming
 * the files, or `TOO_LARGE`. `account` is what scripts run as (undefined: the
 * server's own): what it cannot read is named as well.
 */
export async function checkBundle(
  dir: string,
  root: string,
  account?: Account,
): Promise<Result<CheckedTree>> {
  const rel = isWithin(dir, root) ? below(dir, root) : "";
  const place = commaInPath(dir, "the skill's directory");
  if (place !== undefined) return place;
  const what = "the skill's directory";
  const shut = shutOut(dir, account, { what, want: "read" });
  if (shut !== undefined) return shut;
  const looked = await look(dir, "the skill", () =>
    inspectTree(dir, {
      writable: false,
      ...BUNDLE_LIMITS,
      rules: rulesAbove(root, rel),
      rel,
      account,
    }));
  if (!looked.ok) return looked;
  const { facts } = looked.value;
  if (facts.over !== undefined) {
    return tooLarge(facts, "the skill", BUNDLE_LIMITS);
  }
  const owner = Deno.lstatSync(dir).uid;
  const owners = new Map(facts.files.map((file) => [file.path, file.uid]));
  // Files shared with a package manager's store are usual; another owner's are not.
  const faults = facts.faults.filter(({ kind, path }) =>
    kind !== "names" || owners.get(path) !== owner
  );
  return judged(looked.value, faults, { prefix: "", account });
}

/**
 * Looks at a data directory or workspace; `what` names it in messages. Its
 * files are named below `what`.
 */
export async function checkOpened(
  dir: string,
  what: "data" | "workspace",
  writable: boolean,
): Promise<Result<CheckedTree>> {
  const place = commaInPath(dir, `the ${what} directory`);
  if (place !== undefined) return place;
  const looked = await look(
    dir,
    `the ${what} directory`,
    () => inspectTree(dir, { writable, ...OPENED }),
  );
  if (!looked.ok) return looked;
  const { facts } = looked.value;
  if (facts.over !== undefined) {
    return tooLarge(facts, `the ${what} directory`, OPENED);
  }
  return judged(looked.value, facts.faults, { prefix: `${what}/` });
}

/** The refusal for a directory whose own path a permission list would split. */
export function commaInPath(dir: string, what: string): Refusal | undefined {
  if (dir.includes(",")) {
    return refuse(
      "PREFLIGHT",
      `${what} has a comma in its path, at which permission lists are split`,
      "Rename the directory, or serve it from another place.",
    );
  }
  // What the runner puts in for a run's own directories must not stand here.
  return dir.includes(SCRATCH) || dir.includes(DENODIR)
    ? refuse(
      "PREFLIGHT",
      `${what} has ${SCRATCH} or ${DENODIR} in its path, which mean something else in a Plan`,
      "Rename the directory, or serve it from another place.",
    )
    : undefined;
}

/**
 * The real path that a path will have: as far as it is there, its links are
 * followed; the rest is taken as it stands. Absolute in, absolute out.
 */
export function realPathSoFar(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (!(error instanceof Deno.errors.NotFound) || parent === path) {
      throw error;
    }
    return joined(
      realPathSoFar(parent),
      path.slice(parent.length).replace(/^[/\\]/, ""),
    );
  }
}

type Looked = Pick<CheckedTree, "checked" | "facts">;

async function look(
  dir: string,
  what: string,
  inspect: () => Promise<TreeFacts>,
): Promise<Result<Looked>> {
  try {
    const checked = checkedDir(dir, what);
    return ok({ checked, facts: await inspect() });
  } catch (error) {
    // A file system's refusal names the path; the caller may not know it.
    return refuse(
      "PREFLIGHT",
      `${what} cannot be read (${errorName(error)})`,
      "Make the directory readable to this account.",
    );
  }
}

function tooLarge(
  facts: TreeFacts,
  what: string,
  limits: { readonly maxFiles: number; readonly maxBytes: number },
): Refusal {
  const limit = facts.over === "bytes"
    ? `${counted(limits.maxBytes / MIB)} MiB`
    : facts.over === "files"
    ? `${counted(limits.maxFiles)} files`
    : `${counted(limits.maxFiles * 2)} files and directories`;
  return refuse(
    "TOO_LARGE",
    `${what} holds more than ${limit}, hidden and ignored ones included, so nothing in it runs`,
    "Every byte that a script may read is checked before it runs: move what it does not need out of the directory.",
  );
}

function judged(
  { checked, facts }: Looked,
  faults: readonly Fault[],
  { prefix, account }: { readonly prefix: string; readonly account?: Account },
): Result<CheckedTree> {
  const dir = checked.path;
  const closed = facts.closed.map((path) => joined(dir, path));
  if (faults.length === 0) {
    return closedTooMany(closed, prefix) ?? ok({ dir, checked, facts, closed });
  }
  const named = faults.slice(0, NAMED).map(({ path, kind }) =>
    `${visible(prefix + path)} ${WHAT[kind]}${
      kind === "unreadable" && account ? scriptsUid(account) : ""
    }`
  );
  const more = faults.length - named.length;
  const kinds = [...new Set(faults.map(({ kind }) => kind))];
  return refuse(
    "PREFLIGHT",
    named.join("; ") + (more > 0 ? `; and ${more} more` : ""),
    kinds.map((kind) => FIX[kind]).join(" "),
  );
}

/** The refusal for more closed entries than a command line can name. */
function closedTooMany(
  closed: readonly string[],
  prefix: string,
): Refusal | undefined {
  const bytes = new TextEncoder().encode(closed.join(",")).length;
  if (bytes <= MAX_CLOSED_BYTES) return undefined;
  return refuse(
    "TOO_LARGE",
    `${
      prefix === "" ? "the skill" : `the directory ${prefix}`
    } holds ${closed.length} hidden or ignored entries with links or special files that lead out, more than one command line can close to the script`,
    "Remove those links, or keep such entries in fewer directories.",
  );
}

const WHAT: Readonly<Record<Fault["kind"], string>> = {
  link: "is a link that leads out, through which the script could reach",
  "climbing-link":
    "is a link with .. in its target, which leads out once the script moves it",
  special: "is a pipe, a socket or a device",
  names: "has another name outside (a hard link)",
  comma: "has a comma in its path, at which permission lists are split",
  "not-utf8": "has a name that is not UTF-8",
  unseen: "cannot be looked at, so what it leads to is not known",
  unreadable: "cannot be read by ",
};

const FIX: Readonly<Record<Fault["kind"], string>> = {
  link:
    "Replace the link by the file itself, or move it into a hidden or ignored directory of the skill: that directory is then closed to the script.",
  "climbing-link":
    "Remove the link, give it a target without .., or let the script only read here.",
  special: "Remove it.",
  names: "Replace it by a copy.",
  comma: "Rename it.",
  "not-utf8": "Rename it.",
  unseen: "Make it readable to this account, or remove it.",
  unreadable:
    "Let others read the skill (chmod -R o+rX), or set SKILLFENCE_UID to the uid of an account that may.",
};
