/** Skills, their files and directories as MCP resources. */

import type { Resource } from "@modelcontextprotocol/server";
import { mediaType } from "../../base/media_type.ts";
import { lastSegment } from "../../base/place.ts";
import { placeUri, skillUri } from "../../catalog/skill_uri.ts";
import type { Skill } from "../../catalog/types.ts";
import { META_KEY, skillMetadata } from "./metadata.ts";
import type { Child } from "./directories.ts";
import type { ServedSkills } from "./served_skills.ts";

/** How a directory's media type is written. */
const DIRECTORY = "inode/directory";

/** A skill's SKILL.md. `paths`: the client is on this machine. */
export function skillResource(skill: Skill, paths: boolean): Resource {
  const title = textOf(skill, "title");
  return {
    uri: skillUri(skill.name, "SKILL.md"),
    name: textOf(skill, "name") ?? lastSegment(skill.name),
    ...(title === undefined ? {} : { title }),
    ...(skill.description === undefined
      ? {}
      : { description: skill.description }),
    mimeType: "text/markdown",
    size: skill.skillStamp.size,
    _meta: { [META_KEY]: skillMetadata(skill, paths) },
  };
}

/** A child of the directory at `place`. */
export function childResource(
  served: ServedSkills,
  place: string,
  [name, child]: readonly [string, Child],
  paths: boolean,
): Resource {
  const own = place === "" ? name : `${place}/${name}`;
  const uri = placeUri(own);
  if (child === "directory") return { uri, name, mimeType: DIRECTORY };
  const skill = name === "SKILL.md" ? served.skill(place) : undefined;
  return skill === undefined
    ? { uri, name, mimeType: mediaType(name), size: child.size }
    : skillResource(skill, paths);
}

/** A value of the frontmatter, when it is text. */
export function textOf(
  { frontmatter }: Pick<Skill, "frontmatter">,
  key: string,
): string | undefined {
  if (frontmatter === undefined || !Object.hasOwn(frontmatter, key)) {
    return undefined;
  }
  const value = frontmatter[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
