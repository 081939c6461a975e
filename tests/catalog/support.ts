/** What the catalogue's tests share: small skills and short answers. */

import { type ScanOptions, scanRoots } from "../../src/catalog/scan.ts";
import {
  diskFs,
  type ScanFs,
  type ScanStat,
} from "../../src/catalog/scan_fs.ts";
import type { Directory } from "../../src/config/types.ts";
import type { Problem, Skill, Snapshot } from "../../src/catalog/types.ts";

/** A SKILL.md with this name, description and further frontmatter lines. */
export function skillMd(
  name: string,
  ...lines: readonly string[]
): string {
  return [
    "---",
    `name: ${name}`,
    `description: About ${name}.`,
    ...lines,
    "---",
    `# ${name}`,
    "",
  ].join("\n");
}

/** A SKILL.md that declares one script. */
export function withScript(name: string, script: string): string {
  return skillMd(
    name,
    "mcp-host:",
    "  version: 1",
    "  run:",
    `    - script: ${script}`,
    "      interpreter: node",
  );
}

/** Directories without filters. */
export function plain(...paths: readonly string[]): Directory[] {
  return paths.map((path) => ({ path, include: [], ignore: [], watch: true }));
}

/** Scans directories without filters. */
export function scanAll(
  paths: readonly string[],
  options: ScanOptions = {},
): Promise<Snapshot> {
  return scanRoots(plain(...paths), options);
}

/** Scans one directory. */
export function scanOne(
  root: string,
  options: ScanOptions = {},
): Promise<Snapshot> {
  return scanAll([root], options);
}

/** Served names, in the snapshot's order. */
export function names(snapshot: Snapshot): string[] {
  return [...snapshot.skills.keys()];
}

/** `reason path` of each problem; what is left out has tests of its own. */
export function reasons(snapshot: Snapshot): string[] {
  return snapshot.problems
    .filter(({ reason }) => reason !== "left-out")
    .map(({ reason, path }) => `${reason} ${path}`);
}

/** The one problem with this reason; fails unless there is exactly one. */
export function only(snapshot: Snapshot, reason: string): Problem {
  const found = snapshot.problems.filter((each) => each.reason === reason);
  if (found.length !== 1) {
    throw new Error(
      `${found.length} problems "${reason}": ${
        JSON.stringify(snapshot.problems, null, 1)
      }`,
    );
  }
  return found[0]!;
}

/** The served skill of this name; fails when there is none. */
export function skill(snapshot: Snapshot, name: string): Skill {
  const found = snapshot.skills.get(name);
  if (found === undefined) {
    throw new Error(`no ${name} among ${names(snapshot).join(", ")}`);
  }
  return found;
}

/** Listed paths of a skill. */
export function paths(snapshot: Snapshot, name: string): string[] {
  return skill(snapshot, name).files.map((file) => file.path);
}

/** The disk as if all changes were an hour old, and what is asked of it. */
export function settledDisk(): { fs: ScanFs; asked: string[] } {
  const disk = diskFs();
  const asked: string[] = [];
  const past = (date: Date | null) =>
    date === null ? null : new Date(date.getTime() - 3_600_000);
  const aged = (stat: ScanStat): ScanStat => ({
    isFile: stat.isFile,
    isDirectory: stat.isDirectory,
    isSymlink: stat.isSymlink,
    size: stat.size,
    ino: stat.ino,
    mtime: past(stat.mtime),
    ctime: past(stat.ctime),
    birthtime: past(stat.birthtime),
  });
  const fs: ScanFs = {
    ...disk,
    readDir: (path) => (asked.push(`list ${path}`), disk.readDir(path)),
    lstat: (path) => (asked.push(`look ${path}`), aged(disk.lstat(path))),
    stat: (path) => aged(disk.stat(path)),
    readStart: (path, cap) => {
      asked.push(`read ${path}`);
      const start = disk.readStart(path, cap);
      return { ...start, stat: aged(start.stat) };
    },
  };
  return { fs, asked };
}
