/** What an executable is linked with: all that a sandbox must show it. */

import { posix } from "node:path";
import { visible } from "../base/text.ts";
import { distrust, ROOT } from "./trusted_path.ts";
import type { Library } from "./types.ts";

/** Where systems keep it, the last for NixOS. */
const LDD: readonly string[] = [
  "/usr/bin/ldd",
  "/bin/ldd",
  "/run/current-system/sw/bin/ldd",
];
const TIMEOUT_MS = 5_000;
/** Stand-ins when nobody says which files: they hold library files only. */
const COARSE: readonly string[] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/** The libraries of an executable, its loader included. */
export interface Linked {
  readonly libraries: readonly Library[];
  /** In words: why whole directories stand for the files. */
  readonly warning: string | undefined;
}

/**
 * Asks `ldd` about a trusted `executable` (absolute path). Where that gives no
 * clear answer, the system's library directories come back, with a warning.
 */
export async function linkedWith(
  executable: string,
  ldd: readonly string[] = LDD,
): Promise<Linked> {
  const asked = await askLdd(executable, ldd);
  if (typeof asked !== "string") {
    return { libraries: asked, warning: undefined };
  }
  return {
    libraries: await existing(COARSE.map((path) => ({ from: path, to: path }))),
    warning:
      `the system's library directories are visible in the sandbox, since ${asked}`,
  };
}

/**
 * What `ldd` printed about an executable: where each file is looked for and
 * where it was found, absolute. Undefined when a line is not understood or a
 * library was not found. A static executable has none.
 */
export function readLdd(text: string): Library[] | undefined {
  if (/^\s*(statically linked|not a dynamic executable)\s*$/.test(text)) {
    return [];
  }
  const libraries: Library[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || /^\s+linux-(vdso|gate)\S* \(0x/.test(line)) {
      continue;
    }
    const [, name, found] =
      /^\s+(?:(\S+) => )?(\/\S.*) \(0x[0-9a-f]+\)$/.exec(line) ?? [];
    if (found === undefined) return undefined;
    const asked = name?.startsWith("/") ? name : found;
    libraries.push({ from: found, to: posix.normalize(asked) });
  }
  return libraries.length === 0 ? undefined : libraries;
}

/** The libraries, or in words why there is no answer. */
async function askLdd(
  executable: string,
  places: readonly string[],
): Promise<Library[] | string> {
  const ldd = await firstTrusted(places);
  if (ldd === undefined) return "there is no `ldd`";
  try {
    const { code, stdout } = await new Deno.Command(ldd, {
      args: [executable],
      stdin: "null",
      stderr: "null",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).output();
    const read = code === 0
      ? readLdd(new TextDecoder().decode(stdout))
      : undefined;
    if (read === undefined) return "the answer of `ldd` is not understood";
    const found = await existing(read);
    return found.length === read.length
      ? found
      : "`ldd` names a file that is not there";
  } catch (error) {
    return `\`ldd\` could not be run (${visible(String(error))})`;
  }
}

async function firstTrusted(
  places: readonly string[],
): Promise<string | undefined> {
  for (const place of places) {
    try {
      if (await distrust(place, [ROOT]) === undefined) return place;
    } catch {
      // Not there.
    }
  }
  return undefined;
}

/** Those that exist, by their real paths; each place once. */
async function existing(libraries: readonly Library[]): Promise<Library[]> {
  const found = new Map<string, Library>();
  for (const { from, to } of libraries) {
    try {
      found.set(to, { from: await Deno.realPath(from), to });
    } catch {
      // Left out.
    }
  }
  return [...found.values()];
}
