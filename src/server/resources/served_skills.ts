/**
 * What the Skills extension and the resources serve of a snapshot: skills that
 * are not left out, and their files by place. Pure.
 */

import { byCodeUnit } from "../../base/order.ts";
import { pathToFileURL } from "node:url";
import { listedFile } from "../../catalog/bundle_file.ts";
import { copiesIn, type Copy } from "../../catalog/copies.ts";
import type { SharedFile, Skill, Snapshot } from "../../catalog/types.ts";

/** One file of a skill as these surfaces see it. */
export interface ServedFile {
  readonly skill: Skill;
  /** Below the skill, `/`-separated. */
  readonly path: string;
  /** Bytes, when it was scanned. */
  readonly size: number;
  /** Set for the copy of a shared file, which lies elsewhere on disk. */
  readonly shared: SharedFile | undefined;
}

/** The served skills of one snapshot. */
export class ServedSkills {
  readonly snapshot: Snapshot;
  /** Those that are listed, in name order: hidden ones have their addresses. */
  readonly names: readonly string[];
  readonly #all: readonly string[];
  #copies: ReadonlyMap<string, readonly Copy[]> | undefined;
  #shared: ReadonlyMap<string, SharedFile> | undefined;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    const served = [...snapshot.skills.values()]
      .filter(({ leftOut }) => leftOut === undefined);
    this.#all = served.map(({ name }) => name);
    this.names = served.filter(({ hidden }) => hidden === undefined)
      .map(({ name }) => name);
  }

  /** The skill of exactly this name, unless it is left out. */
  skill(name: string): Skill | undefined {
    const skill = this.snapshot.skills.get(name);
    return skill?.leftOut === undefined ? skill : undefined;
  }

  /**
   * Everything the skill serves, in path order, each path once. Where a skill of
   * another root has a name inside this one's, its files have those addresses.
   */
  files(skill: Skill): ServedFile[] {
    const files = this.#everything(skill);
    const foreign = this.#foreign(skill);
    return foreign.length === 0
      ? files
      : files.filter(({ path }) =>
        !foreign.some((prefix) => path.startsWith(prefix))
      );
  }

  #everything(skill: Skill): ServedFile[] {
    const files: ServedFile[] = skill.files.map(({ path, size }) => ({
      skill,
      path,
      size,
      shared: undefined,
    }));
    const copies = this.#copiesOf(skill);
    if (copies.length === 0) return files;
    const taken = new Set(files.map(({ path }) => path));
    for (const { path, file } of copies) {
      if (taken.has(path)) continue;
      taken.add(path);
      files.push({ skill, path, size: file.size, shared: file });
    }
    return files.sort((a, b) => byCodeUnit(a.path, b.path));
  }

  /** The file at a place, in the innermost served skill that has it. */
  file(place: string): ServedFile | undefined {
    const [innermost] = this.around(place);
    for (const { skill, path } of this.around(place)) {
      if (path === "") continue;
      if (skill.rootIndex !== innermost!.skill.rootIndex) break;
      const own = listedFile(skill, path);
      if (own !== undefined) {
        return { skill, path, size: own.size, shared: undefined };
      }
      const copy = this.#copiesOf(skill).find((each) => each.path === path);
      if (copy !== undefined) {
        return { skill, path, size: copy.file.size, shared: copy.file };
      }
    }
    return undefined;
  }

  /** The shared file at a `file://` URI as URL parsers write it. */
  sharedAt(href: string): SharedFile | undefined {
    this.#shared ??= new Map(
      [...this.snapshot.shared.values()].map((file) => [fileUri(file), file]),
    );
    return this.#shared.get(href);
  }

  /** Served skills that a place is or lies in, innermost first. */
  around(place: string): { readonly skill: Skill; readonly path: string }[] {
    const found: { skill: Skill; path: string }[] = [];
    for (
      let end = place.length;
      end > 0;
      end = place.lastIndexOf("/", end - 1)
    ) {
      const skill = this.skill(place.slice(0, end));
      if (skill !== undefined) {
        found.push({ skill, path: place.slice(end + 1) });
      }
    }
    return found;
  }

  /** Below the skill: where skills of other roots have their names. */
  #foreign({ name, rootIndex }: Skill): string[] {
    if (this.snapshot.roots.length < 2) return [];
    const prefix = `${name}/`;
    return this.#all.filter((other) =>
      other.startsWith(prefix) &&
      this.snapshot.skills.get(other)!.rootIndex !== rootIndex
    ).map((other) => `${other.slice(prefix.length)}/`);
  }

  #copiesOf({ name }: Skill): readonly Copy[] {
    this.#copies ??= copiesIn(this.snapshot);
    return this.#copies.get(name) ?? [];
  }
}

/** Where a shared file lies, for a client on this machine. */
export function fileUri({ realPath }: Pick<SharedFile, "realPath">): string {
  return pathToFileURL(realPath).href;
}
