/**
 * What went wrong, in a word. The system's own messages hold absolute paths of
 * this machine, which no client is told.
 */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}
