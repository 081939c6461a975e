/** What the proof of bubblewrap does not take for good. */

import assert from "node:assert/strict";
import { fake, faked, off, probe, rewritten } from "./fake_bwrap.ts";
import { gone } from "../fence/processes.ts";
import { makeReachable } from "./reachable.ts";

const WEAKER: Readonly<Record<string, readonly [string, RegExp]>> = {
  "without its filter": [
    rewritten("--seccomp) shift; n=$((n - 1));;"),
    /hypervisor.*ptrace/,
  ],
  "with the host's network": [
    rewritten('--unshare-all) set -- "$@" "$a" --share-net;;'),
    /loopback port.*unix socket.*listener of the host was reached/,
  ],
  "with a writable root": [
    rewritten("--remount-ro) shift; n=$((n - 1));;"),
    /written to \//,
  ],
  "with a directory of the system": [
    rewritten('--chdir) set -- "$@" --ro-bind /etc /etc "$a";;'),
    /a file of the system is there/,
  ],
  "with a skill that can be written": [
    rewritten('--ro-bind) set -- "$@" --bind;;'),
    /written to .*skill/,
  ],
  "with the host's devices": [
    rewritten('--dev-bind) set -- "$@" --dev /dev; shift 2; n=$((n - 2));;'),
    /in \/dev/,
  ],
  "with a further process": [
    rewritten("--as-pid-1) ;;"),
    /process: 2,1/,
  ],
  "with a variable too many": [
    rewritten('--hostname) set -- "$@" --setenv LEAK 1 "$a";;'),
    /variables: LEAK/,
  ],
};

for (const [weakness, [edit, told]] of Object.entries(WEAKER)) {
  Deno.test({
    name: `probeBwrap: a sandbox ${weakness} is not taken for good`,
    ...faked,
    async fn() {
      await using place = await makeReachable();
      const places = [await fake(place, edit)];
      const { cause, message } = off(await probe(place, { places }));
      assert.equal(cause, "does-not-hold", message);
      assert.match(message, told);
    },
  });
}

Deno.test({
  name: "probeBwrap: a sandbox that leaves root its capabilities is not taken",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const edit = rewritten("--cap-drop) shift; n=$((n - 1));;");
    const places = [await fake(place, edit)];
    const account = undefined;
    const { message } = off(await probe(place, { places, account }));
    assert.match(message, /capability/);
  },
});

Deno.test({
  name: "probeBwrap: a report without a run is not taken for good",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const lie = `echo '{"breaches":[],"broken":[]}'; exit 0`;
    const places = [await fake(place, lie)];
    assert.equal(off(await probe(place, { places })).cause, "unknown");
    // With a forged status, what was not written gives it away.
    const more = `echo '{ "exit-code": 0 }' >&4; ${lie}`;
    await fake(place, more);
    const found = off(await probe(place, { places }));
    assert.equal(found.cause, "does-not-work");
    assert.match(found.message, /does not come out/);
  },
});

Deno.test({
  name: "probeBwrap: a data directory that does not come out does not work",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const edit = rewritten(
      '--bind) case $1 in */data) set -- "$@" --tmpfs; shift; n=$((n - 1));; *) set -- "$@" "$a";; esac;;',
    );
    const places = [await fake(place, edit)];
    const { message } = off(await probe(place, { places }));
    assert.match(message, /does not come out/);
  },
});

const FAILING: Readonly<Record<string, string>> = {
  "needs-no-seccomp": 'case "$*" in *--seccomp*) ',
  "needs-no-network": 'case "$*" in *--share-net*) ;; *) ',
  "needs-no-userns": 'case "$*" in *--disable-userns*) ',
};

for (const [cause, when] of Object.entries(FAILING)) {
  Deno.test({
    name: `probeBwrap: ${cause}: an unknown complaint is narrowed down`,
    ...faked,
    async fn() {
      await using place = await makeReachable();
      const text = `${when} echo 'bwrap: odd \u202e' >&2; exit 1;; esac
exec /usr/bin/bwrap "$@"`;
      const places = [await fake(place, text)];
      const found = off(await probe(place, { places }));
      assert.equal(found.cause, cause, found.message);
      assert.match(found.message, /odd \\u\{202e\}.*starts only/);
    },
  });
}

Deno.test({
  name: "probeBwrap: one that does not end is ended",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const places = [await fake(place, "exec sleep 60")];
    const began = performance.now();
    assert.equal(off(await probe(place, { places })).cause, "timed-out");
    assert.ok(performance.now() - began < 9_000);
  },
});

Deno.test({
  name:
    "probeBwrap: a child that a failed start leaves behind is ended at once",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const { tree } = place;
    await tree.write({ left: "" });
    await Deno.chmod(tree.path("left"), 0o666);
    // Holds the output open, as bubblewrap's own does that fails early.
    const places = [
      await fake(
        place,
        `sleep 60 & echo $! >${tree.path("left")}
echo "bwrap: open /proc/7/ns failed: No such file or directory" >&2; exit 1`,
      ),
    ];
    const began = performance.now();
    const { cause } = off(await probe(place, { places }));
    assert.equal(cause, "no-proc");
    assert.ok(performance.now() - began < 4_000);
    await gone(Number(await Deno.readTextFile(tree.path("left"))));
  },
});
