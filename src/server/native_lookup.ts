/** The connected client's own folders of skills, on this machine. */

import { findNative, type NativeSkills } from "../catalog/native.ts";
import { nativeFolders } from "../catalog/native_folders.ts";
import { diskFs } from "../catalog/scan_fs.ts";
import type { Config } from "../config/types.ts";

/** Looks into the folders of the client that is connected when it is called. */
export function nativeLookup(
  { env }: Pick<Config, "env">,
  client: () => string | undefined,
): () => NativeSkills {
  return () => {
    const home = env("HOME") ?? env("USERPROFILE");
    return findNative(nativeFolders(client(), { home, cwd: cwd() }), diskFs());
  };
}

function cwd(): string | undefined {
  try {
    return Deno.cwd();
  } catch {
    // It was removed under the server.
    return undefined;
  }
}
