/**
 * The traps of bubblewrap by which a script gets at what its server has: for
 * each, that our command does not fall into it, and beside it a control.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runAs } from "../support/as_root.ts";
import { needs } from "../support/kernel.ts";
import { ACCOUNT } from "./reachable.ts";
import {
  before,
  makeScene,
  type Scene,
  without,
  withProc,
} from "./sandboxed.ts";
import { until } from "../support/until.ts";

const real = needs("bwrap", "userns", "seccomp");

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
  const started = `${scene.view.scratch}/out/started`;
  await until(() => Deno.lstat(started).then(() => true, () => false), 10_000);
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
