/** The one place where anything outlives a run: unpacked files and records. */

import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { distrust } from "../os/trusted_path.ts";
import { errorName } from "./error_name.ts";
import { ScratchKeeper } from "./scratch.ts";

/** A usable cache directory. */
export interface CachePlace {
  /** Absolute and real. */
  readonly path: string;
  /** Removed when the server ends. */
  readonly temporary: boolean;
  /** Why it is temporary; for the owner's eyes, since it may hold paths. */
  readonly note: string | undefined;
}

/** Where to look for a cache directory. */
export interface CacheDirOptions {
  /** `SKILLFENCE_CACHE_DIR`: this or none. */
  readonly explicit: string | undefined;
  /** Reads one variable; blank is undefined. */
  readonly env: (name: string) => string | undefined;
  /** The system's temporary directory. */
  readonly tmpDir: string;
  /** The account's home as the system knows it. */
  readonly accountHome?: () => string | undefined;
}

/** Finds, checks and makes the cache directory on first use. */
export class CacheDir {
  readonly #options: CacheDirOptions;
  readonly #keeper: ScratchKeeper;
  #place: Promise<Result<CachePlace>> | undefined;

  constructor(options: CacheDirOptions) {
    this.#options = options;
    this.#keeper = new ScratchKeeper(options.tmpDir);
  }

  /** Where it would be, without making or checking it. Absolute paths. */
  candidates(): string[] {
    const { explicit, env, accountHome } = this.#options;
    if (explicit !== undefined) return [explicit];
    const home = env("HOME");
    const account = (accountHome ?? systemHome)();
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

  /** The directory: 0700, ours, out of everyone else's reach. */
  get(): Promise<Result<CachePlace>> {
    return this.#place ??= this.#find();
  }

  /** Removes a temporary one. For signal handlers. */
  closeSync(): void {
    this.#keeper.closeSync();
  }

  async #find(): Promise<Result<CachePlace>> {
    const notes: string[] = [];
    for (const candidate of this.candidates()) {
      const reason = await claim(candidate);
      if (reason === undefined) {
        const path = await Deno.realPath(candidate);
        return ok({ path, temporary: false, note: undefined });
      }
      if (this.#options.explicit !== undefined) {
        return refuse(
          "CONFIG",
          `SKILLFENCE_CACHE_DIR cannot be used: ${reason}.`,
          "Name a directory that belongs to this account, has mode 0700 and lies below directories that nobody else may write; or leave the variable out.",
        );
      }
      notes.push(`${candidate}: ${reason}`);
    }
    const made = await this.#keeper.makeDir();
    if (!made.ok) return made;
    const note = notes.length > 0 ? notes.join("; ") : "no home directory";
    return ok({ path: made.value, temporary: true, note });
  }
}

/** Makes `dir` if need be. Returns why it cannot be used, without its path. */
async function claim(dir: string): Promise<string | undefined> {
  try {
    // Looked at first, so that nothing is made in someone else's directory.
    const above = await distrust(await nearestExisting(dir));
    if (above !== undefined) return above.reason;
    await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
    const info = await Deno.lstat(dir);
    if (info.isSymlink) return "it is a link";
    if (!info.isDirectory) return "it is not a directory";
    if (Deno.build.os === "windows") return undefined;
    if (info.uid !== Deno.uid()) return "it belongs to someone else";
    if (((info.mode ?? 0) & 0o777) !== 0o700) return "its mode is not 0700";
    return (await distrust(dir))?.reason;
  } catch (error) {
    return `it cannot be made or read (${errorName(error)})`;
  }
}

async function nearestExisting(path: string): Promise<string> {
  for (let dir = path; dir !== dirname(dir); dir = dirname(dir)) {
    try {
      await Deno.lstat(dir);
      return dir;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return path;
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
