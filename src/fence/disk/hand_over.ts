/** Giving a directory of ours, with all that is in it, to another account. */

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
} from "node:fs";
import { Pacer } from "../../base/pacer.ts";
import type { Account } from "../../os/types.ts";
import { pathOfDescriptor } from "./held_open.ts";

/** How much is handed over. */
export interface HandOverLimits {
  readonly entries: number;
  /** Levels of directories: one descriptor is open for each. */
  readonly levels: number;
}

/** The limits of the product. */
export const HAND_OVER_LIMITS: HandOverLimits = {
  entries: 200_000,
  levels: 64,
};

/** Neither follows a link nor waits for a pipe's writer. */
const SAFE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);
const DIRECTORY = SAFE | (constants.O_DIRECTORY ?? 0);

/** `not-ours`: neither the server's nor the account's. `too-much`: see `limits`. */
export type HandedOver = "done" | "not-ours" | "too-much";

/**
 * Makes the directory at `dir` the account's, 0700. What the server owns in it
 * goes along: directories and files of one name. No link is followed, whatever
 * a process of that account does meanwhile: every step starts from an open
 * descriptor. Where the system shows none of those in /proc, only an empty
 * directory can be handed over, and others are `too-much`. Throws the system's
 * errors.
 */
export async function handOver(
  dir: string,
  account: Account,
  limits: HandOverLimits = HAND_OVER_LIMITS,
): Promise<HandedOver> {
  const top = openSync(dir, DIRECTORY);
  try {
    const { uid, mode } = fstatSync(top);
    if (uid !== account.uid) {
      const handing = new HandingOver(account, limits);
      const all = isEmpty(dir) || await handing.below(top, 1);
      if (!all) return "too-much";
    }
    // Last: until then nobody but us gets in, and an ended attempt is resumed.
    if (!give(top, account)) return "not-ours";
    if ((mode & 0o077) !== 0) fchmodSync(top, 0o700);
    return "done";
  } finally {
    closeSync(top);
  }
}

function isEmpty(dir: string): boolean {
  return Deno.readDirSync(dir)[Symbol.iterator]().next().done === true;
}

/** Gives an open file to the account. Returns whether it is its now. */
function give(fd: number, account: Account): boolean {
  const { uid } = fstatSync(fd);
  if (uid === account.uid) return true;
  if (uid !== Deno.uid()) return false;
  fchownSync(fd, account.uid, account.gid);
  return true;
}

class HandingOver {
  readonly #account: Account;
  readonly #limits: HandOverLimits;
  readonly #pacer = new Pacer();
  #entries = 0;

  constructor(account: Account, limits: HandOverLimits) {
    this.#account = account;
    this.#limits = limits;
  }

  /** Hands over what is in an open directory. Returns whether all was reached. */
  async below(fd: number, level: number): Promise<boolean> {
    const at = pathOfDescriptor(fd)?.path;
    if (at === undefined || level > this.#limits.levels) return false;
    for (const entry of Deno.readDirSync(at)) {
      if (++this.#entries > this.#limits.entries) return false;
      if (this.#pacer.due()) await this.#pacer.pause();
      // A link stays whose it is: it can be removed, and says nothing.
      if (!entry.isDirectory && !entry.isFile) continue;
      const path = `${at}/${entry.name}`;
      const child = opened(path, entry.isDirectory ? DIRECTORY : SAFE);
      if (child === undefined) continue;
      try {
        const info = fstatSync(child);
        if (info.isDirectory()) {
          if (!await this.below(child, level + 1)) return false;
          give(child, this.#account);
        } // A second name may be one of a file that is none of the account's.
        else if (info.isFile() && info.nlink === 1) {
          give(child, this.#account);
        }
      } finally {
        closeSync(child);
      }
    }
    return true;
  }
}

/** Undefined when it is gone, or no longer what it was. */
function opened(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch {
    return undefined;
  }
}
