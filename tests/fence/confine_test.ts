import assert from "node:assert/strict";
import type { OsFence } from "../../src/config/types.ts";
import {
  confinedCommand,
  mannerOf,
  type Seen,
  unshowable,
} from "../../src/fence/plan/confine.ts";
import type { BwrapLayer, LandlockLayer } from "../../src/os/types.ts";

const BWRAP: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.8.0",
  disableUserns: true,
  libraries: [],
  prlimit: undefined,
  warnings: [],
};
const LANDLOCK: LandlockLayer = {
  by: "landlock",
  abi: 7,
  launcher: ["/skillfence", "__confine"],
  libraries: [],
};
const SEEN: Seen = {
  runtime: "/usr/lib/deno",
  skillDir: "/skills/s",
  dataDir: undefined,
  workspace: undefined,
  cwd: "/skills/s",
  network: "none",
  scratchMiB: 64,
  processes: 64,
  account: undefined,
};

Deno.test("mannerOf: what confines a script, in which realm, with what network", () => {
  const rows: [
    OsFence,
    BwrapLayer | LandlockLayer | undefined,
    boolean,
    boolean,
    string,
  ][] = [
    ["auto", BWRAP, false, false, "bwrap main none"],
    ["auto", BWRAP, true, false, "bwrap main proxy"],
    ["auto", BWRAP, true, true, "bwrap worker open"],
    ["auto", BWRAP, false, true, "bwrap main none"],
    ["bwrap+worker", BWRAP, false, false, "bwrap worker none"],
    ["bwrap+worker", BWRAP, true, false, "bwrap worker proxy"],
    ["auto", LANDLOCK, false, false, "landlock worker none"],
    ["auto", LANDLOCK, true, false, "landlock worker proxy"],
    ["auto", LANDLOCK, true, true, "landlock worker open"],
    ["auto", undefined, false, false, "none worker none"],
    ["off", undefined, true, false, "none worker open"],
  ];
  for (const [wanted, layer, reaches, sockets, expected] of rows) {
    const input = { wanted, layer, reaches, sockets };
    const { by, realm, network } = mannerOf({ ...input, closes: false });
    assert.equal(`${by} ${realm} ${network}`, expected, wanted);
    // What is closed is closed to imports too only where a worker asks.
    assert.equal(mannerOf({ ...input, closes: true }).realm, "worker");
  }
});

Deno.test("confinedCommand: holds placeholders for what each run makes anew", () => {
  assert.deepEqual(confinedCommand(undefined, SEEN), []);
  for (const layer of [BWRAP, LANDLOCK]) {
    const command = confinedCommand(layer, SEEN);
    assert.ok(command.includes("<scratch>"), command.join(" "));
    assert.ok(command.includes("<run>/audit.jsonl"), command.join(" "));
    assert.ok(!command.some((item) => /skillfence-\d/.test(item)));
  }
});

Deno.test("unshowable: what no layer can keep apart is refused, what lies apart is not", () => {
  const workspace = { dir: "/skills/s", mode: "write" as const };
  for (const layer of [BWRAP, LANDLOCK]) {
    assert.equal(unshowable(layer, SEEN, "/tmp"), undefined);
    const refused = unshowable(layer, { ...SEEN, workspace }, "/tmp");
    assert.equal(refused?.code, "PREFLIGHT");
  }
  const system = { dir: "/usr", mode: "read" as const };
  assert.equal(
    unshowable(BWRAP, { ...SEEN, workspace: system }, "/tmp")?.code,
    "PREFLIGHT",
  );
  const temporary = { dir: "/tmp", mode: "write" as const };
  assert.equal(
    unshowable(BWRAP, { ...SEEN, workspace: temporary }, "/tmp")?.code,
    "PREFLIGHT",
  );
  assert.equal(
    unshowable(undefined, { ...SEEN, workspace }, "/tmp"),
    undefined,
  );
});
