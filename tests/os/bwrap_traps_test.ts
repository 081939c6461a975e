/**
 * The traps of bubblewrap: for each, that our command does not fall into it,
 * and beside it a control which shows that the trap is there.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { crossing } from "../../src/os/mounts.ts";
import type { Account } from "../../src/os/types.ts";
import { asRoot, runAs } from "../support/as_root.ts";
import { needs } from "../support/kernel.ts";
import { ACCOUNT } from "./reachable.ts";
import { before, makeScene, type Scene, without } from "./sandboxed.ts";

const real = needs("bwrap", "userns", "seccomp");
const onlyRoot = { ignore: real.ignore || asRoot.ignore };

/** As the account of scripts, and as what the server itself is. */
const ACCOUNTS: readonly (Account | undefined)[] = ACCOUNT === undefined
  ? [undefined]
  : [ACCOUNT, undefined];

const nameOf = (account: Account | undefined) =>
  account === undefined ? "the server's own account" : `uid ${account.uid}`;

/** With a procfs of the sandbox's own in the place of our one link. */
function withProc(command: string[]): string[] {
  const at = command.indexOf("/proc/self");
  return command.toSpliced(at - 1, 5, "--proc", "/proc");
}

/** Versions that follow links, unless a distribution repaired them. */
async function mayFollowLinks(): Promise<boolean> {
  const { stdout } = await new Deno.Command("bwrap", { args: ["--version"] })
    .output();
  const version = new TextDecoder().decode(stdout);
  return /^bubblewrap 0\.(\d|1[01])\./.test(version);
}

for (const account of ACCOUNTS) {
  Deno.test({
    name: `trap 1, procfs: there is no /proc/sys for ${nameOf(account)}`,
    ...real,
    async fn() {
      await using scene = await makeScene();
      const { told, stderr } = await scene.run(
        `tell([
          code(() => Deno.lstatSync("/proc/sys")),
          code(() => Deno.openSync("/proc/sys/kernel/core_pattern", { write: true })),
          code(() => Deno.lstatSync("/proc/1")),
        ]);`,
        { account },
      );
      assert.deepEqual(told, ["ENOENT", "ENOENT", "ENOENT"], stderr);
    },
  });

  Deno.test({
    name: `trap 7, vsock and key rings: closed by the filter for ${
      nameOf(account)
    }`,
    ...real,
    async fn() {
      await using scene = await makeScene();
      const { told, stderr } = await scene.run(KEYS, { account });
      assert.deepEqual(told, [-1, -1], stderr);
    },
  });

  Deno.test({
    name: `trap 8, root directory: nothing can be written to it by ${
      nameOf(account)
    }`,
    ...real,
    async fn() {
      await using scene = await makeScene();
      const { told, stderr } = await scene.run(WRITE, { account });
      assert.deepEqual(told, ["EROFS", "EROFS", "EROFS", "ENOENT"], stderr);
    },
  });
}

Deno.test({
  name:
    "trap 1, control: with a procfs, root may open kernel settings to write",
  ...onlyRoot,
  async fn() {
    await using scene = await makeScene();
    // Opened and closed again: nothing is written.
    const { told, stderr } = await scene.run(
      `tell(code(() => Deno.openSync("/proc/sys/kernel/core_pattern", { write: true }).close()));`,
      { account: undefined, edit: withProc },
    );
    assert.equal(told, "done", stderr);
  },
});

/** What the first process inside and the script itself have as environment. */
const ENVIRONMENT = `
  const first = code(() => tell({
    own: Deno.env.get("SECRET_OF_SERVER") ?? null,
    first: Deno.readTextFileSync("/proc/1/environ").includes("SECRET_OF_SERVER"),
  }));
  if (first !== "done") tell({ own: Deno.env.get("SECRET_OF_SERVER") ?? null, first });
`;

Deno.test({
  name: "trap 2, --clearenv: the server's environment is nowhere inside",
  ...real,
  async fn() {
    await using scene = await makeScene();
    using _secret = secretOfServer();
    const { told, stderr } = await scene.run(ENVIRONMENT);
    assert.deepEqual(told, { own: null, first: "ENOENT" }, stderr);
  },
});

Deno.test({
  name: "trap 2, control: --clearenv leaves it with the first process",
  ...real,
  async fn() {
    await using scene = await makeScene();
    using _secret = secretOfServer();
    const { told, stderr } = await scene.run(ENVIRONMENT, {
      leaky: true,
      edit: (command) =>
        before(
          "--hostname",
          ...["--clearenv", "--setenv", "DENO_DIR", scene.view.denodir],
        )(without("--as-pid-1", 0)(withProc(command))),
    });
    assert.deepEqual(told, { own: null, first: true }, stderr);
  },
});

function secretOfServer(): Disposable {
  Deno.env.set("SECRET_OF_SERVER", "x");
  return { [Symbol.dispose]: () => Deno.env.delete("SECRET_OF_SERVER") };
}

/** Says that it runs, and goes on at the end of its input. */
const WAIT = `
  Deno.writeTextFileSync(Deno.env.get("TMPDIR") + "/out/started", "");
  while (await Deno.stdin.read(new Uint8Array(8)) !== null);
  tell(Deno.env.get("GRANTED"));
`;
const VALUE = "value-that-nobody-else-may-see-4711";

/** Processes whose command line holds the value, by what any user may read. */
async function shownBy(scene: Scene): Promise<number[]> {
  await started(scene);
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const path = `/proc/${name}/cmdline`;
      if (Deno.readTextFileSync(path).includes(VALUE)) found.push(Number(name));
    } catch {
      // It has ended.
    }
  }
  return found;
}

async function started(scene: Scene): Promise<void> {
  const path = `${scene.view.scratch}/out/started`;
  const end = performance.now() + 10_000;
  while (!await Deno.lstat(path).then(() => true, () => false)) {
    if (performance.now() > end) throw new Error("it did not start");
    await new Promise((again) => setTimeout(again, 5));
  }
}

Deno.test({
  name: "trap 3, secrets in arguments: a granted value is in no command line",
  ...real,
  async fn() {
    await using scene = await makeScene();
    let shown: number[] = [-1];
    const { told, stderr } = await scene.run(WAIT, {
      env: { GRANTED: VALUE },
      meanwhile: async () => {
        shown = await shownBy(scene);
      },
    });
    assert.equal(told, VALUE, stderr);
    assert.deepEqual(shown, []);
  },
});

Deno.test({
  name: "trap 3, control: --setenv shows it to every account",
  ...real,
  async fn() {
    await using scene = await makeScene();
    let shown: number[] = [];
    let other = "";
    await scene.run(WAIT, {
      edit: before("--hostname", "--setenv", "GRANTED", VALUE),
      meanwhile: async (child) => {
        shown = await shownBy(scene);
        if (ACCOUNT !== undefined) {
          const stranger = { uid: 54_321, gid: 54_321 };
          const path = `/proc/${child.pid}/cmdline`;
          other = (await runAs(stranger, ["/bin/cat", path])).out;
        }
      },
    });
    assert.ok(shown.length > 0);
    if (ACCOUNT !== undefined) assert.ok(other.includes(VALUE));
  },
});

/** The start of what lies behind each descriptor, in base64. */
const DESCRIPTORS = `
  const found = [];
  for (let descriptor = 3; descriptor < 40; descriptor++) {
    const buffer = new Uint8Array(64);
    const size = Number(libc.pread(descriptor, buffer, 64n, 0n));
    if (size > 0) found.push(buffer.subarray(0, size).toBase64());
  }
  tell(found);
`;
const SECRET = "behind the descriptor";
const CHILD = fileURLToPath(
  new URL("./descriptor_child.ts", import.meta.url),
);

/**
 * Which of three files a script finds behind its descriptors: the server's own,
 * and the two that bubblewrap reads and writes.
 */
async function foundBehind(measure: "keep" | "leave"): Promise<string[]> {
  await using scene = await makeScene({ secret: SECRET });
  const { tree, view } = scene;
  const [program = "", ...args] = [
    ...["/bin/sh", "-c", 'exec 9<"$0"; exec "$@"', tree.path("secret")],
    ...[view.runtime, "run", "-A", "--no-check", "--quiet", CHILD],
    ...[measure, view.denodir, ...await scene.command(DESCRIPTORS)],
  ];
  const { stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text.startsWith("["), text + new TextDecoder().decode(stderr));
  const found = JSON.parse(text) as string[];
  return ["secret", "filter", "status"].filter((name) => {
    // The status goes on after the script looked.
    const bytes = Deno.readFileSync(tree.path(name)).toBase64();
    return found.some((start) =>
      start.length > 8 && bytes.startsWith(start.slice(0, -4))
    );
  });
}

Deno.test({
  name: "trap 4, inherited descriptors: none but the streams reaches a script",
  ...real,
  async fn() {
    assert.deepEqual(await foundBehind("keep"), []);
  },
});

Deno.test({
  name: "trap 4, control: an open descriptor goes through shell and sandbox",
  ...real,
  async fn() {
    assert.deepEqual(await foundBehind("leave"), ["secret"]);
  },
});

/** A skill whose link leads to a directory of the host, as the sandbox is set up. */
async function planted(): Promise<Scene> {
  const scene = await makeScene({ target: { dir: true } });
  const { tree } = scene;
  await Deno.chmod(tree.path("target"), 0o777);
  for (const dir of ["skill", "data"]) {
    await Deno.symlink(`/oldroot${tree.path("target")}`, tree.path(dir, "x"));
  }
  return scene;
}

Deno.test({
  name: "trap 5, links on the way to a mount: nothing is made on the host",
  ...real,
  async fn() {
    await using scene = await planted();
    const { told, stderr } = await scene.run(
      `tell(code(() => Deno.writeTextFileSync("x/made", "")));`,
    );
    assert.equal(told, "ENOENT", stderr);
    const { tree, view, layer } = scene;
    assert.deepEqual([...Deno.readDirSync(tree.path("target"))], []);
    // And a view that would need a mount below the skill is complained of.
    const below = { ...view, writable: [`${view.skillDir}/x/made`] };
    assert.match(crossing(layer, below) ?? "", /inside each other/);
  },
});

Deno.test({
  name:
    "trap 5, control: before 0.12.0 a mount below a skill makes directories on the host",
  ...real,
  async fn() {
    await using scene = await planted();
    const { tree, view } = scene;
    await scene.run("tell(0)", {
      edit: before("--chdir", "--dir", `${view.skillDir}/x/made`),
    });
    const made = [...Deno.readDirSync(tree.path("target"))]
      .map(({ name }) => name);
    if (made.length > 0) assert.deepEqual(made, ["made"]);
    assert.ok(made.length === 0 || await mayFollowLinks());
  },
});

/** A user namespace in which no further one can be made; the host's limit stays. */
const LIMITED: readonly string[] = [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  ...['echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"', "sh"],
];

Deno.test({
  name: "trap 6, no user namespace to be had: nothing starts",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const { told, status, stderr } = await scene.run("tell(1)", {
      account: undefined,
      above: LIMITED,
    });
    assert.equal(told, undefined);
    assert.equal(status.started, false);
    assert.match(stderr, /^bwrap: Creating new namespace failed/m);
  },
});

Deno.test({
  name:
    "trap 6, control: --unshare-all alone goes on in the old user namespace",
  ...real,
  async fn() {
    const readlink = ["/usr/bin/readlink", "/proc/self/ns/user"];
    const [program = "", ...args] = [
      ...LIMITED,
      ...["sh", "-c", 'readlink /proc/self/ns/user; exec "$@"', "sh"],
      ...["bwrap", "--unshare-all", "--ro-bind", "/", "/", ...readlink],
    ];
    const { stdout, stderr } = await new Deno.Command(program, { args })
      .output();
    const [outer, inner] = new TextDecoder().decode(stdout).trim().split("\n");
    assert.match(outer ?? "", /^user:\[\d+\]$/);
    assert.equal(inner, outer, new TextDecoder().decode(stderr));
  },
});

/** A socket to the hypervisor, and the number of the session's key ring. */
const KEYS = `
  const AF_VSOCK = 40, SOCK_STREAM = 1;
  const GET_KEYRING_ID = 0n, SESSION = -3n;
  tell([
    libc.socket(AF_VSOCK, SOCK_STREAM, 0),
    Number(libc.keyctl(KEYCTL, GET_KEYRING_ID, SESSION, 0n)),
  ]);
`;

Deno.test({
  name: "trap 7, control: without the filter both are open",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const { told, stderr } = await scene.run(KEYS, {
      edit: without("--seccomp", 1),
    });
    const [vsock = -1, ring = -1] = told as number[];
    // Not every kernel has vsock; every one has key rings.
    if (await Deno.lstat("/dev/vsock").then(() => true, () => false)) {
      assert.ok(vsock > 0, stderr);
    }
    assert.ok(ring > 0, stderr);
  },
});

const WRITE = `tell(
  ["/file", "/dev/file", "/tmp/file", "/dev/shm/file"].map((path) =>
    code(() => Deno.writeTextFileSync(path, "x"))
  ),
);`;

Deno.test({
  name: "trap 8, control: without --remount-ro the root is a writable tmpfs",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const { told, stderr } = await scene.run(WRITE, {
      edit: without("--remount-ro", 1),
    });
    assert.deepEqual(told, ["done", "done", "done", "ENOENT"], stderr);
  },
});
