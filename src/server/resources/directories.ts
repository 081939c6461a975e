/** The name space of skills as directories: what lies right in one place. */

import { byCodeUnit } from "../../base/order.ts";
import { visibleDirectories } from "../../catalog/visible_directories.ts";
import type { Skill } from "../../catalog/types.ts";
import type { ServedFile, ServedSkills } from "./served_skills.ts";

/** One child: a file, or a directory. */
export type Child = ServedFile | "directory";

/**
 * The children of a place (`""`: the top) by name, in name order. Undefined
 * when it is no directory: a directory is what holds something, lies in a
 * served skill's directory on disk, or is the top.
 */
export function childrenAt(
  served: ServedSkills,
  place: string,
): ReadonlyMap<string, Child> | undefined {
  if (served.file(place) !== undefined) return undefined;
  const children = new Map<string, Child>();
  const around = served.around(place);
  for (const { skill, path } of around) {
    filesBelow(served.files(skill), path, children);
  }
  namesBelow(served.names, place, children);
  const onDisk = around.map((each) => directoriesOnDisk(served, each))
    .filter((names) => names !== undefined);
  for (const name of onDisk.flat()) {
    if (!children.has(name)) children.set(name, "directory");
  }
  const exists = place === "" || children.size > 0 || onDisk.length > 0;
  if (!exists) return undefined;
  return new Map([...children].sort(([a], [b]) => byCodeUnit(a, b)));
}

function filesBelow(
  files: readonly ServedFile[],
  path: string,
  children: Map<string, Child>,
): void {
  const prefix = path === "" ? "" : `${path}/`;
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    const rest = file.path.slice(prefix.length);
    const slash = rest.indexOf("/");
    if (slash < 0) children.set(rest, file);
    else children.set(rest.slice(0, slash), "directory");
  }
}

function namesBelow(
  names: readonly string[],
  place: string,
  children: Map<string, Child>,
): void {
  const prefix = place === "" ? "" : `${place}/`;
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    const slash = rest.indexOf("/");
    children.set(slash < 0 ? rest : rest.slice(0, slash), "directory");
  }
}

function directoriesOnDisk(
  { snapshot }: ServedSkills,
  { skill, path }: { readonly skill: Skill; readonly path: string },
): string[] | undefined {
  const rootDir = snapshot.roots[skill.rootIndex]?.realPath;
  return rootDir === undefined
    ? undefined
    : visibleDirectories(rootDir, skill, path);
}
