/** Which files a patch touches, in the form that Codex hands over. Pure. */

const LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** Paths as they stand in the patch, in order, each once. */
export function patchPaths(text: string): string[] {
  // Cut off afterwards: an expression that does both takes quadratic time.
  const paths = [...text.matchAll(LINE)].map(([, path]) => path!.trimEnd());
  return [...new Set(paths)].filter((path) => path !== "");
}
