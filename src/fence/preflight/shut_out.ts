/** Refusing what the account that scripts run as cannot use. */

import { type Refusal, refuse } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { scriptsUid, unreachable, type Want } from "../../os/account.ts";
import type { Account } from "../../os/types.ts";

/** Characters of a path shown: a Plan shows it whole anyway. */
const MAX_PATH = 1_000;

/** A place, as messages name it, and what the account wants of it. */
export interface Wanted {
  /** e.g. `the skill's directory`. */
  readonly what: string;
  readonly want: Want;
}

/**
 * The `PREFLIGHT` refusal that names what keeps the account from the place at
 * `path` (absolute and real); undefined when nothing does, or when scripts run
 * as the server itself.
 */
export function shutOut(
  path: string,
  account: Account | undefined,
  { what, want }: Wanted,
): Refusal | undefined {
  if (account === undefined) return undefined;
  const at = unreachable(path, account, want);
  if (at === undefined) return undefined;
  const fix = at !== path
    ? "Let others pass through that directory (chmod o+x)"
    : want === "write"
    ? `Give that directory to the account (chown ${account.uid})`
    : "Let others read that directory (chmod o+rx)";
  return refuse(
    "PREFLIGHT",
    `${what} cannot be ${DONE[want]} by ${scriptsUid(account)}: ${
      visible(at, MAX_PATH)
    } keeps it out`,
    `${fix}, choose another place, or set SKILLFENCE_UID to the uid of an account that gets there.`,
  );
}

const DONE: Readonly<Record<Want, string>> = {
  read: "read",
  write: "written",
  execute: "reached",
};
