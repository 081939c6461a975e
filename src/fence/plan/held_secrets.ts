/** Which of a script's variables stay at the run's proxy. */

import { ok, refuse, type Result } from "../../base/refusal.ts";
import { listed } from "../../base/text.ts";
import type { Network } from "../../os/types.ts";
import type { HeldSecret } from "../../proxy/types.ts";
import type { SecretPermit } from "../../grant/types.ts";
import type { HeldName } from "../types.ts";

/** What is held back from a script. */
export interface Held {
  /** For the Plan. */
  readonly names: readonly HeldName[];
  /** For the proxy. */
  readonly secrets: readonly HeldSecret[];
  /** Names handed over as they are although they are secrets with hosts. */
  readonly plain: readonly string[];
}

/** Names in one message at most. */
const LISTED = 8;

/**
 * Divides the granted secrets: held where a proxy is in force, else handed over
 * where the owner said `plain`, else `SECRET_NEEDS_PROXY`. Secrets that are not
 * set in `env` are nowhere in the outcome.
 */
export function heldBack(
  secrets: readonly SecretPermit[],
  network: Network,
  env: (name: string) => string | undefined,
): Result<Held> {
  const set = secrets.flatMap((secret) => {
    const value = env(secret.name);
    return value === undefined ? [] : [{ ...secret, value }];
  });
  if (network === "proxy") {
    return ok({
      names: set.map(({ name, hosts, chosenBy }) => ({
        name,
        hosts: hosts.map(({ text }) => text),
        chosenBy,
      })),
      secrets: set.map(({ name, value, hosts }) => ({ name, value, hosts })),
      plain: [],
    });
  }
  const kept = set.filter(({ plain }) => !plain).map(({ name }) => name);
  if (kept.length > 0) {
    return refuse(
      "SECRET_NEEDS_PROXY",
      `the value of ${
        listed(kept, LISTED)
      } may be given to the run's proxy only, and no proxy is in force for this run`,
      "A proxy needs a layer of the operating system (see `skillfence doctor`), a host that the script may reach, and no `sockets: true`. The owner can also hand the value itself over with `plain: true` in the row's `env`.",
    );
  }
  return ok({ names: [], secrets: [], plain: set.map(({ name }) => name) });
}
