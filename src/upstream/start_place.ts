/** The directory of one started server: empty, its own, gone afterwards. */

import { lchownSync } from "node:fs";
import { join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import type { ScratchKeeper } from "../fence/disk/scratch.ts";
import { shutOut } from "../fence/preflight/shut_out.ts";
import { STATUS_FILE } from "../os/landlock.ts";
import { PASSWD_FILE, passwdLine } from "../os/native.ts";
import type { Account } from "../os/types.ts";

/** Absolute real paths. */
export interface StartPlace {
  /** The server's own; what a killed server leaves is swept by the next one. */
  readonly run: string;
  /** Working directory, HOME and TMPDIR: empty, and the account's. */
  readonly home: string;
  /** What the confining program says of itself. */
  readonly status: string;
  /** The filter of system calls. */
  readonly filter: string;
}

/** Makes it. `SPAWN_FAILED` when that fails, `PREFLIGHT` when it is of no use. */
export async function makeStartPlace(
  keeper: ScratchKeeper,
  account: Account | undefined,
  filter: Uint8Array<ArrayBuffer>,
): Promise<Result<StartPlace>> {
  const made = await keeper.makeDir();
  if (!made.ok) return made;
  const run = made.value;
  const place: StartPlace = {
    run,
    home: join(run, "home"),
    status: join(run, STATUS_FILE),
    filter: join(run, "filter.bpf"),
  };
  try {
    Deno.mkdirSync(place.home, { mode: 0o700 });
    const fresh = (mode: number) => ({ createNew: true, mode });
    Deno.writeFileSync(place.status, new Uint8Array(), fresh(0o600));
    Deno.writeFileSync(place.filter, filter, fresh(0o444));
    Deno.writeTextFileSync(
      join(run, PASSWD_FILE),
      passwdLine(account, place.home),
      fresh(0o444),
    );
    if (account === undefined) return ok(place);
    for (const path of [place.home, place.status]) {
      lchownSync(path, account.uid, account.gid);
    }
    Deno.chmodSync(run, 0o711);
    const what = "the temporary directory";
    const shut = shutOut(run, account, { what, want: "execute" });
    if (shut === undefined) return ok(place);
    await keeper.remove(run);
    return shut;
  } catch (error) {
    await keeper.remove(run);
    return refuse(
      "SPAWN_FAILED",
      `No directory could be laid out for the server: ${errorName(error)}.`,
      "Check the space in TMPDIR.",
    );
  }
}
