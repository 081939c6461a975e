/** A place where a native program is started behind one layer. */

import { join } from "node:path";
import { boundedRun } from "../../src/os/bounded_run.ts";
import { ownLauncher, STATUS_FILE } from "../../src/os/landlock.ts";
import {
  nativeLaunch,
  nativeSandbox,
  type NativeView,
  PASSWD_FILE,
  passwdLine,
} from "../../src/os/native.ts";
import { nativePlaces } from "../../src/os/native_places.ts";
import { procfsWorks } from "../../src/os/native_procfs.ts";
import { seccompFilter } from "../../src/os/seccomp.ts";
import type { BwrapLayer, LandlockLayer } from "../../src/os/types.ts";
import { wrapCommand } from "../../src/os/wrapper.ts";
import { NOBODY } from "../support/as_root.ts";
import { makeTree } from "../support/tree.ts";

const ACCOUNT = Deno.uid() === 0 ? NOBODY : undefined;

/** How it ended. */
export interface NativeEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Names in the data directory, and what a file beside it holds. */
  readonly data: readonly string[];
  readonly outside: string;
}

/** Runs `sh -c text` with a skill to read and a data directory to write. */
export async function nativeRun(
  by: "bwrap" | "landlock",
  text: string,
  network: NativeView["network"] = "none",
): Promise<NativeEnd> {
  await using tree = await makeTree({
    "skill/file": "of the skill",
    data: { dir: true },
    "run/home": { dir: true },
    [`run/${STATUS_FILE}`]: "",
    outside: "secret outside",
  });
  const run = tree.path("run");
  const home = join(run, "home");
  const data = tree.path("data");
  if (ACCOUNT !== undefined) {
    for (const path of [home, join(run, STATUS_FILE), data]) {
      await Deno.chown(path, ACCOUNT.uid, ACCOUNT.gid);
    }
  }
  const bwrap: BwrapLayer = {
    by: "bwrap",
    path: "/usr/bin/bwrap",
    version: "",
    disableUserns: true,
    libraries: [],
    prlimit: { path: "/usr/bin/prlimit", libraries: [] },
    warnings: [],
  };
  const places = nativePlaces();
  const view: NativeView = {
    readable: [tree.path("skill")],
    executable: [],
    writable: [data],
    run,
    home,
    homeMiB: 8,
    cwd: home,
    network,
    processes: 16,
    procfs: await procfsWorks(bwrap, places, ACCOUNT),
  };
  await tree.write({
    [`run/${PASSWD_FILE}`]: passwdLine(ACCOUNT, home),
    filter: new Uint8Array(
      seccompFilter({
        arch: Deno.build.arch,
        ip: network === "open",
        unix: network !== "open",
        processes: true,
      }),
    ),
  });
  const shell = ["/bin/sh", "-c", text];
  const landlock: LandlockLayer = {
    by: "landlock",
    abi: 6,
    launcher: ownLauncher(undefined),
    libraries: [],
  };
  const status = join(run, STATUS_FILE);
  const command = by === "bwrap"
    ? wrapCommand({
      filter: tree.path("filter"),
      status,
      limits: {},
      command: [...nativeSandbox(bwrap, places, view), ...shell],
    })
    : nativeLaunch(landlock, places, {
      view,
      account: ACCOUNT,
      command: [await Deno.realPath("/bin/sh"), "-c", text],
    });
  const { code, stdout, stderr } = await boundedRun({
    command,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: home,
      SKILL: tree.path("skill"),
      DATA: data,
      OUTSIDE: tree.path("outside"),
    },
    account: by === "bwrap" ? ACCOUNT : undefined,
    timeoutMs: 20_000,
  });
  return {
    code,
    out: stdout,
    err: stderr,
    outside: await Deno.readTextFile(tree.path("outside")),
    data: [...Deno.readDirSync(data)].map(({ name }) => name),
  };
}
