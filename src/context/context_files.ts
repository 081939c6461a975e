/** Context files: what a project says to whoever works in it. */

export { type Dialect, DIALECTS } from "./files/dialects.ts";
export { findContextFiles, type FindOptions } from "./files/find.ts";
export { rulesFor } from "./files/scope.ts";
export { ContextStore, type ContextStoreOptions } from "./files/store.ts";
export { CONTEXT_URI, contextText } from "./files/text.ts";
