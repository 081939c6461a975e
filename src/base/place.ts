/** Where one path lies beside another. Absolute paths here are real paths. */

import { sep } from "node:path";

/** The separator of absolute paths on this system. */
export const SEPARATOR: string = sep;

/** `directory` and one `name` below it. */
export function joined(directory: string, name: string): string {
  return directory.endsWith(SEPARATOR)
    ? directory + name
    : directory + SEPARATOR + name;
}

/** Whether `path` is `directory` or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory ||
    path.startsWith(
      directory.endsWith(SEPARATOR) ? directory : directory + SEPARATOR,
    );
}

/**
 * `path` relative to `directory`, with `/` between segments; `""` for the
 * directory itself. The caller knows that it lies within.
 */
export function below(path: string, directory: string): string {
  const cut = directory.endsWith(SEPARATOR)
    ? directory.length
    : directory.length + 1;
  const rest = path.slice(cut);
  return SEPARATOR === "/" ? rest : rest.replaceAll(SEPARATOR, "/");
}

/** `rel` and one `name` below it, `/`-separated; `rel` may be `""`. */
export function childOf(rel: string, name: string): string {
  return rel === "" ? name : `${rel}/${name}`;
}

/** The last segment of a `/`-separated path. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
