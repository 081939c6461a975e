/** Our skills as the SDK's extension wants them (SEP-2640). */

import type {
  Skill as SkillEntry,
  SkillReadResult,
  SkillSource,
} from "@modelcontextprotocol/server/ext/skills";
import { hrefOf, placeOf } from "../../catalog/skill_uri.ts";
import { fromBase64 } from "../text_bytes.ts";
import { childrenAt } from "./directories.ts";
import { nextOf, type PageBounds, pageOf } from "./pages.ts";
import { badCursor, refusalError } from "./protocol_errors.ts";
import { readResource } from "./read_resource.ts";
import type { Room } from "./room.ts";
import { skillEntry } from "./skill_entries.ts";
import { childResource } from "./skill_resources.ts";

const MAIN = "/SKILL.md";
/** Entries are long, and every file of theirs is read for the first page. */
const ENTRIES: PageBounds = { count: 50, chars: 250_000 };

/** The source; each call is answered from the snapshot of its moment. */
export function skillSource(
  room: <T>(answer: (room: Room) => Promise<T>) => Promise<T>,
): Required<Omit<SkillSource, "listResources">> {
  return {
    list: ({ cursor }) =>
      room(async ({ engine, served }) => {
        const page = await pageOf<SkillEntry>(
          {
            kind: "skills",
            keys: served.names,
            make: (name) => skillEntry(engine, served, served.skill(name)!),
          },
          cursor,
          ENTRIES,
        );
        if (page === undefined) throw badCursor("skills/list");
        return { skills: page.items, ...nextOf(page) };
      }),
    get: (uri) =>
      room(async ({ engine, served }) => {
        const place = placeOf(uri);
        if (place === undefined || !place.endsWith(MAIN)) return undefined;
        const skill = served.skill(place.slice(0, -MAIN.length));
        if (skill === undefined) return undefined;
        const entry = await skillEntry(engine, served, skill);
        // Exactly the address that is listed, as far as URL parsers care.
        return entry?.uri === hrefOf(uri) ? entry : undefined;
      }),
    read: (uri) =>
      room(async (here): Promise<SkillReadResult> => {
        const read = await readResource(here, uri);
        if (!read.ok) throw refusalError(read, uri);
        const { mimeType, ...content } = read.value;
        return "text" in content
          ? { text: content.text, mimeType }
          : { bytes: fromBase64(content.blob)!, mimeType };
      }),
    readDirectory: (uri, { cursor }) =>
      room(async ({ served, local }) => {
        // One slash at the end is forgiven; directories are written without.
        const place = placeOf(uri.replace(/([^/])\/$/, "$1"));
        if (place === undefined) return undefined;
        const children = childrenAt(served, place);
        if (children === undefined) return undefined;
        const page = await pageOf(
          {
            kind: `directory ${place}`,
            keys: [...children.keys()],
            make: (name) =>
              childResource(served, place, [name, children.get(name)!], local),
          },
          cursor,
        );
        if (page === undefined) throw badCursor("resources/directory/read");
        return { resources: page.items, ...nextOf(page) };
      }),
  };
}
