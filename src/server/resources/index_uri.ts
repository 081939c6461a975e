/**
 * The address of the document that lists every skill. On its own, so that what
 * announces changes does not load what writes the document.
 */
export const INDEX_URI = "skillfence://skills";

/** The address of what holds for everything in the workspaces. */
export const CONTEXT_URI = "skillfence://context";
