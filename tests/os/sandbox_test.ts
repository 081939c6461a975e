import assert from "node:assert/strict";
import { crossing } from "../../src/os/mounts.ts";
import { sandboxCommand } from "../../src/os/sandbox.ts";
import type { BwrapLayer, View } from "../../src/os/types.ts";
import { destinations, parseBwrap, type Parsed } from "./bwrap_arguments.ts";

const LIBC = "/lib/x86_64-linux-gnu/libc.so.6";
const LAYER: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.12.0",
  disableUserns: true,
  libraries: [
    { from: "/usr/lib/ld.so", to: "/lib64/ld.so" },
    { from: `/usr${LIBC}`, to: LIBC },
  ],
  prlimit: {
    path: "/usr/bin/prlimit",
    libraries: [{ from: `/usr${LIBC}`, to: LIBC }],
  },
  warnings: [],
};

const VIEW: View = {
  runtime: "/opt/deno",
  skillDir: "/skills/one",
  readable: [],
  writable: ["/data/one"],
  run: "<run>",
  scratch: "<scratch>",
  denodir: "<denodir>",
  network: "none",
  cwd: "/skills/one",
  scratchMiB: 64,
  processes: 32,
};

function parsed(view: Partial<View>, layer: Partial<BwrapLayer> = {}): Parsed {
  return parseBwrap(
    sandboxCommand({ ...LAYER, ...layer }, { ...VIEW, ...view }),
  );
}

function has({ options }: Parsed, ...wanted: string[]): boolean {
  return options.some(({ name, values }) =>
    JSON.stringify([name, ...values]) === JSON.stringify(wanted)
  );
}

/** Numbers that are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

Deno.test("sandboxCommand: every namespace is new, no capability is left, the root is closed last", () => {
  const command = parsed({});
  for (
    const option of [
      ["--unshare-user"],
      ["--unshare-all"],
      ["--disable-userns"],
      ["--die-with-parent"],
      ["--new-session"],
      ["--as-pid-1"],
      ["--cap-drop", "ALL"],
      ["--seccomp", "3"],
      ["--json-status-fd", "4"],
    ]
  ) assert.ok(has(command, ...option), option.join(" "));
  assert.ok(!has(command, "--share-net"));
  assert.deepEqual(command.options.at(-1), {
    name: "--remount-ro",
    values: ["/"],
  });
  assert.deepEqual(command.command, [
    ...["/usr/bin/prlimit", "--nproc=32", "--", "/usr/bin/deno"],
  ]);
});

Deno.test("sandboxCommand: what is not there is left out", () => {
  const command = parsed({}, { disableUserns: false, prlimit: undefined });
  assert.ok(!has(command, "--disable-userns"));
  assert.deepEqual(command.command, ["/usr/bin/deno"]);
});

Deno.test("sandboxCommand: the skill is read-only, data writable, scratch a sized tmpfs", () => {
  const command = parsed({ readable: ["/work"] });
  assert.ok(has(command, "--ro-bind", "/skills/one", "/skills/one"));
  assert.ok(has(command, "--ro-bind", "/work", "/work"));
  assert.ok(has(command, "--bind", "/data/one", "/data/one"));
  assert.ok(has(command, "--ro-bind", "<scratch>/in", "<scratch>/in"));
  assert.ok(has(command, "--bind", "<scratch>/out", "<scratch>/out"));
  assert.ok(has(command, "--bind", "<run>/audit.jsonl", "<run>/audit.jsonl"));
  for (const place of ["<scratch>", "<denodir>"]) {
    const at = command.options.findIndex(({ name, values }) =>
      name === "--tmpfs" && values[0] === place
    );
    assert.deepEqual(command.options.slice(at - 2, at), [
      { name: "--perms", values: ["0700"] },
      { name: "--size", values: ["67108864"] },
    ]);
  }
});

Deno.test("sandboxCommand: no procfs, no whole /dev, no directory of the system", () => {
  const command = parsed({});
  assert.deepEqual(
    destinations(command).filter((path) => /^\/(proc|dev|sys|etc)/.test(path)),
    ["/dev/null", "/dev/urandom", "/proc/self", "/proc/self/exe"],
  );
});

Deno.test("sandboxCommand: each network has its own mounts and no other's", () => {
  const socket = [
    ..."--ro-bind <run>/proxy/proxy.sock /run/skillfence/proxy.sock".split(" "),
  ];
  const resolver = ["resolv.conf", "hosts", "nsswitch.conf", "host.conf"]
    .concat("gai.conf").map((name) => `/etc/${name}`);
  const nss = "/lib/x86_64-linux-gnu/libnss_dns.so.2";
  for (const network of ["none", "proxy", "open"] as const) {
    const command = parsed({ network });
    const open = network === "open";
    assert.equal(has(command, ...socket), network === "proxy");
    for (const file of resolver) {
      assert.equal(has(command, "--ro-bind-try", file, file), open, file);
    }
    assert.equal(has(command, "--ro-bind-try", nss, nss), open);
    assert.equal(has(command, "--share-net"), open);
  }
});

Deno.test("sandboxCommand: whole library directories make their files' mounts needless", () => {
  const command = parsed({}, {
    libraries: [{ from: "/usr/lib", to: "/lib" }, {
      from: "/usr/lib64",
      to: "/lib64",
    }],
  });
  const places = destinations(command);
  assert.ok(places.includes("/lib"));
  assert.ok(!places.includes(LIBC));
});

Deno.test("sandboxCommand: hostile names are whole values and nothing else", () => {
  const random = numbers(7);
  const pick = <T>(from: readonly T[]): T =>
    from[Math.floor(random.next().value * from.length)]!;
  const pieces = [
    ..."--bind|--|--dev-bind / /|$(touch x)|`id`|\n|;|'|\"|\\|=|,".split("|"),
    ...["--share-net", "<run>", "<scratch>", "\u202e", " ", "-", "*", "~"],
  ];
  for (let turn = 0; turn < 300; turn++) {
    const name = () =>
      "/" + Array.from({ length: 3 }, () => pick(pieces)).join("");
    const [skillDir, work, data] = [
      `/s${name()}`,
      `/w${name()}`,
      `/d${name()}`,
    ];
    const command = parsed({
      skillDir,
      readable: [work],
      writable: [data],
      cwd: skillDir,
    });
    const plain = parsed({ readable: ["/w"], writable: ["/d"] });
    assert.deepEqual(
      command.options.map((option) => option.name),
      plain.options.map((option) => option.name),
    );
    assert.deepEqual(command.command, plain.command);
    const own = [skillDir, work, data];
    for (const { values } of command.options) {
      for (const value of values) {
        const touched = own.some((path) => value.includes(path));
        assert.ok(!touched || own.includes(value), value);
      }
    }
  }
});

Deno.test("sandboxCommand: a path that could be an option is a bug", () => {
  for (const bad of ["--bind", "relative", "", "/a/../b", "<other>/x"]) {
    for (const part of ["skillDir", "cwd", "runtime", "run"] as const) {
      assert.throws(() => parsed({ [part]: bad }), TypeError, `${part} ${bad}`);
    }
    assert.throws(() => parsed({ readable: [bad] }), TypeError);
    assert.throws(() => parsed({ writable: [bad] }), TypeError);
  }
});

Deno.test("crossing: no mount lies below what strangers fill, whatever the view", () => {
  const random = numbers(11);
  const pick = <T>(from: readonly T[]): T =>
    from[Math.floor(random.next().value * from.length)]!;
  const segments = ["tmp", "skills", "usr", "lib", "a", "b", "run", "proc"];
  const path = () =>
    "/" + Array.from(
      { length: 1 + Math.floor(random.next().value * 4) },
      () => pick(segments),
    ).join("/");
  let sound = 0;
  for (let turn = 0; turn < 4000; turn++) {
    const run = `${path()}/skillfence-1`;
    const view: View = {
      ...VIEW,
      skillDir: path(),
      readable: Array.from({ length: turn % 3 }, path),
      writable: Array.from({ length: turn % 2 }, path),
      run,
      scratch: `${run}/scratch`,
      denodir: `${run}/denodir`,
      network: pick(["none", "proxy", "open"]),
      cwd: "/",
    };
    const layer = {
      ...LAYER,
      libraries: turn % 5 === 0
        ? [{ from: "/usr/lib", to: "/usr/lib" }]
        : LAYER.libraries,
    };
    const complaint = crossing(layer, view);
    const trees = [view.skillDir, ...view.readable, ...view.writable];
    const places = destinations(parseBwrap(sandboxCommand(layer, view)));
    const below = places.filter((place) =>
      trees.some((tree) => place.startsWith(`${tree}/`))
    );
    // Whatever is shown of a tree is shown once, and with the right to write
    // only where all of it may be written.
    if (complaint === undefined) {
      sound++;
      assert.deepEqual(below, [], JSON.stringify(view));
      assert.equal(new Set(places).size, places.length);
      for (const tree of trees) {
        const shown = places.some((place) =>
          place === tree || tree.startsWith(`${place}/`)
        );
        assert.ok(shown, `${tree} is not shown`);
      }
    }
  }
  assert.ok(sound > 300, String(sound));
});

Deno.test("crossing: names what lies inside each other", () => {
  const of = (view: Partial<View>) => crossing(LAYER, { ...VIEW, ...view });
  assert.equal(of({}), undefined);
  assert.match(of({ writable: ["/skills"] }) ?? "", /only read.*written/);
  assert.match(of({ writable: ["/skills/one"] }) ?? "", /only read.*written/);
  assert.match(of({ readable: ["/data"] }) ?? "", /only read.*written/);
  assert.equal(of({ readable: ["/skills"] }), undefined);
  assert.equal(of({ readable: ["/skills/one/sub"] }), undefined);
  for (const taken of ["/", "/usr", "/usr/bin", "/dev", "/proc", "/run"]) {
    const network = "proxy";
    assert.match(
      of({ readable: [taken], writable: [], network }) ?? "",
      /needs for itself/,
    );
  }
  assert.equal(of({ readable: ["/usr/share/skills"] }), undefined);
  const run = "/tmp/skillfence-1";
  const places = { run, scratch: `${run}/scratch`, denodir: `${run}/denodir` };
  assert.match(of({ ...places, readable: ["/tmp"] }) ?? "", /needs for itself/);
  assert.equal(of({ ...places, readable: ["/tmp/other"] }), undefined);
});
