/** Probes here, and programs that stand for a weaker bubblewrap. For tests. */

import assert from "node:assert/strict";
import {
  type BwrapProbeOptions,
  probeBwrap,
} from "../../src/os/bwrap_probe.ts";
import type { BwrapLayer, OsOff, OsProbed } from "../../src/os/types.ts";
import { asRoot } from "../support/as_root.ts";
import { needs } from "../support/kernel.ts";
import { ACCOUNT, type Reachable } from "./reachable.ts";

/** What any probe needs. */
export const real: { ignore: boolean } = needs("bwrap", "userns", "seccomp");
/** Only root's programs are trusted, and only root can lay one out. */
export const faked: { ignore: boolean } = {
  ignore: real.ignore || asRoot.ignore,
};

/** Probes as a server at this place would. */
export function probe(
  { tree, runtime }: Reachable,
  parts: Partial<BwrapProbeOptions> = {},
): Promise<OsProbed<BwrapLayer>> {
  return probeBwrap({
    runtime,
    account: ACCOUNT,
    tmpDir: tree.root,
    prefix: "probe-",
    searchPath: undefined,
    cacheDir: undefined,
    ...parts,
  });
}

/** Why the layer is off; it is an error when it is on. */
export function off(probed: OsProbed<BwrapLayer>): OsOff {
  assert.ok(!probed.ok, "it was taken for good");
  return probed.off;
}

/**
 * Lays out a `bwrap` that is the real one but for its arguments: `edit` is
 * shell text that sees each of them as `$a` and keeps it with `keep "$a"`.
 */
export async function fake({ tree }: Reachable, edit: string): Promise<string> {
  await tree.write({
    "fake/bwrap": `#!/bin/sh
case $1 in --version|--help) exec /usr/bin/bwrap "$@";; esac
${edit}
`,
  });
  await Deno.chmod(tree.path("fake", "bwrap"), 0o755);
  return tree.path("fake");
}

/** Shell text that goes through the arguments, with some left out or put in. */
export function rewritten(cases: string): string {
  return `n=$#
while [ $n -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  case $a in
${cases}
  *) set -- "$@" "$a";;
  esac
done
exec /usr/bin/bwrap "$@"`;
}
