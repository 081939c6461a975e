/** The files a caller speaks of, as places in workspaces. */

import { posix, win32 } from "node:path";
import { fileURLToPath } from "node:url";

/** Longest accepted path, in UTF-16 units, and how deep it may lie. */
const MAX_PATH = 4_096;
const MAX_DEPTH = 128;

const OUTSIDE = "it lies outside every workspace";
const TOO_DEEP = `it lies deeper than ${MAX_DEPTH} directories`;

/** Where paths may lie, and what is asked about them. */
export interface PathGround {
  /** Absolute real paths; the first is what relative paths are relative to. */
  readonly workspaces: readonly string[];
  /** Separators and drives of Windows. */
  readonly windows: boolean;
  /**
   * The real path; undefined: there is no such file. Anything else is thrown.
   * Without it paths are judged by how they are written.
   */
  readonly realPath?:
    | ((path: string) => Promise<string | undefined>)
    | undefined;
}

/** One path below one workspace. */
export interface PlacedPath {
  readonly workspace: string;
  /** `/`-separated, with a `/` at its end where the caller wrote one. */
  readonly path: string;
}

/**
 * Where `given` lies: absolute, a `file:` URI, or relative to the first
 * workspace; once for each workspace that it lies in. A string says why it is
 * not looked at. A link may not lead out of the workspaces; a file that is not
 * there yet is judged by the nearest directory that is.
 */
export async function placePath(
  given: string,
  ground: PathGround,
): Promise<readonly PlacedPath[] | string> {
  const { join, isAbsolute, sep } = ground.windows ? win32 : posix;
  const [first] = ground.workspaces;
  if (first === undefined) return "there is no workspace";
  const path = plainPath(given, ground.windows);
  if (typeof path !== "string") return path.why;
  // Joining settles `.`, `..` and empty segments.
  const absolute = isAbsolute(path) ? join(path) : join(first, path);
  const written = checked(placesOf(absolute, ground));
  if (ground.realPath === undefined) return written;
  if (absolute.split(sep).length > 2 * MAX_DEPTH) return TOO_DEEP;
  const real = await nearestReal(absolute, ground);
  if (real === undefined) return "its real path cannot be told";
  const really = placesOf(absolute.endsWith(sep) ? real + sep : real, ground);
  // Written through a link to a workspace, only its real path lies inside.
  if (written === OUTSIDE) return checked(really);
  return really.length === 0 ? `its real path: ${OUTSIDE}` : written;
}

/** Whether `path`, below its workspace, lies in `scope`; `""`: everything does. */
export function inScope(path: string, scope: string): boolean {
  return scope === "" || path === scope || path.startsWith(`${scope}/`);
}

function plainPath(
  given: string,
  windows: boolean,
): string | { readonly why: string } {
  if (given === "") return { why: "it is empty" };
  if (given.length > MAX_PATH) {
    return { why: `it is longer than ${MAX_PATH} characters` };
  }
  if (!given.isWellFormed()) return { why: "it holds half a character" };
  let path = given;
  if (/^file:/i.test(given)) {
    try {
      path = fileURLToPath(given, { windows });
    } catch {
      return { why: "it is no file: URI of this machine" };
    }
  } else if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) {
    return { why: "it is a URI, and not of a file" };
  }
  return path.includes("\0") ? { why: "it holds a NUL character" } : path;
}

function placesOf(
  absolute: string,
  { workspaces, windows }: PathGround,
): PlacedPath[] {
  const { relative, isAbsolute, sep } = windows ? win32 : posix;
  return workspaces.flatMap((workspace) => {
    const path = relative(workspace, absolute).replaceAll(sep, "/");
    if (path === ".." || path.startsWith("../") || isAbsolute(path)) return [];
    const directory = absolute.endsWith(sep) && path !== "";
    return [{ workspace, path: directory ? `${path}/` : path }];
  });
}

function checked(
  places: readonly PlacedPath[],
): readonly PlacedPath[] | string {
  if (places.length === 0) return OUTSIDE;
  const inside = places.filter(({ path }) => path !== "");
  if (inside.length === 0) return "it is the workspace itself";
  return inside.some(({ path }) => path.split("/").length > MAX_DEPTH)
    ? TOO_DEEP
    : inside;
}

/**
 * The real path, the part that is not there yet as it is written. Below what is
 * not there nothing is, so few of the places on the way have to be asked about.
 */
async function nearestReal(
  absolute: string,
  { realPath, windows }: PathGround,
): Promise<string | undefined> {
  const { dirname, join, relative } = windows ? win32 : posix;
  const places = [absolute];
  for (let at = absolute; dirname(at) !== at; at = dirname(at)) {
    places.push(dirname(at));
  }
  try {
    const whole = await realPath!(absolute);
    if (whole !== undefined) return whole;
    let found: { readonly place: string; readonly real: string } | undefined;
    let [low, high] = [1, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const place = places[middle]!;
      const real = await realPath!(place);
      if (real === undefined) low = middle + 1;
      else {
        found = { place, real };
        high = middle;
      }
    }
    return found && join(found.real, relative(found.place, absolute));
  } catch {
    return undefined;
  }
}
