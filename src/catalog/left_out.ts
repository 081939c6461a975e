/**
 * What the Skills extension and the resources leave out: skills that a host
 * would refuse or could not hold. The rule is that of the extension
 * (SEP-2640) and of Agent Skills names. Pure.
 */

import { visible } from "../base/text.ts";
import type { Copy } from "./copies.ts";
import { lastSegment } from "../base/place.ts";
import type { Skill } from "./types.ts";

/** Most files of a skill, copies of shared files among them. */
export const MAX_FILES = 512;
/** Most bytes of a skill: 16 MiB. */
export const MAX_BYTES = 16 * 1024 * 1024;

/** Code points of a description, and of `compatibility`, in Agent Skills. */
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
/** The names that Agent Skills allow. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What is asked of a skill here. */
export type Judged = Pick<
  Skill,
  "name" | "frontmatter" | "description" | "files" | "bytes" | "flat"
>;

/** Why flat skills are left out, all of them. */
export const FLAT_LEFT_OUT =
  "it is a single file, not a directory with a SKILL.md";

/**
 * Why a skill is left out, in words; undefined: it is served. `copies` are all
 * that would be files of it, those of nested skills too.
 */
export function whyLeftOut(
  skill: Judged,
  copies: readonly Copy[],
): string | undefined {
  if (skill.flat) return FLAT_LEFT_OUT;
  return whyNoEntry(skill) ?? whyTooMuch(skill, copies) ??
    whyAmbiguous(skill, copies);
}

function whyNoEntry(skill: Judged): string | undefined {
  const { frontmatter } = skill;
  if (frontmatter === undefined) {
    return "it has no frontmatter that can be read";
  }
  const name = Object.hasOwn(frontmatter, "name")
    ? frontmatter["name"]
    : undefined;
  if (typeof name !== "string" || name === "") {
    return "its frontmatter has no name";
  }
  const own = lastSegment(skill.name);
  if (name !== own) {
    return `its frontmatter's name "${visible(name, 80)}" is not "${own}"`;
  }
  if (!NAME.test(name)) {
    return `"${own}" is no name of lower-case letters, digits and single hyphens, at most 64`;
  }
  if (skill.description === undefined) {
    return "its frontmatter has no description";
  }
  const odd = whyNoJson(frontmatter);
  if (odd !== undefined) return `its frontmatter has no JSON form: ${odd}`;
  const format = whyOffFormat(frontmatter);
  if (format !== undefined) return format;
  return skill.files.some(({ path }) => path === "SKILL.md")
    ? undefined
    : "no SKILL.md of that spelling is among its files";
}

/** What Agent Skills says of other keys: hosts refuse a whole list over it. */
function whyOffFormat(
  frontmatter: Readonly<Record<string, unknown>>,
): string | undefined {
  const { description, compatibility, metadata } = frontmatter;
  if (!isTextUpTo(MAX_DESCRIPTION, description)) {
    return `its description is no text of 1 to ${MAX_DESCRIPTION} characters`;
  }
  if (
    compatibility !== undefined &&
    !isTextUpTo(MAX_COMPATIBILITY, compatibility)
  ) {
    return `its frontmatter's compatibility is no text of 1 to ${MAX_COMPATIBILITY} characters`;
  }
  if (metadata !== undefined && !isTextMap(metadata)) {
    return "its frontmatter's metadata holds more than texts: quote its values";
  }
  return undefined;
}

function isTextUpTo(most: number, value: unknown): boolean {
  if (typeof value !== "string" || value === "") return false;
  return value.length <= most || [...value].length <= most;
}

function isTextMap(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === "string");
}

function whyTooMuch(
  { files, bytes }: Judged,
  copies: readonly Copy[],
): string | undefined {
  const count = files.length + copies.length;
  if (count > MAX_FILES) {
    return `it has ${count} files, more than ${MAX_FILES}`;
  }
  const sum = copies.reduce((sum, { file }) => sum + file.size, bytes);
  return sum > MAX_BYTES ? "its files are larger than 16 MiB" : undefined;
}

/** One URI names one file, and no directory. */
function whyAmbiguous(
  { files }: Judged,
  copies: readonly Copy[],
): string | undefined {
  if (copies.length === 0) return undefined;
  const taken = new Map<string, string>();
  const folders = new Set<string>();
  const enter = (path: string, by: string) => {
    taken.set(path, by);
    for (
      let end = path.lastIndexOf("/");
      end > 0;
      end = path.lastIndexOf("/", end - 1)
    ) folders.add(path.slice(0, end));
  };
  for (const { path } of files) enter(path, "a file of its own");
  for (const { path, file } of copies) {
    const by = taken.get(path);
    if (by === file.id) continue;
    const clash = by ?? (folders.has(path) ? "a directory" : undefined) ??
      folderTaken(path, taken);
    if (clash !== undefined) {
      return `${clash} lies where the shared file ${file.id} would: "${
        visible(path, 120)
      }"`;
    }
    enter(path, file.id);
  }
  return undefined;
}

function folderTaken(
  path: string,
  taken: ReadonlyMap<string, string>,
): string | undefined {
  for (
    let end = path.lastIndexOf("/");
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) if (taken.has(path.slice(0, end))) return "a file";
  return undefined;
}

/** The first value that JSON cannot hold, in words. Nesting is bounded. */
function whyNoJson(value: unknown): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `${value} is no JSON number`;
  }
  if (typeof value === "bigint" || value === undefined) {
    return "a value is no JSON value";
  }
  if (typeof value !== "object" || value === null) return undefined;
  // Readers of JSON drop this key, or worse.
  if (Object.hasOwn(value, "__proto__")) return 'it has the key "__proto__"';
  for (const each of Object.values(value)) {
    const why = whyNoJson(each);
    if (why !== undefined) return why;
  }
  return undefined;
}
