/** Which files a patch touches, in the form that Codex hands over. Pure. */

const LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$/gm;

/** Paths as they stand in the patch, in order, each once. */
export function patchPaths(text: string): string[] {
  return [...new Set([...text.matchAll(LINE)].map(([, path]) => path!))];
}
