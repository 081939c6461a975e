/**
 * The traps of bubblewrap: for each, that our command does not fall into it,
 * and beside it a control which shows that the trap is there. Those about what
 * a server hands on are in bwrap_inheritance_test.ts.
 */

import assert from "node:assert/strict";
import { crossing } from "../../src/os/mounts.ts";
import type { Account } from "../../src/os/types.ts";
import { asRoot } from "../support/as_root.ts";
import { needs } from "../support/kernel.ts";
import { ACCOUNT } from "./reachable.ts";
import {
  before,
  makeScene,
  type Scene,
  without,
  withProc,
} from "./sandboxed.ts";

const real = needs("bwrap", "userns", "seccomp");
const onlyRoot = { ignore: real.ignore || asRoot.ignore };

/** As the account of scripts, and as what the server itself is. */
const ACCOUNTS: readonly (Account | undefined)[] = ACCOUNT === undefined
  ? [undefined]
  : [ACCOUNT, undefined];

const nameOf = (account: Account | undefined) =>
  account === undefined ? "the server's own account" : `uid ${account.uid}`;

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
