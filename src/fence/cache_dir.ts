/** The one place where anything outlives a run: unpacked files and records. */

import { dirname, join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { distrust } from "../os/trusted_path.ts";
import { scriptsUid, unreachable } from "../os/account.ts";
import type { Account } from "../os/types.ts";
import { cacheCandidates, type CachePlaces } from "./cache_candidates.ts";
import { ScratchKeeper } from "./disk/scratch.ts";

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
export interface CacheDirOptions extends CachePlaces {
  /** The system's temporary directory. */
  readonly tmpDir: string;
  /** Where the system keeps caches; `/var/cache` unless said. */
  readonly systemCaches?: string;
}

/** What others may do in a directory that the account has to reach: pass through. */
const PASSABLE = 0o711;

/** Finds, checks and makes the cache directory on first use. */
export class CacheDir {
  readonly #options: CacheDirOptions;
  readonly #keeper: ScratchKeeper;
  #place: Promise<Result<CachePlace>> | undefined;
  #open: Promise<Result<CachePlace>> | undefined;

  constructor(options: CacheDirOptions) {
    this.#options = options;
    this.#keeper = new ScratchKeeper(options.tmpDir);
  }

  /** Where it would be, without making or checking it. Absolute paths. */
  candidates(): string[] {
    return cacheCandidates(this.#options);
  }

  /** The directory: 0700, ours, out of everyone else's reach. */
  get(): Promise<Result<CachePlace>> {
    return this.#place ??= this.#find();
  }

  /**
   * A directory of ours in which the account gets to files whose names it is
   * told: this one, one below `/var/cache`, or a temporary one. Without an
   * account it is `get()`.
   */
  reachable(account: Account | undefined): Promise<Result<CachePlace>> {
    if (account === undefined) return this.get();
    return this.#open ??= this.#findReachable(account);
  }

  /** Removes temporary ones. For signal handlers. */
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

  async #findReachable(account: Account): Promise<Result<CachePlace>> {
    const own = await this.get();
    if (!own.ok) return own;
    const { path, temporary } = own.value;
    if (!temporary && await opened(path, account)) return own;
    const { explicit, systemCaches = "/var/cache" } = this.#options;
    if (explicit === undefined) {
      const system = join(systemCaches, "skillfence");
      if (await claim(system) === undefined) {
        const real = await Deno.realPath(system);
        if (await opened(real, account)) {
          return ok({ path: real, temporary: false, note: undefined });
        }
      }
    }
    if (temporary && await opened(path, account)) return own;
    const made = await this.#keeper.makeDir();
    if (!made.ok) return made;
    if (await opened(made.value, account)) {
      const note = `${path}: out of reach of ${scriptsUid(account)}`;
      return ok({ path: made.value, temporary: true, note });
    }
    return refuse(
      "NO_RUNTIME",
      `no directory can be made that ${scriptsUid(account)}, gets to`,
      "Set SKILLFENCE_CACHE_DIR or TMPDIR to a directory below ones that every account may pass through.",
    );
  }
}

/** Lets others pass through `dir`, unless the account cannot come there. */
async function opened(dir: string, account: Account): Promise<boolean> {
  if (unreachable(dirname(dir), account, "execute") !== undefined) return false;
  const { mode } = await Deno.lstat(dir);
  // On a read-only file system even the mode that is there cannot be set.
  if (mode === null || (mode & 0o777) !== PASSABLE) {
    await Deno.chmod(dir, PASSABLE);
  }
  return true;
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
    const mode = (info.mode ?? 0) & 0o777;
    const isPassable = mode === PASSABLE && info.uid === 0;
    if (mode !== 0o700 && !isPassable) return "its mode is not 0700";
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
