/** Temporary directories that are ours, private, and gone afterwards. */

import { lchownSync } from "node:fs";
import { join } from "node:path";
import { errorName } from "../../base/error_name.ts";
import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { scriptsUid, unreachable } from "../../os/account.ts";
import type { Account } from "../../os/types.ts";
import {
  directoryPrefix,
  isAlive,
  ownIdentity,
  type ProcessIdentity,
} from "./process_identity.ts";
import { removeTree, removeTreeSync } from "./remove_tree.ts";
import type { InputFile } from "../types.ts";

/** `directoryPrefix` and the rest: the owner stands in the name. */
const NAME = /^skillfence-([1-9]\d*)-([0-9a-f]+)-(\d+)-[0-9A-Za-z]+$/;
/** When the owner cannot be asked, this much silence makes a directory stale. */
const SILENT_MS = 24 * 60 * 60 * 1000;

/**
 * The directories and files of one run, for its account alone. All paths
 * absolute and real.
 */
export interface Scratch {
  /** What holds the rest: the server's, `<run>` of a Plan. */
  readonly base: string;
  /** TMPDIR and HOME; `<scratch>` of a Plan. */
  readonly scratch: string;
  /** Files handed in. */
  readonly in: string;
  /** SKILL_OUT. */
  readonly out: string;
  /** DENO_DIR; `<denodir>` of a Plan. */
  readonly denodir: string;
  /** An empty file: what the runtime asked its permissions for. */
  readonly audit: string;
  /** An empty file: what the confining program says of itself. */
  readonly status: string;
  /** The place of the proxy's socket: not there before `makeProxyDir`. */
  readonly proxyDir: string;
}

/** Makes, removes and sweeps temporary directories below one parent. */
export class ScratchKeeper {
  readonly #parent: string;
  readonly #self: ProcessIdentity;
  readonly #kept = new Set<string>();
  #closed = false;

  /** `parent` is the system's temporary directory. */
  constructor(parent: string, self: ProcessIdentity = ownIdentity()) {
    this.#parent = parent;
    this.#self = self;
  }

  /** Makes a private empty directory (0700) and returns its real path. */
  async makeDir(): Promise<Result<string>> {
    if (this.#closed) {
      return refuse("CANCELLED", "The server is ending.", "Call again.");
    }
    let dir: string;
    try {
      dir = Deno.makeTempDirSync({
        dir: Deno.realPathSync(this.#parent),
        prefix: directoryPrefix(this.#self),
      });
    } catch (error) {
      return refuse(
        "SPAWN_FAILED",
        `No temporary directory could be made: ${errorName(error)}.`,
        "Set TMPDIR to a directory that this account may write.",
      );
    }
    this.#kept.add(dir);
    // Permission lists are split at commas, so such a path cannot be granted.
    if (dir.includes(",")) {
      await this.remove(dir);
      return refuse(
        "SPAWN_FAILED",
        "The temporary directory has a comma in its real path.",
        "Set TMPDIR to a directory without a comma in its path.",
      );
    }
    return ok(dir);
  }

  /**
   * Makes the directories and files of one run and lays the files in,
   * read-only. With an account they are that account's, and it may pass through
   * `base`, which stays ours; `SPAWN_FAILED` when it cannot get that far.
   */
  async makeScratch(
    files: readonly InputFile[],
    account?: Account,
  ): Promise<Result<Scratch>> {
    const made = await this.makeDir();
    if (!made.ok) return made;
    const base = made.value;
    const scratch = join(base, "scratch");
    const places = {
      base,
      scratch,
      in: join(scratch, "in"),
      out: join(scratch, "out"),
      denodir: join(base, "denodir"),
      audit: join(base, "audit.jsonl"),
      status: join(base, "status"),
      proxyDir: join(base, "proxy"),
    };
    try {
      // Synchronous: each takes less than handing it to another thread.
      const { in: handed, out, denodir, audit, status } = places;
      for (const dir of [scratch, handed, out, denodir]) {
        Deno.mkdirSync(dir, { mode: 0o700 });
        give(dir, account);
      }
      for (const file of [audit, status]) {
        Deno.writeFileSync(file, new Uint8Array(), {
          createNew: true,
          mode: 0o600,
        });
        give(file, account);
      }
      for (const file of files) await layFile(handed, file);
      const refusal = account && openTo(account, base);
      if (refusal === undefined) return ok(places);
      await this.remove(base);
      return refusal;
    } catch (error) {
      await this.remove(base);
      return refuse(
        "SPAWN_FAILED",
        `The files could not be laid out for the script: ${errorName(error)}.`,
        "Check the space in TMPDIR and the names of `files`.",
      );
    }
  }

  /** Removes a directory made here. Returns whether it is gone. */
  async remove(dir: string): Promise<boolean> {
    const gone = await removeTree(dir);
    if (gone) this.#kept.delete(dir);
    return gone;
  }

  /**
   * Removes what ended servers left: our name pattern, our uid, a directory
   * and no link, its owner gone (or unknown and silent for a day). Returns how
   * many went.
   */
  async sweep(now: number = Date.now()): Promise<number> {
    let swept = 0;
    for (const dir of await this.#stale(now)) {
      if (await removeTree(dir)) swept++;
    }
    return swept;
  }

  async #stale(now: number): Promise<string[]> {
    const stale: string[] = [];
    try {
      for await (const entry of Deno.readDir(this.#parent)) {
        const path = join(this.#parent, entry.name);
        if (entry.isDirectory && this.#isStale(entry.name, path, now)) {
          stale.push(path);
        }
      }
    } catch {
      // Nothing readable, nothing of ours.
    }
    return stale;
  }

  #isStale(name: string, path: string, now: number): boolean {
    const [, pid, space, start] = NAME.exec(name) ?? [];
    if (pid === undefined || space === undefined || start === undefined) {
      return false;
    }
    try {
      const info = Deno.lstatSync(path);
      if (!info.isDirectory || info.uid !== Deno.uid()) return false;
      const alive = isAlive({ pid: Number(pid), space, start }, this.#self);
      if (alive !== "unknown") return !alive;
      return now - (info.mtime?.getTime() ?? now) > SILENT_MS;
    } catch {
      return false;
    }
  }

  /** Removes everything made here at once. For signal handlers. */
  closeSync(): void {
    this.#closed = true;
    for (const dir of this.#kept) removeTreeSync(dir);
    this.#kept.clear();
  }
}

/** While nobody but us gets here yet; a link would not be followed either. */
function give(path: string, account: Account | undefined): void {
  if (account !== undefined) lchownSync(path, account.uid, account.gid);
}

/**
 * Makes the place of the proxy's socket in a run's directories, empty: ours, so
 * that nothing can be put in the socket's place; an account passes through by
 * its group (0710). Throws the system's errors.
 */
export function makeProxyDir(
  { proxyDir }: Pick<Scratch, "proxyDir">,
  account?: Account,
): void {
  Deno.mkdirSync(proxyDir, { mode: 0o700 });
  if (account === undefined) return;
  lchownSync(proxyDir, Deno.uid() ?? -1, account.gid);
  Deno.chmodSync(proxyDir, 0o710);
}

/** Lets the account pass through `base`, unless it cannot come there. */
function openTo(account: Account, base: string): Refusal | undefined {
  Deno.chmodSync(base, 0o711);
  if (unreachable(base, account, "execute") === undefined) return undefined;
  return refuse(
    "SPAWN_FAILED",
    `The temporary directory cannot be passed through by ${
      scriptsUid(account)
    }.`,
    "Set TMPDIR to a directory that every account may pass through, such as /tmp, or let others pass (chmod o+x) through it and what lies above it.",
  );
}

async function layFile(dir: string, file: InputFile): Promise<void> {
  if (/[/\\]/.test(file.name) || [".", "..", ""].includes(file.name)) {
    throw new Error("a file's name is not one plain segment");
  }
  await Deno.writeFile(join(dir, file.name), file.bytes, {
    createNew: true,
    mode: 0o444,
  });
}
