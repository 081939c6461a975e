/** A script runtime at a path where the account that scripts run as can start it. */

import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { errorName } from "../../base/error_name.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import {
  allows,
  changeable,
  scriptsUid,
  unreachable,
} from "../../os/account.ts";
import type { Account } from "../../os/types.ts";
import type { CacheDir } from "../cache_dir.ts";
import { readVersion } from "./read_version.ts";
import type { Runtime } from "../types.ts";
import {
  copyRange,
  NAME_DIGITS,
  sha256OfFile,
  sweepHalfMade,
  writeAtomically,
} from "./unpack_executable.ts";

/** Which bytes a file held when it was looked at. */
interface Identity {
  readonly ino: number;
  readonly size: number;
  readonly mtime: number;
}

/** What stands beside a copy. */
interface CopyRecord {
  /** Absolute and real. */
  readonly source: string;
  readonly identity: Identity;
  readonly copy: Identity;
}

const RECORD = /^(runtime-[0-9a-f]+)\.json$/;

/** Puts a runtime where the account reaches it, once for each runtime. */
export class RuntimePlace {
  readonly #cache: CacheDir;

  constructor(cache: CacheDir) {
    this.#cache = cache;
  }

  /**
   * The runtime at its real path where the account can start it and cannot
   * change it; else a second name of the file, or a copy, in the cache. Without
   * an account the runtime as it is. Refuses with `NO_RUNTIME`.
   */
  async at(
    runtime: Runtime,
    account: Account | undefined,
  ): Promise<Result<Runtime>> {
    if (account === undefined) return ok(runtime);
    try {
      const source = await Deno.realPath(runtime.path);
      if (isFit(source, account)) return ok({ ...runtime, path: source });
      const place = await this.#cache.reachable(account);
      if (!place.ok) return place;
      const path = await this.#kept(source, {
        dir: place.value.path,
        starts: async (path) =>
          await readVersion(path, account) === runtime.version,
        account,
      });
      if (path !== undefined) return ok({ ...runtime, path });
      return none(account, "it does not start from there");
    } catch (error) {
      return none(account, errorName(error));
    }
  }

  /** The path of the copy, made if need be; undefined when it does not start. */
  async #kept(source: string, to: Keeping): Promise<string | undefined> {
    const info = await Deno.stat(source);
    const identity = identityOf(info);
    const name = sha256(JSON.stringify(identity)).slice(-NAME_DIGITS);
    const path = join(to.dir, `runtime-${name}`);
    const record = `${path}.json`;
    const recordText = (copy: Deno.FileInfo) =>
      JSON.stringify(
        { source, identity, copy: identityOf(copy) } satisfies CopyRecord,
      );
    const there = await Deno.lstat(path).catch(() => undefined);
    if (
      there?.isFile && isFit(path, to.account) &&
      await Deno.readTextFile(record).catch(() => "") === recordText(there)
    ) return path;

    await sweepHalfMade(to.dir);
    await forgetReplaced(to.dir);
    const temporary = `${path}.${crypto.randomUUID()}.tmp`;
    try {
      if (!await linked(source, temporary, info, to.account)) {
        await copied(source, temporary, info.size);
      }
      if (!await to.starts(temporary)) return undefined;
      // First: what has no record would never be forgotten.
      await writeAtomically(record, recordText(await Deno.lstat(temporary)));
      await Deno.rename(temporary, path);
      return path;
    } finally {
      await Deno.remove(temporary).catch(() => {});
    }
  }
}

interface Keeping {
  readonly dir: string;
  readonly account: Account;
  readonly starts: (path: string) => Promise<boolean>;
}

/** Whether the account can start what is at the real path, and not change it. */
function isFit(path: string, account: Account): boolean {
  return unreachable(path, account, "execute") === undefined &&
    changeable(path, account) === undefined;
}

/** Takes no room; only where the file itself is root's and open to the account. */
async function linked(
  source: string,
  to: string,
  info: Deno.FileInfo,
  account: Account,
): Promise<boolean> {
  const own = { ...info, isDirectory: false };
  if (info.uid !== 0 || !allows(own, account, "execute")) return false;
  if (allows(own, account, "write")) return false;
  try {
    await Deno.link(source, to);
    return true;
  } catch {
    // Another file system, or one without such names.
    return false;
  }
}

async function copied(source: string, to: string, size: number): Promise<void> {
  const digest = await copyRange({ from: source, offset: 0, size }, to);
  const same = (await Deno.stat(to)).size === size &&
    await sha256OfFile(to) === digest;
  if (!same) throw new Error("the copy differs from the runtime");
}

/** Removes copies of runtimes that are gone or have changed since. */
async function forgetReplaced(dir: string): Promise<void> {
  for await (const { name } of Deno.readDir(dir)) {
    const [, copy] = RECORD.exec(name) ?? [];
    if (copy === undefined || await isCurrent(join(dir, name))) continue;
    await Deno.remove(join(dir, copy)).catch(() => {});
    await Deno.remove(join(dir, name)).catch(() => {});
  }
}

async function isCurrent(record: string): Promise<boolean> {
  try {
    const { source, identity } = JSON.parse(
      await Deno.readTextFile(record),
    ) as CopyRecord;
    const now = identityOf(await Deno.stat(source));
    return JSON.stringify(now) === JSON.stringify(identity);
  } catch {
    return false;
  }
}

function identityOf({ ino, size, mtime }: Deno.FileInfo): Identity {
  return { ino: ino ?? 0, size, mtime: mtime?.getTime() ?? 0 };
}

function none(account: Account, why: string): Result<never> {
  return refuse(
    "NO_RUNTIME",
    `The script runtime cannot be put where ${
      scriptsUid(account)
    }, can start it: ${why}.`,
    "Install Deno where every account may start it, or set SKILLFENCE_CACHE_DIR to a directory below ones that every account may pass through, with 130 MB of space, from which programs may be started.",
  );
}
