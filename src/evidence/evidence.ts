/** What a run tried, and what came of it, as its result states it. */

import { isAbsolute } from "node:path";
import type { Network } from "../os/types.ts";
import type { ProxyRecord } from "../proxy/types.ts";
import type { AuditRecord, Kind, Tally } from "./permission_record.ts";
import { blindSpots } from "./blind.ts";
import { bounded } from "./bounds.ts";
import { netEntries } from "./net_entries.ts";
import { ALL, pathText, type Show, showWithout } from "./shown.ts";
import type { AccessRules, Evidence, EvidenceEntry } from "./types.ts";
import {
  absolutePath,
  nameVerdict,
  pathVerdict,
  type Verdict,
} from "./verdicts.ts";

/** One run, after its end. */
export interface EvidenceInput {
  readonly record: AuditRecord;
  readonly rules: AccessRules;
  /** Absolute directory in which the script started. */
  readonly cwd: string;
  /** The script was the process's main module, not a worker's. */
  readonly direct: boolean;
  /** The script's `process.env` was a copy; see `BlindFacts`. */
  readonly copiedEnv: boolean;
  readonly network: Network;
  /** What went through the run's proxy, where there was one. */
  readonly proxy?: ProxyRecord;
  /**
   * Values of the runtime's record that are the fence's own: the proxy's socket
   * as a path and as `unix:/path`, the address of the forwarder.
   */
  readonly own?: readonly string[];
  /** Values that must not be shown, by the names that stand for them. */
  readonly hidden?: ReadonlyMap<string, string>;
}

/** Relative paths, and directories they may have stood for, looked at. */
const LOOKED_AT = 64;

/**
 * The record with its verdicts: distinct, denied first, bounded to about 6 KB
 * of JSON, everything visible and relative to the skill where it lies in it.
 * `allowed` says that the fence did not refuse, not that it succeeded.
 */
export function evidenceOf(input: EvidenceInput): Evidence {
  const { record, rules, cwd, proxy, own = [] } = input;
  const show = showWithout(input.hidden ?? new Map());
  const { checks } = record;
  const names = (kind: "env" | "sys" | "run" | "ffi" | "import") =>
    entriesOf(checks[kind], own, (name) => ({
      what: name === undefined
        ? ALL
        : show(kind === "ffi" ? libraryText(name, input) : name),
      verdict: nameVerdict(kind, name, rules),
    }));
  const paths = (kind: "read" | "write") =>
    entriesOf(checks[kind], own, (path) => pathEntry(kind, path, input, show));
  const { lists, more } = bounded({
    read: paths("read"),
    write: paths("write"),
    net: netEntries({
      tally: checks.net,
      rules,
      network: input.network,
      proxy,
      own,
      show,
    }),
    env: names("env"),
    sys: names("sys"),
    run: names("run"),
    ffi: names("ffi"),
    import: names("import"),
  });
  return {
    ...lists,
    more: more + (proxy?.more ?? 0),
    blind: blindSpots({
      direct: input.direct,
      copiedEnv: input.copiedEnv,
      network: input.network,
      proxy,
      truncated: record.truncated,
      unreadable: record.unreadable,
      missing: record.missing,
      moved: mayHaveMoved(checks, rules, cwd),
    }),
  };
}

/** What one value comes out as. */
interface Judged {
  readonly what: string;
  readonly verdict: Verdict;
}

/** One entry for each thing and verdict, with how often it was asked for. */
function entriesOf(
  tally: Tally,
  own: readonly string[],
  judge: (value: string | undefined) => Judged,
): EvidenceEntry[] {
  const found = new Map<string, EvidenceEntry>();
  for (const [value, count] of tally) {
    if (value !== undefined && own.includes(value)) continue;
    const { what, verdict } = judge(value);
    const key = `${verdict} ${what}`;
    const times = (found.get(key)?.times ?? 0) + count;
    found.set(key, { what, verdict, times });
  }
  return [...found.values()];
}

/** A native library by its path as it is shown; a bare name is the linker's. */
function libraryText(name: string, { rules, cwd }: EvidenceInput): string {
  return name.includes("/")
    ? pathText(absolutePath(name, rules, cwd), rules)
    : name;
}

function pathEntry(
  kind: "read" | "write",
  value: string | undefined,
  { rules, cwd }: EvidenceInput,
  show: Show,
): Judged {
  // All files at once, as for making a symbolic link: never granted.
  if (value === undefined) return { what: ALL, verdict: "denied" };
  const path = absolutePath(value, rules, cwd);
  return {
    what: show(pathText(path, rules)),
    verdict: pathVerdict(kind, path, rules),
  };
}

/**
 * Whether some relative path would be judged otherwise in a directory that the
 * script was let into: a change of directory leaves the same line as a look.
 */
function mayHaveMoved(
  checks: Readonly<Record<Kind, Tally>>,
  rules: AccessRules,
  cwd: string,
): boolean {
  const relative = (["read", "write"] as const).flatMap((kind) =>
    [...checks[kind].keys()].flatMap((path) =>
      path === undefined || isAbsolute(path) || path.startsWith("<TMP>")
        ? []
        : [{ kind, path }]
    )
  );
  if (relative.length === 0) return false;
  const directories = [...checks.read.keys()].filter((path) =>
    path !== undefined
  ).map((path) => absolutePath(path, rules, cwd))
    .filter((path) => pathVerdict("read", path, rules) === "allowed");
  const verdict = (kind: "read" | "write", path: string, from: string) =>
    pathVerdict(kind, absolutePath(path, rules, from), rules);
  return (directories.length > LOOKED_AT || relative.length > LOOKED_AT) ||
    relative.some(({ kind, path }) =>
      directories.some((from) =>
        verdict(kind, path, from) !== verdict(kind, path, cwd)
      )
    );
}
