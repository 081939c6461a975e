/** Globs on whole names, `*` crosses `/`. */

import picomatch from "picomatch";

/** Whether a name is kept. */
export type NameFilter = (name: string) => boolean;

/** Which names are kept: `ignore` wins, an empty `include` keeps all. */
export interface NameGlobs {
  readonly include: readonly string[];
  readonly ignore: readonly string[];
}

// The option bash lets a star cross slashes; strict brackets and `debug` make it throw
// where it would else read a broken glob as one that matches nothing.
const OPTIONS = { bash: true, dot: true, strictBrackets: true, debug: true };

/**
 * Compiles the globs. One that does not compile keeps nothing; whoever takes
 * globs from outside asks `globProblem` first.
 */
export function nameFilter({ include, ignore }: NameGlobs): NameFilter {
  if ([...include, ...ignore].some((glob) => globProblem(glob) !== undefined)) {
    return () => false;
  }
  const included = include.map((glob) => picomatch(glob, OPTIONS));
  const ignored = ignore.map((glob) => picomatch(glob, OPTIONS));
  return (name) =>
    (included.length === 0 || included.some((matches) => matches(name))) &&
    !ignored.some((matches) => matches(name));
}

/** Why a glob does not compile, in words; undefined when it does. */
export function globProblem(glob: string): string | undefined {
  try {
    picomatch.makeRe(glob, OPTIONS);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "not a glob";
  }
}
