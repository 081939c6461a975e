import assert from "node:assert/strict";
import {
  nativeCrossing,
  nativeObstacle,
  type NativeView,
} from "../../src/os/native.ts";
import { needs } from "../support/kernel.ts";
import { nativeRun } from "./native_scene.ts";

const LAYERS = [
  ["bwrap", needs("bwrap", "userns", "seccomp")],
  ["landlock", needs("landlock", "seccomp")],
] as const;

for (const [by, options] of LAYERS) {
  Deno.test({
    name: `native (${by}): reads the skill, writes its data and its home alone`,
    ...options,
    async fn() {
      const ran = await nativeRun(
        by,
        `read -r line <"$SKILL/file"; echo "$line"
         echo kept >"$DATA/kept" && echo data
         echo gone >"$HOME/gone" && echo home
         for place in "$SKILL/x" /usr/x /etc/x /x; do
           { echo x >"$place"; } 2>/dev/null && echo "wrote $place"
         done
         { echo x >"$OUTSIDE"; } 2>/dev/null
         exit 0`,
      );
      assert.equal(ran.out, "of the skill\ndata\nhome\n", ran.err);
      assert.deepEqual(ran.data, ["kept"]);
      // Below a /tmp of its own it may write where it likes.
      assert.equal(ran.outside, "secret outside");
    },
  });

  Deno.test({
    name:
      `native (${by}): no file of the host's and no environment of another process`,
    ...options,
    async fn() {
      const ran = await nativeRun(
        by,
        `for file in "$OUTSIDE" /etc/hostname /proc/$PPID/environ /proc/1/cmdline "$HOME/../status"; do
           if read -r line <"$file"; then echo "read $file: $line"; fi
         done 2>/dev/null
         exit 0`,
      );
      // bubblewrap's own process is the first one of its namespace.
      const lines = ran.out.split("\n").filter((line) =>
        line !== "" && !/^read \/proc\/1\/cmdline: .*bwrap/.test(line)
      );
      assert.deepEqual(lines, [], ran.err);
    },
  });
}

Deno.test({
  name: "native (landlock): no process beside its own",
  ...LAYERS[1][1],
  async fn() {
    const ran = await nativeRun("landlock", "/bin/true; echo after $?");
    assert.doesNotMatch(ran.out, /after 0/);
  },
});

Deno.test({
  name: "native (bwrap): processes of its own end with it, up to the bound",
  ...LAYERS[0][1],
  async fn() {
    const ran = await nativeRun(
      "bwrap",
      "(sleep 1000 &) ; /bin/true && echo child; whoami",
    );
    assert.equal(ran.out, "child\nskill\n", ran.err);
  },
});

const VIEW: NativeView = {
  readable: ["/skills/a"],
  executable: [],
  writable: ["/data/a"],
  run: "/tmp/run",
  home: "/tmp/run/home",
  homeMiB: 1,
  cwd: "/tmp/run/home",
  network: "none",
  processes: 1,
  procfs: false,
};
const PLACES = { directories: ["/usr"], links: [] };

Deno.test("nativeCrossing: places inside each other are told, in words without paths", () => {
  assert.equal(nativeCrossing(VIEW, PLACES), undefined);
  const crossed: Partial<NativeView>[] = [
    { writable: ["/skills/a/data"] },
    { writable: ["/skills"] },
    { readable: ["/tmp"] },
    { readable: ["/tmp/run/home/skill"] },
    { writable: ["/usr/share/data"] },
    { writable: ["/"] },
  ];
  for (const change of crossed) {
    const said = nativeCrossing({ ...VIEW, ...change }, PLACES);
    assert.match(said ?? "", /^a directory that is /, JSON.stringify(change));
    assert.doesNotMatch(said ?? "", /\//);
  }
});

Deno.test("nativeObstacle: Landlock that leaves signals is not enough for a native program", () => {
  const layer = { by: "landlock", launcher: [], libraries: [] } as const;
  assert.match(nativeObstacle({ ...layer, abi: 5 }) ?? "", /signals/);
  assert.equal(nativeObstacle({ ...layer, abi: 6 }), undefined);
});
