/**
 * What went wrong, in a word. The system's own messages hold absolute paths of
 * this machine, which no client is told.
 */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { code } = error as { readonly code?: unknown };
  if (code === "ENOSPC") return "no space left on the device";
  // The runtime has no class for most codes, and "Error" tells nothing.
  return error.name === "Error" && typeof code === "string" ? code : error.name;
}
