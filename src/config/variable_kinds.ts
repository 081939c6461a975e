/** What values variables take. */

import { LIMIT_WORDS } from "./limits.ts";

/** How a value is read and what counts as well formed. */
export type VariableKind =
  | { readonly type: "path" }
  | { readonly type: "paths" }
  | { readonly type: "text" }
  | { readonly type: "integer"; readonly min: number; readonly max: number }
  | { readonly type: "choice"; readonly values: readonly string[] }
  | { readonly type: "choices"; readonly values: readonly string[] }
  | { readonly type: "limits" };

/** What a kind accepts, in words: `a whole number from 1 to 64`. */
export function accepted(kind: VariableKind): string {
  switch (kind.type) {
    case "path":
      return "an absolute path";
    case "paths":
      return "paths, separated as in PATH";
    case "text":
      return "text";
    case "integer":
      return `a whole number from ${kind.min} to ${kind.max}`;
    case "choice":
      return `one of ${kind.values.join(", ")}`;
    case "choices":
      return `any of ${kind.values.join(", ")}, with commas between them`;
    case "limits":
      return `any of ${LIMIT_WORDS.join(", ")}, as in memory=512,cpu=30`;
  }
}
