/** The name of an index. */

import type { IndexGround } from "./types.ts";

/** Raised when what an index holds, or how, becomes another. */
const FORMAT = 2;

/**
 * Names the index of a ground: 64 hex digits. By the web's digest: Node's takes
 * longer to load than a hook can wait for.
 */
export async function indexKey(
  { version, roots, maxSkills, workspaces }: IndexGround,
): Promise<string> {
  const said = roots.map(({ path, include, ignore, flat }) => [
    path,
    include,
    ignore,
    flat,
  ]);
  const text = JSON.stringify([FORMAT, version, said, maxSkills, workspaces]);
  const bytes = new TextEncoder().encode(text);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}
