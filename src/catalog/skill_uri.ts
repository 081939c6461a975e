/**
 * `skill://<name>/<path>`: each segment percent-encoded, its code units kept.
 * What is decoded is a name to look up, never a path to join.
 */

const SCHEME = "skill://";

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
 * query, a fragment, an empty segment, bytes that are not UTF-8, or a slash or
 * NUL behind an escape. Dots are resolved first, as a client that follows a
 * relative link does.
 */
export function placeOf(uri: string): string | undefined {
  const href = hrefOf(uri);
  if (href === undefined || !href.startsWith(SCHEME)) return undefined;
  if (/[?#]/.test(href)) return undefined;
  const rest = href.slice(SCHEME.length);
  if (rest === "") return "";
  const segments: string[] = [];
  for (const segment of rest.split("/")) {
    const decoded = decodeSegment(segment);
    if (decoded === undefined) return undefined;
    segments.push(decoded);
  }
  return segments.join("/");
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
