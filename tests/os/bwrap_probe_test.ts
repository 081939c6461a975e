import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { OsOff } from "../../src/os/types.ts";
import { fake, faked, off, probe, real } from "./fake_bwrap.ts";
import { ACCOUNT, makeReachable, type Reachable } from "./reachable.ts";

const CHILD = fileURLToPath(new URL("./probe_child.ts", import.meta.url));

Deno.test({
  name: "probeBwrap: holds here, as the account of scripts and as our own",
  ...real,
  async fn() {
    await using place = await makeReachable();
    for (const account of [ACCOUNT, undefined]) {
      const probed = await probe(place, { account });
      assert.ok(probed.ok, probed.ok ? "" : probed.off.message);
      const { layer } = probed;
      assert.match(layer.version, /^\d+\.\d+\.\d+$/);
      assert.ok(layer.libraries.length > 0);
      assert.equal(
        layer.warnings.some((warning) =>
          warning.includes("GHSA-pxhw-h44j-8pfx")
        ),
        /^0\.(\d|1[01])\./.test(layer.version),
      );
    }
    assert.deepEqual(
      [...Deno.readDirSync(place.tree.root)].filter((entry) =>
        entry.name.includes("probe")
      ),
      [],
    );
  },
});

Deno.test({
  name: "probeBwrap: an option that is not there is told",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    await place.tree.write({
      "old/bwrap": `#!/bin/sh
case $1 in --version) echo bubblewrap 0.6.1;; *) bwrap --help | grep -v -- --size;; esac
`,
    });
    await Deno.chmod(place.tree.path("old", "bwrap"), 0o755);
    const places = [place.tree.path("old")];
    const found = off(await probe(place, { places }));
    assert.equal(found.cause, "too-old");
    assert.match(found.message, /0\.6\.1 has no --size/);
  },
});

Deno.test({
  name: "probeBwrap: without --disable-userns the filter alone has to hold",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    await place.tree.write({
      "old/bwrap": `#!/bin/sh
case $1 in
--version) echo bubblewrap 0.7.0;;
--help) /usr/bin/bwrap --help | grep -v -- --disable-userns;;
*) case "$*" in *--disable-userns*) echo 'bwrap: Unknown option --disable-userns' >&2; exit 1;; esac
  exec /usr/bin/bwrap "$@";;
esac
`,
    });
    await Deno.chmod(place.tree.path("old", "bwrap"), 0o755);
    const probed = await probe(place, { places: [place.tree.path("old")] });
    assert.ok(probed.ok, probed.ok ? "" : probed.off.message);
    assert.equal(probed.layer.disableUserns, false);
  },
});

Deno.test({
  name: "probeBwrap: a proof is kept until the program or the runtime changes",
  ...faked,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true }, log: "" });
    const { tree } = place;
    await Deno.chmod(tree.path("log"), 0o666);
    // Its own copy, whose time the test may change.
    await Deno.copyFile(place.runtime, tree.path("runtime"));
    const places = [
      await fake(
        place,
        `echo run >>${tree.path("log")}; exec /usr/bin/bwrap "$@"`,
      ),
    ];
    const runs = async () => {
      const probed = await probe(place, {
        places,
        runtime: tree.path("runtime"),
        cacheDir: tree.path("cache"),
      });
      assert.ok(probed.ok, probed.ok ? "" : probed.off.message);
      return (await Deno.readTextFile(tree.path("log"))).split("\n").length - 1;
    };
    assert.equal(await runs(), 1);
    assert.equal(await runs(), 1);
    await Deno.utime(tree.path("runtime"), 1, 1);
    assert.equal(await runs(), 2);
    await Deno.utime(tree.path("fake", "bwrap"), 1, 1);
    assert.equal(await runs(), 3);
    assert.equal(await runs(), 3);
    const [record] = [...Deno.readDirSync(tree.path("cache"))];
    await Deno.writeTextFile(tree.path("cache", record!.name), "{}");
    assert.equal(await runs(), 4);
  },
});

Deno.test({
  name: "probeBwrap: a failure is not kept",
  ...faked,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true } });
    const places = [await fake(place, "exit 1")];
    const cacheDir = place.tree.path("cache");
    assert.ok(!(await probe(place, { places, cacheDir })).ok);
    assert.deepEqual([...Deno.readDirSync(cacheDir)], []);
  },
});

Deno.test({
  name: "probeBwrap: asked anew, a kept proof counts no more",
  ...faked,
  async fn() {
    await using place = await makeReachable({ cache: { dir: true }, off: "" });
    const { tree } = place;
    const text = `[ -s ${tree.path("off")} ] && exit 1
exec /usr/bin/bwrap "$@"`;
    const places = [await fake(place, text)];
    const ask = async (fresh: boolean) => {
      const cacheDir = tree.path("cache");
      return (await probe(place, { places, cacheDir, fresh })).ok;
    };
    assert.equal(await ask(false), true);
    await Deno.writeTextFile(tree.path("off"), "x");
    assert.equal(await ask(false), true);
    assert.equal(await ask(true), false);
    assert.equal(await ask(false), false);
  },
});

Deno.test({
  name: "probeBwrap: none installed, and one that others may replace",
  ...real,
  async fn() {
    await using place = await makeReachable({ "open/bwrap": "#!/bin/sh\n" });
    const none = off(await probe(place, { places: [] }));
    assert.equal(none.cause, "not-installed");
    await Deno.chmod(place.tree.path("open", "bwrap"), 0o755);
    await Deno.chmod(place.tree.path("open"), 0o777);
    const searchPath = `relative:${place.tree.path("open")}`;
    const found = off(await probe(place, { places: [], searchPath }));
    assert.equal(found.cause, "not-trusted");
    // The real one is used all the same when it comes later.
    const both = await probe(place, {
      places: [],
      searchPath: `${searchPath}:/usr/bin`,
    });
    assert.ok(both.ok);
  },
});

Deno.test({
  name: "probeBwrap: a runtime that the account cannot reach is named",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    await Deno.mkdir(place.tree.path("closed"), { mode: 0o700 });
    await place.tree.write({ "closed/deno": "" });
    const runtime = place.tree.path("closed", "deno");
    const found = off(await probe(place, { runtime }));
    assert.equal(found.cause, "out-of-reach");
    assert.ok(found.message.includes(place.tree.path("closed")));
  },
});

Deno.test({
  name: "probeBwrap: what does not start inside is told with what it was shown",
  ...real,
  async fn() {
    await using place = await makeReachable();
    const runtime = place.tree.path("broken");
    // A text that names an interpreter which the sandbox does not show.
    await Deno.writeTextFile(runtime, "#!/nowhere\n", { mode: 0o755 });
    const found = off(await probe(place, { runtime }));
    assert.equal(found.cause, "runtime-does-not-start");
  },
});

/** Probes in a program of its own, below another one. */
async function probeBelow(
  { tree, runtime }: Reachable,
  ...above: string[]
): Promise<OsOff> {
  const [program = "", ...args] = [
    ...above,
    ...[runtime, "run", "-A", "--no-check", "--quiet", CHILD, runtime],
    tree.root,
  ];
  const { stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  assert.ok(text.startsWith("{"), text + decoder.decode(stderr));
  return off(JSON.parse(text));
}

Deno.test({
  name: "probeBwrap: no further namespaces: namespaces-limited",
  // In an ordinary user's namespace the program would not be root's.
  ...faked,
  async fn() {
    await using place = await makeReachable();
    // The limit of a user namespace of its own; the host's stays.
    const text = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    const found = await probeBelow(
      place,
      ...["unshare", "--user", "--map-root-user"],
      ...["sh", "-c", text, "sh"],
    );
    assert.equal(found.cause, "namespaces-limited", found.message);
  },
});

Deno.test({
  name: "probeBwrap: root without CAP_SETFCAP: no-setfcap",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const found = await probeBelow(
      place,
      ...["setpriv", "--bounding-set", "-setfcap"],
    );
    assert.equal(found.cause, "no-setfcap", found.message);
  },
});

Deno.test({
  name: "probeBwrap: an ambient capability: ambient-capabilities",
  ...faked,
  async fn() {
    await using place = await makeReachable();
    const found = await probeBelow(
      place,
      ...["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"],
      ...["--inh-caps", "+net_bind_service"],
      ...["--ambient-caps", "+net_bind_service"],
    );
    assert.equal(found.cause, "ambient-capabilities", found.message);
  },
});
