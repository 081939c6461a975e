/** Where the cache directory may be. Nothing is made or checked here. */

import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/** What decides where it may be. */
export interface CachePlaces {
  /** `SKILLFENCE_CACHE_DIR`: this or none. */
  readonly explicit: string | undefined;
  /** Reads one variable; blank is undefined. */
  readonly env: (name: string) => string | undefined;
  /** The account's home as the system knows it. */
  readonly accountHome?: () => string | undefined;
}

/** Absolute paths, the first that can be used is it. */
export function cacheCandidates(
  { explicit, env, accountHome = systemHome }: CachePlaces,
): string[] {
  if (explicit !== undefined) return [explicit];
  const home = env("HOME");
  const account = accountHome();
  const places = [
    ...Deno.build.os === "windows" ? [env("LOCALAPPDATA")] : [],
    env("XDG_CACHE_HOME"),
    home === undefined ? undefined : cachesOf(home),
    account === undefined ? undefined : cachesOf(account),
  ];
  const usable = places
    .filter((place) => place !== undefined && isAbsolute(place))
    .map((place) => join(place!, "skillfence"));
  return [...new Set(usable)];
}

function cachesOf(home: string): string {
  return Deno.build.os === "darwin"
    ? join(home, "Library", "Caches")
    : join(home, ".cache");
}

function systemHome(): string | undefined {
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
