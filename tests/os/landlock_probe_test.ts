import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { encode, give, load, when } from "../../src/os/bpf.ts";
import { ownLauncher } from "../../src/os/landlock.ts";
import { causeOfFailure, readFailure } from "../../src/os/landlock_causes.ts";
import {
  type LandlockProbeOptions,
  probeLandlock,
} from "../../src/os/landlock_probe.ts";
import {
  KERNEL,
  type SyscallName,
  syscallNumber,
} from "../../src/os/syscall_numbers.ts";
import type { LandlockLayer, OsOff, OsProbed } from "../../src/os/types.ts";
import { needs } from "../support/kernel.ts";
import { ACCOUNT, makeReachable, type Reachable } from "./reachable.ts";
import { underFilter } from "./under_filter.ts";

const options = needs("landlock", "seccomp");
const CHILD = fileURLToPath(
  new URL("./landlock_probe_child.ts", import.meta.url),
);

function optionsFor(
  { tree, runtime }: Reachable,
  more: Partial<LandlockProbeOptions> = {},
): LandlockProbeOptions {
  return {
    runtime,
    account: ACCOUNT,
    tmpDir: tree.root,
    prefix: "probe-",
    cacheDir: tree.path("cache"),
    ...more,
  };
}

function off(probed: OsProbed<LandlockLayer>): OsOff {
  assert.ok(!probed.ok, "it holds");
  return probed.off;
}

/** The real launcher behind a shell that edits its arguments. */
function edited(place: Reachable, edit: string): string[] {
  const text = `n=$#
while [ $n -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  ${edit}
  set -- "$@" "$a"
done
exec "$@"`;
  return [
    ...["/bin/sh", "-c", text, "x"],
    ...ownLauncher(place.tree.path("cache")),
  ];
}

Deno.test({
  name: "probeLandlock: holds here, as the account of scripts and as our own",
  ...options,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true } });
    for (const account of [ACCOUNT, undefined]) {
      const probed = await probeLandlock(optionsFor(place, { account }));
      assert.ok(probed.ok, probed.ok ? "" : probed.off.message);
      assert.ok(probed.layer.abi >= 3);
      assert.ok(probed.layer.libraries.length > 0);
    }
    const left = [...Deno.readDirSync(place.tree.root)]
      .map(({ name }) => name)
      .filter((name) => !["cache", "deno"].includes(name));
    assert.deepEqual(left, []);
  },
});

Deno.test({
  name:
    "probeLandlock: a proof is kept until a run fails or the runtime changes",
  ...options,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true }, log: "" });
    const { tree } = place;
    await Deno.copyFile(place.runtime, tree.path("runtime"));
    const launcher = edited(
      place,
      `[ "$a" != __confine ] || echo run >>${tree.path("log")}`,
    );
    const runs = async (fresh = false) => {
      const probed = await probeLandlock(
        optionsFor(place, { runtime: tree.path("runtime"), launcher, fresh }),
      );
      assert.ok(probed.ok, probed.ok ? "" : probed.off.message);
      const log = await Deno.readTextFile(tree.path("log"));
      return log.split("\n").length - 1;
    };
    assert.deepEqual([await runs(), await runs()], [1, 1]);
    assert.equal(await runs(true), 2);
    await Deno.utime(tree.path("runtime"), 1, 1);
    assert.deepEqual([await runs(), await runs()], [3, 3]);
  },
});

/** Weaker launchers, and what the check finds. As our own account. */
const WEAKER: Readonly<Record<string, readonly [string, RegExp]>> = {
  "the host's network": ['[ "$a" != none ] || a=open', /loopback port/],
  "unix sockets": ['[ "$a" != none ] || a=proxy', /a unix socket of the host/],
  "a skill that is written": [
    '[ "$a" != --ro ] || a=--rw',
    /the skill is written to/,
  ],
  "every file": [
    '[ "$a" != --status ] || set -- "$@" --ro /',
    /a file outside is read/,
  ],
  "every directory written": [
    '[ "$a" != --status ] || set -- "$@" --rw /tmp',
    /a file outside is (written to|emptied)/,
  ],
  "a variable": [
    '[ "$a" != --status ] || set -- "$@" --set EXTRA=1',
    /variables: EXTRA/,
  ],
};

for (const [what, [edit, said]] of Object.entries(WEAKER)) {
  Deno.test({
    name: `probeLandlock: a launcher that allows ${what} does not hold`,
    ...options,
    async fn() {
      await using place = await makeReachable({ cache: { dir: true } });
      const launcher = edited(place, edit);
      const found = off(
        await probeLandlock(
          optionsFor(place, { account: undefined, launcher }),
        ),
      );
      assert.equal(found.cause, "does-not-hold", found.message);
      assert.match(found.message, said);
    },
  });
}

Deno.test({
  name: "probeLandlock: no launcher at all does not hold, nor one that ends",
  ...options,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true } });
    const none =
      `s=; while [ "$1" != -- ]; do [ "$1" != --status ] || s=$2; shift; done
shift; echo '{"started":true}' >"$s"; exec "$@"`;
    const probed = await probeLandlock(optionsFor(place, {
      account: undefined,
      launcher: ["/bin/sh", "-c", none, "x"],
    }));
    const found = off(probed);
    assert.equal(found.cause, "does-not-hold");
    assert.match(found.message, /a file outside is read/);
    const ends = await probeLandlock(
      optionsFor(place, { launcher: ["/bin/false"] }),
    );
    assert.equal(off(ends).cause, "launcher-fails");
  },
});

Deno.test({
  name: "probeLandlock: a runtime that cannot be started is told",
  ...options,
  async fn() {
    await using place = await makeReachable({
      cache: { dir: true },
      runtime: "no program",
    });
    await Deno.chmod(place.tree.path("runtime"), 0o755);
    const runtime = place.tree.path("runtime");
    const found = off(await probeLandlock(optionsFor(place, { runtime })));
    assert.equal(found.cause, "runtime-does-not-start");
    await Deno.chmod(runtime, 0o600);
    const hidden = off(await probeLandlock(optionsFor(place, { runtime })));
    assert.equal(hidden.cause, "out-of-reach");
  },
});

/** A kernel where one call gives this error; 0 is a result. */
function kernelWith(name: SyscallName, errno: number): Uint8Array {
  const number = syscallNumber(Deno.build.arch, name)!;
  return encode([
    load(0),
    ...when("equal", number, [give(KERNEL.SECCOMP_RET_ERRNO | errno)]),
    give(KERNEL.SECCOMP_RET_ALLOW),
  ]);
}

const KERNELS: readonly (readonly [SyscallName, number, string])[] = [
  ["landlock_create_ruleset", KERNEL.ENOSYS, "landlock-missing"],
  ["landlock_create_ruleset", KERNEL.EOPNOTSUPP, "landlock-disabled"],
  ["landlock_create_ruleset", KERNEL.EPERM, "landlock-refused"],
  ["landlock_create_ruleset", 0, "landlock-abi"],
  ["landlock_restrict_self", KERNEL.E2BIG, "landlock-layers"],
  ["seccomp", KERNEL.EINVAL, "no-seccomp"],
  ["close_range", KERNEL.ENOSYS, "unknown"],
];

for (const [name, errno, cause] of KERNELS) {
  Deno.test({
    name: `probeLandlock: a kernel where ${name} gives ${errno} is ${cause}`,
    ...needs("landlock", "seccomp", "bwrap"),
    async fn() {
      await using place = await makeReachable({ cache: { dir: true } });
      const told = optionsFor(place, { account: undefined });
      const { stdout, stderr } = await underFilter(kernelWith(name, errno), [
        ...[Deno.execPath(), "run", "-A", "--no-config", CHILD],
        JSON.stringify(told),
      ]);
      assert.ok(stdout !== "", stderr);
      assert.equal(off(JSON.parse(stdout)).cause, cause, stdout);
    },
  });
}

Deno.test({
  name: "probeLandlock: an account that cannot be taken on is told",
  // Only root takes one on.
  ignore: options.ignore || ACCOUNT === undefined,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true } });
    const { stdout } = await new Deno.Command("setpriv", {
      args: [
        ...["--bounding-set=-setuid", Deno.execPath(), "run", "-A"],
        ...["--no-config", CHILD, JSON.stringify(optionsFor(place))],
      ],
      stderr: "inherit",
    }).output();
    const probed = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(off(probed).cause, "account-refused");
  },
});

Deno.test("causeOfFailure: names are stable, and a path is shown harmlessly", () => {
  assert.equal(
    causeOfFailure({ failed: "setresuid", errno: KERNEL.EPERM }).cause,
    "account-refused",
  );
  const { cause, message } = causeOfFailure({
    failed: "ro /a\u202e\u001b[2J",
    errno: 9999,
  });
  assert.equal(cause, "unknown");
  assert.match(message, /ro \/a\\u\{202e\}\\u\{1b\}\[2J: error 9999/);
});

Deno.test("readFailure: reads what the launcher notes, and nothing else", () => {
  assert.deepEqual(readFailure('{"failed":"seccomp","errno":22}\n'), {
    failed: "seccomp",
    errno: 22,
  });
  for (
    const text of [
      "",
      "{",
      '{"started":true}',
      '{"failed":1,"errno":2}',
      "null",
    ]
  ) {
    assert.equal(readFailure(text), undefined);
  }
});

Deno.test({
  name:
    "probeLandlock: what cannot be tried is named as the system names it, without a path",
  ...options,
  async fn() {
    await using place = await makeReachable();
    const tmpDir = place.tree.path("x".repeat(300));
    const { cause, message } = off(
      await probeLandlock(optionsFor(place, { tmpDir })),
    );
    assert.equal(cause, "no-probe");
    assert.equal(message, "Landlock could not be tried (ENAMETOOLONG)");
  },
});
