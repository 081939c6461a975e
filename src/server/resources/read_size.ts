/** How much a read would bring, before anything is read. */

import { joined, SEPARATOR } from "../../base/place.ts";
import type { Engine } from "../engine_types.ts";
import { MAX_FILE } from "./file_bytes.ts";
import { addressOf } from "./read_resource.ts";
import { openRoom } from "./room.ts";

/**
 * Bytes of the file that `resources/read` would answer `uri` with, as it lies on
 * disk now; 0 for what is no file, is not there, or is refused for its size.
 */
export async function readSize(engine: Engine, uri: string): Promise<number> {
  const address = await addressOf(await openRoom(engine), uri);
  if (address?.kind !== "file") return 0;
  const { skill, path, shared } = address.file;
  const place = shared?.realPath ??
    joined(skill.dir, path.split("/").join(SEPARATOR));
  try {
    const { isFile, size } = await Deno.stat(place);
    return isFile && size <= MAX_FILE ? size : 0;
  } catch {
    // Gone or closed: the read says so in words.
    return 0;
  }
}
