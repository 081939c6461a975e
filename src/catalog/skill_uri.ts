/**
 * `skill://<name>/<path>`: each segment percent-encoded, its code units kept.
 * What is decoded is a name to look up, never a path to join.
 */

const SCHEME = "skill://";
/**
 * Longest place, in characters: 32 directories of a name each and a path of
 * 1,024 come to less. A place is looked up once for each slash that it holds.
 */
const MAX_PLACE = 10_000;
/** A character is at most three bytes, written as three characters each. */
const MAX_HREF = SCHEME.length + 9 * MAX_PLACE;

/** The URI of a skill's file, or of the directory `path` (`""`: its own). */
export function skillUri(name: string, path: string): string {
  return placeUri(path === "" ? name : `${name}/${path}`);
}

/** The URI of a place; `""` is the top of the name space. */
export function placeUri(place: string): string {
  return SCHEME + place.split("/").map(encodeSegment).join("/");
}

/**
 * The place that a URI names: its segments decoded and joined, `""` for
 * `skill://`. Undefined when it is no `skill://` URI of plain segments: with a
 * query, a fragment, an empty segment, bytes that are not UTF-8, a slash or NUL
 * behind an escape, or more characters than any name that is served. Dots are
 * resolved first, as a client that follows a relative link does.
 */
export function placeOf(uri: string): string | undefined {
  const href = hrefOf(uri);
  if (href === undefined || !href.startsWith(SCHEME)) return undefined;
  if (href.length > MAX_HREF || /[?#]/.test(href)) return undefined;
  const rest = href.slice(SCHEME.length);
  if (rest === "") return "";
  const segments: string[] = [];
  for (const segment of rest.split("/")) {
    const decoded = decodeSegment(segment);
    if (decoded === undefined) return undefined;
    segments.push(decoded);
  }
  const place = segments.join("/");
  return place.length <= MAX_PLACE ? place : undefined;
}

/** As URL parsers write it: what the protocol's libraries hand on. */
export function hrefOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).href : undefined;
}

function encodeSegment(segment: string): string {
  // Half a character has no bytes; no name that is served holds one.
  return encodeURIComponent(segment.toWellFormed());
}

function decodeSegment(segment: string): string | undefined {
  if (segment === "") return undefined;
  try {
    const decoded = decodeURIComponent(segment);
    return /[/\0]/.test(decoded) || decoded === "." || decoded === ".."
      ? undefined
      : decoded;
  } catch {
    // A percent sign without two digits, or bytes that are not UTF-8.
    return undefined;
  }
}
