/** What a script meets in the sandbox of a run. */

import assert from "node:assert/strict";
import { PROXY_SOCKET_AT } from "../../src/os/mounts.ts";
import { needs } from "../support/kernel.ts";
import { makeScene } from "./sandboxed.ts";

const real = needs("bwrap", "userns", "seccomp");

Deno.test({
  name: "sandbox: what is opened is seen, the rest of its parent is not",
  ...real,
  async fn() {
    await using scene = await makeScene({
      "work/sub/note": "read me",
      "beside/note": "",
      "run/scratch/in/file": "handed in",
    });
    const { tree, view } = scene;
    const { told, stderr } = await scene.run(
      `const [work, beside, root] = ${
        JSON.stringify([tree.path("work"), tree.path("beside"), tree.root])
      };
      const tmp = Deno.env.get("TMPDIR");
      tell({
        read: Deno.readTextFileSync(work + "/sub/note"),
        handedIn: Deno.readTextFileSync(tmp + "/in/file"),
        beside: code(() => Deno.readDirSync(beside)),
        root: [...Deno.readDirSync(root)].map(({ name }) => name).sort(),
        written: [work + "/x", work + "/sub/x", tmp + "/in/x", Deno.cwd() + "/x"]
          .map((path) => code(() => Deno.writeTextFileSync(path, ""))),
        open: [tmp + "/x", tmp + "/out/x", root + "/data/x", Deno.env.get("DENO_DIR") + "/x"]
          .map((path) => code(() => Deno.writeTextFileSync(path, "kept"))),
        cwd: Deno.cwd(),
      });`,
      { view: { readable: [tree.path("work"), tree.path("work", "sub")] } },
    );
    assert.deepEqual(told, {
      read: "read me",
      handedIn: "handed in",
      beside: "ENOENT",
      root: ["data", "run", "skill", "work"],
      written: ["EROFS", "EROFS", "EROFS", "EROFS"],
      open: ["done", "done", "done", "done"],
      cwd: view.cwd,
    }, stderr);
    // Data and outputs are the host's, scratch and caches are gone.
    assert.equal(await Deno.readTextFile(tree.path("data", "x")), "kept");
    const out = tree.path("run", "scratch", "out", "x");
    assert.equal(await Deno.readTextFile(out), "kept");
    for (const gone of ["scratch/x", "denodir/x"]) {
      await assert.rejects(Deno.lstat(`${view.run}/${gone}`));
    }
  },
});

Deno.test({
  name: "sandbox: scratch ends where its bound is",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const { told, stderr } = await scene.run(
      `let mebibytes = 0;
      const file = Deno.openSync(Deno.env.get("TMPDIR") + "/big", { create: true, write: true });
      const chunk = new Uint8Array(1024 * 1024);
      const full = code(() => {
        for (; mebibytes < 64; mebibytes++) if (file.writeSync(chunk) < chunk.length) throw { code: "ENOSPC" };
      });
      tell([full, mebibytes <= 16 && mebibytes >= 14]);`,
    );
    assert.deepEqual(told, ["ENOSPC", true], stderr);
  },
});

Deno.test({
  name: "sandbox: processes are bounded inside, and start counting there",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const { told, stderr } = await scene.run(
      `const limit = new BigUint64Array(2);
      libc.getrlimit(6, new Uint8Array(limit.buffer));
      tell([...limit].map(Number));`,
      { view: { processes: 23 } },
    );
    assert.deepEqual(told, [23, 23], stderr);
  },
});

Deno.test({
  name: "sandbox: more threads than it may have are refused",
  ...real,
  async fn() {
    await using scene = await makeScene();
    const source = "data:text/javascript,postMessage(0)";
    const run = (processes: number) =>
      scene.run(
        `const workers = Array.from({ length: 20 }, () =>
          new Worker(${JSON.stringify(source)}, { type: "module" }));
        await Promise.all(workers.map((worker) =>
          new Promise((resolve) => worker.onmessage = resolve)));
        tell("all started"); Deno.exit(0);`,
        { view: { processes } },
      );
    assert.equal((await run(200)).told, "all started");
    const { told, code } = await run(12);
    assert.equal(told, undefined);
    assert.notEqual(code, 0);
  },
});

const DIAL = (port: number) => `
  const dial = (options) => Deno.connect(options).then(
    (connection) => { connection.close(); return "reached"; },
    (error) => error.name,
  );
  tell([
    await dial({ hostname: "127.0.0.1", port: ${port} }),
    await dial({ transport: "unix", path: ${JSON.stringify(PROXY_SOCKET_AT)} }),
    code(() => Deno.statSync("/etc/hosts")),
  ]);
`;

Deno.test({
  name: "sandbox: of the network there is nothing, the proxy's socket, or all",
  ...real,
  async fn() {
    await using scene = await makeScene({ "run/proxy": { dir: true } });
    const path = `${scene.view.run}/proxy/proxy.sock`;
    using proxy = Deno.listen({ transport: "unix", path });
    await Deno.chmod(path, 0o666);
    using host = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted = [accept(proxy), accept(host)];
    const dialled = async (network: "none" | "proxy" | "open") => {
      const script = DIAL((host.addr as Deno.NetAddr).port);
      const { told, stderr } = await scene.run(script, { view: { network } });
      assert.ok(Array.isArray(told), stderr);
      return told;
    };
    assert.deepEqual(await dialled("none"), [
      ...["ConnectionRefused", "NotFound", "ENOENT"],
    ]);
    assert.deepEqual(await dialled("proxy"), [
      ...["ConnectionRefused", "reached", "ENOENT"],
    ]);
    const [hostReached, ...rest] = await dialled("open");
    assert.deepEqual([hostReached, ...rest], ["reached", "NotFound", "done"]);
    proxy.close();
    host.close();
    assert.deepEqual(await Promise.all(accepted), [1, 1]);
  },
});

async function accept(listener: Deno.Listener): Promise<number> {
  let count = 0;
  try {
    for await (const connection of listener) {
      count++;
      connection.close();
    }
  } catch {
    // Closed.
  }
  return count;
}

Deno.test({
  name: "sandbox: hostile names of directories are names",
  ...real,
  async fn() {
    const names = [
      ...["--bind", "--", "-c", "a b", "a\nb", '"; touch x; "', "$(touch x)"],
      ...["`touch x`", "\u202e", "*", "%s", "\\", "<run>", "é", "#"],
    ];
    await using scene = await makeScene(
      Object.fromEntries(names.flatMap((name) => [
        [`skills/${name}/here`, name],
        [`works/${name}/here`, name],
      ])),
    );
    for (const name of names) {
      const skillDir = scene.tree.path("skills", name);
      const work = scene.tree.path("works", name);
      const { told, stderr } = await scene.run(
        `tell([
          Deno.readTextFileSync("here"),
          Deno.readTextFileSync(${JSON.stringify(work)} + "/here"),
          [...Deno.readDirSync("..")].length,
          code(() => Deno.writeTextFileSync("x", "")),
        ]);`,
        { view: { skillDir, cwd: skillDir, readable: [work] } },
      );
      assert.deepEqual(told, [name, name, 1, "EROFS"], name + stderr);
    }
    await assert.rejects(Deno.lstat("x"));
  },
});

Deno.test({
  name:
    "sandbox: a script's exit code is its own, a failed set-up is told apart",
  ...real,
  async fn() {
    await using scene = await makeScene();
    for (const code of [0, 1, 3]) {
      const ended = await scene.run(`Deno.exit(${code});`);
      assert.equal(ended.code, code);
      assert.equal(ended.status.started, true);
      assert.equal(ended.status.exitCode, code);
    }
    const missing = await scene.run("", {
      view: { writable: [scene.tree.path("missing")] },
    });
    assert.equal(missing.code, 1);
    assert.equal(missing.status.started, false);
    assert.match(missing.stderr, /^bwrap: Can't find source path/);
  },
});
