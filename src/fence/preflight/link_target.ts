/** Where symbolic links lead. */

import { dirname, normalize, resolve } from "node:path";
import { joined } from "../../base/place.ts";

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

/**
 * A link to nothing: the deepest directory on its way that is there, and the
 * rest. What lies behind something that is not there is not there either, so
 * halving finds it; a target may have thousands of parts.
 */
function leadsNowhere(from: string, target: string): string | undefined {
  const parts = target.split(/[/\\]/);
  const real = (end: number): string | undefined => {
    const head = parts.slice(0, end).join("/");
    try {
      return Deno.realPathSync(
        target.startsWith("/") ? head || "/" : `${from}/${head}`,
      );
    } catch {
      return undefined;
    }
  };
  let there = 0;
  for (let beyond = parts.length + 1; beyond - there > 1;) {
    const middle = (there + beyond) >>> 1;
    if (real(middle) === undefined) beyond = middle;
    else there = middle;
  }
  const base = real(there);
  const rest = parts.slice(there).filter((part) => part !== "" && part !== ".");
  // What lies above a directory that is not there cannot be told.
  if (base === undefined || rest.includes("..")) return undefined;
  return rest.length === 0 ? base : joined(base, rest.join("/"));
}
