/** Where symbolic links lead. */

import { dirname, normalize, resolve } from "node:path";
import { joined } from "../catalog/place.ts";

/**
 * The absolute place a link leads to, whether or not something is there;
 * undefined when that depends on who asks or cannot be told.
 */
export function leadsTo(abs: string, target: string): string | undefined {
  const direct = normalize(resolve(dirname(abs), target));
  // These mean something else in every process.
  if (/^\/(?:proc|dev|sys)(?:\/|$)/.test(direct)) return undefined;
  try {
    return Deno.realPathSync(abs);
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? leadsNowhere(dirname(abs), target)
      : undefined;
  }
}

/** A link to nothing: the deepest directory on its way that is there, and the rest. */
function leadsNowhere(from: string, target: string): string | undefined {
  const parts = target.split(/[/\\]/);
  for (let end = parts.length; end >= 0; end--) {
    const rest = parts.slice(end).filter((part) => part !== "" && part !== ".");
    // What lies above a directory that is not there cannot be told.
    if (rest.includes("..")) return undefined;
    const head = parts.slice(0, end).join("/");
    try {
      const base = Deno.realPathSync(
        target.startsWith("/") ? head || "/" : `${from}/${head}`,
      );
      return rest.length === 0 ? base : joined(base, rest.join("/"));
    } catch {
      // Not there either: one step further up.
    }
  }
  return undefined;
}
