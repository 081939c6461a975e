import assert from "node:assert/strict";
import { Pacer } from "../../src/base/pacer.ts";
import { basename, dirname, join } from "node:path";
import {
  ownIdentity,
  type ProcessIdentity,
} from "../../src/fence/disk/process_identity.ts";
import {
  removeTree,
  removeTreeSync,
} from "../../src/fence/disk/remove_tree.ts";
import {
  makeProxyDir,
  type Scratch,
  ScratchKeeper,
} from "../../src/fence/disk/scratch.ts";
import type { Account } from "../../src/os/types.ts";
import type { InputFile } from "../../src/fence/types.ts";
import { asRoot, NOBODY, runAs } from "../support/as_root.ts";
import { makeTree } from "../support/tree.ts";
import { gone, onUnix } from "./processes.ts";

const DAY = 24 * 60 * 60 * 1000;

async function make(
  keeper: ScratchKeeper,
  files: InputFile[] = [],
): Promise<Scratch> {
  const made = await keeper.makeScratch(files);
  assert.ok(made.ok, made.ok ? "" : made.message);
  return made.value;
}

function file(name: string, text: string): InputFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function modeOf(path: string): Promise<number> {
  return (await Deno.stat(path)).mode! & 0o777;
}

/** A process that has ended, as it was while it ran. */
async function endedProcess(): Promise<ProcessIdentity> {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", "read x"],
    stdin: "piped",
  }).spawn();
  const own = ownIdentity();
  const stat = Deno.build.os === "linux"
    ? await Deno.readTextFile(`/proc/${child.pid}/stat`)
    : "";
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  await child.stdin.close();
  await child.status;
  await gone(child.pid);
  return { ...own, pid: child.pid, start };
}

Deno.test({
  name: "ScratchKeeper: a fresh private tree below the temporary directory",
  ...onUnix,
  async fn() {
    await using tmp = await makeTree();
    const keeper = new ScratchKeeper(tmp.root);
    const one = await make(keeper);
    const two = await make(keeper);
    assert.notEqual(one.base, two.base);
    assert.match(basename(one.base), /^skillfence-/);
    const { base, scratch, in: handed, out, denodir, proxyDir } = one;
    assert.equal(await exists(proxyDir), false, "only a proxy needs it");
    makeProxyDir(one);
    for (const dir of [base, scratch, handed, out, denodir, proxyDir]) {
      assert.equal(await modeOf(dir), 0o700, dir);
    }
    for (const path of [one.audit, one.status]) {
      assert.equal(await modeOf(path), 0o600, path);
      assert.equal(await Deno.readTextFile(path), "");
    }
    // Out of what the script may write.
    for (const path of [denodir, proxyDir, one.audit, one.status]) {
      assert.equal(dirname(path), base);
    }
    assert.ok(!one.denodir.startsWith(one.scratch));
    assert.equal(one.out, join(one.scratch, "out"));
    assert.equal(one.in, join(one.scratch, "in"));
  },
});

Deno.test({
  name: "ScratchKeeper: files are laid in, read-only, byte for byte",
  ...onUnix,
  async fn() {
    await using tmp = await makeTree();
    const keeper = new ScratchKeeper(tmp.root);
    const scratch = await make(keeper, [
      file("a b.txt", "héllo"),
      file("-x", ""),
    ]);
    const path = join(scratch.in, "a b.txt");
    assert.equal(await Deno.readTextFile(path), "héllo");
    assert.equal(await modeOf(path), 0o444);
    assert.ok(await exists(join(scratch.in, "-x")));
  },
});

Deno.test("ScratchKeeper: a file name that is no plain segment leaves nothing behind", async () => {
  await using tmp = await makeTree();
  const keeper = new ScratchKeeper(tmp.root);
  for (const name of ["../x", "a/b", "..", ".", "", "a\\b"]) {
    const made = await keeper.makeScratch([file(name, "x")]);
    assert.equal(made.ok ? name : made.code, "SPAWN_FAILED");
  }
  assert.deepEqual(await Array.fromAsync(Deno.readDir(tmp.root)), []);
});

Deno.test("ScratchKeeper: a temporary directory with a comma, or none, is refused without its path", async () => {
  await using tmp = await makeTree({ "a,b": { dir: true } });
  for (const parent of [tmp.path("a,b"), tmp.path("missing")]) {
    const made = await new ScratchKeeper(parent).makeDir();
    assert.equal(made.ok ? parent : made.code, "SPAWN_FAILED");
    assert.ok(!made.ok && !made.message.includes(tmp.root));
  }
  assert.deepEqual(await Array.fromAsync(Deno.readDir(tmp.path("a,b"))), []);
});

Deno.test("ScratchKeeper: closing removes everything made, at once, and makes no more", async () => {
  await using tmp = await makeTree();
  const keeper = new ScratchKeeper(tmp.root);
  const scratch = await make(keeper, [file("x", "y")]);
  await make(keeper);
  await Deno.mkdir(join(scratch.out, "deep", "er"), { recursive: true });
  keeper.closeSync();
  assert.deepEqual([...Deno.readDirSync(tmp.root)], []);
  assert.equal((await keeper.makeDir()).ok, false);
});

Deno.test({
  name: "removeTree: directories that a script closed are removed, both ways",
  ...onUnix,
  async fn() {
    await using tmp = await makeTree();
    for (const name of ["async", "sync"]) {
      const dir = tmp.path(name);
      await Deno.mkdir(join(dir, "a", "b"), { recursive: true });
      await Deno.writeTextFile(join(dir, "a", "b", "c"), "x");
      await Deno.chmod(join(dir, "a", "b"), 0);
      await Deno.chmod(join(dir, "a"), 0o500);
      await Deno.chmod(dir, 0);
    }
    assert.equal(await removeTree(tmp.path("async")), true);
    assert.equal(removeTreeSync(tmp.path("sync")), true);
    assert.deepEqual([...Deno.readDirSync(tmp.root)], []);
    assert.equal(removeTreeSync(tmp.path("never was")), true);
  },
});

Deno.test({
  name: "removeTree: links are removed, never what they point to",
  ...onUnix,
  async fn() {
    await using tmp = await makeTree({
      "kept/file": "x",
      "gone/link": { link: "../kept" },
      "gone/closed/link": { link: "../../kept" },
    });
    await Deno.chmod(tmp.path("kept"), 0o750);
    await Deno.chmod(tmp.path("gone", "closed"), 0o500);
    assert.equal(await removeTree(tmp.path("gone")), true);
    assert.equal(await Deno.readTextFile(tmp.path("kept", "file")), "x");
    assert.equal(await modeOf(tmp.path("kept")), 0o750);
  },
});

/** Changes `x` for `l` and back, where it stands, until told to end. */
const SWAPS = `
  import ctypes, os, sys
  libc = ctypes.CDLL(None)
  os.chdir(sys.argv[1])
  print("swaps", flush=True)
  while os.listdir("."):
      for _ in range(200): libc.renameat2(-100, b"x", -100, b"l", 2)
`.replaceAll("\n  ", "\n");

Deno.test({
  name: "removeTree: a link that is put in a directory's place is not followed",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmp = await makeTree({ "kept/file": "x" });
    await Deno.chmod(tmp.path("kept"), 0o750);
    for (let round = 0; round < 12; round++) {
      const base = tmp.path(`gone${round}`);
      await Deno.mkdir(join(base, "s", "x", "y"), { recursive: true });
      await Deno.symlink(tmp.path("kept"), join(base, "s", "l"));
      const swaps = new Deno.Command("python3", {
        args: ["-c", SWAPS, join(base, "s")],
        stdout: "piped",
      }).spawn();
      const said = swaps.stdout.getReader();
      await said.read();
      assert.equal(await removeTree(base), true);
      await swaps.status;
      await said.cancel();
      assert.equal(await modeOf(tmp.path("kept")), 0o750);
      assert.equal(await Deno.readTextFile(tmp.path("kept", "file")), "x");
    }
  },
});

/** Nests some `levels` directories below `top`: more than one path can name. */
async function nest(top: string, levels: number): Promise<void> {
  const chain = "/d".repeat(1500);
  await Deno.mkdir(top);
  let below: string | undefined;
  for (let made = 0; made < levels; made += 1501) {
    const next = join(top, `chain${made}`);
    await Deno.mkdir(next + chain, { recursive: true });
    if (below !== undefined) await Deno.rename(below, `${next}${chain}/below`);
    below = next;
  }
}

Deno.test({
  name:
    "removeTree: a tree nested deeper than the runtime can recurse is removed, both ways",
  ...onUnix,
  async fn() {
    await using tmp = await makeTree();
    await nest(tmp.path("async"), 15_000);
    await nest(tmp.path("sync"), 3000);
    const long = "n".repeat(250);
    await Deno.mkdir(tmp.path("async", ...Array(12).fill(long)), {
      recursive: true,
    });
    await Deno.chmod(tmp.path("async", long, long, long, long), 0);
    assert.equal(await removeTree(tmp.path("async")), true);
    assert.equal(removeTreeSync(tmp.path("sync")), true);
    assert.deepEqual([...Deno.readDirSync(tmp.root)], []);
  },
});

Deno.test("removeTree: a tree of many directories does not hold up everything else", async () => {
  await using tmp = await makeTree();
  for (let i = 0; i < 8000; i++) {
    Deno.mkdirSync(tmp.path("wide", String(i)), { recursive: true });
  }
  const { pause } = Pacer.prototype;
  let pauses = 0;
  Pacer.prototype.pause = function () {
    pauses++;
    return pause.call(this);
  };
  try {
    assert.equal(await removeTree(tmp.path("wide")), true);
  } finally {
    Pacer.prototype.pause = pause;
  }
  assert.ok(pauses > 0);
});

Deno.test({
  name: "ScratchKeeper.sweep: what an ended server left goes, the rest stays",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmp = await makeTree({ "elsewhere/file": "x" });
    const dead = await endedProcess();
    const stale = await make(new ScratchKeeper(tmp.root, dead));
    const living = await make(new ScratchKeeper(tmp.root));
    const name = basename(stale.base);
    // Ours by name only: a link, a file, another pattern.
    await Deno.symlink(tmp.path("elsewhere"), tmp.path(`${name}L`));
    await Deno.writeTextFile(tmp.path(`${name}F`), "");
    await Deno.mkdir(tmp.path("skillfence-test-1"));
    await Deno.mkdir(tmp.path("skillfence-x"));
    assert.equal(await new ScratchKeeper(tmp.root).sweep(), 1);
    const left = [...Deno.readDirSync(tmp.root)].map((entry) => entry.name);
    assert.deepEqual(
      left.sort(),
      [
        "elsewhere",
        basename(living.base),
        `${name}F`,
        `${name}L`,
        "skillfence-test-1",
        "skillfence-x",
      ].sort(),
    );
    assert.equal(await Deno.readTextFile(tmp.path("elsewhere", "file")), "x");
  },
});

Deno.test({
  name:
    "ScratchKeeper.sweep: a number that another process has now is no owner",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmp = await makeTree();
    const own = ownIdentity();
    const earlier = { ...own, start: String(Number(own.start) - 1) };
    await make(new ScratchKeeper(tmp.root, earlier));
    assert.equal(await new ScratchKeeper(tmp.root).sweep(), 1);
  },
});

Deno.test({
  name:
    "ScratchKeeper.sweep: another pid namespace's goes after a silent day only",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmp = await makeTree();
    const foreign = { ...await endedProcess(), space: "0123abcd" };
    await make(new ScratchKeeper(tmp.root, foreign));
    const keeper = new ScratchKeeper(tmp.root);
    assert.equal(await keeper.sweep(), 0);
    assert.equal(await keeper.sweep(Date.now() + DAY / 2), 0);
    assert.equal(await keeper.sweep(Date.now() + DAY + 60_000), 1);
  },
});

Deno.test({
  name: "ScratchKeeper.sweep: another account's directory stays",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    await using tmp = await makeTree();
    const theirs = await make(
      new ScratchKeeper(tmp.root, await endedProcess()),
    );
    await Deno.chown(theirs.base, 65534, 65534);
    assert.equal(await new ScratchKeeper(tmp.root).sweep(), 0);
    assert.ok(await exists(theirs.base));
  },
});

Deno.test({
  name:
    "ScratchKeeper: with an account everything in it is that account's, and nobody else's but ours",
  ...asRoot,
  async fn() {
    await using tmp = await makeTree();
    const keeper = new ScratchKeeper(tmp.root);
    const made = await keeper.makeScratch([file("x", "handed")], NOBODY);
    assert.ok(made.ok, made.ok ? "" : made.message);
    const { base, scratch, in: handed, out, denodir, ...rest } = made.value;
    const { audit, status } = rest;
    for (
      const path of [scratch, handed, out, denodir, audit, status]
    ) {
      const { uid, gid, mode } = await Deno.lstat(path);
      assert.deepEqual([uid, gid], [NOBODY.uid, NOBODY.gid], path);
      assert.equal(mode! & 0o077, 0, path);
    }
    const { uid, mode } = await Deno.lstat(base);
    assert.deepEqual([uid, mode! & 0o777], [0, 0o711]);

    const code = async (account: Account, ...command: string[]) =>
      (await runAs(account, command)).code;
    for (const dir of [scratch, out, denodir]) {
      assert.equal(await code(NOBODY, "/bin/touch", join(dir, "new")), 0, dir);
    }
    const there = ["/usr/bin/cp", join(handed, "x")];
    for (const to of [audit, status, join(out, "copy")]) {
      assert.equal(await code(NOBODY, ...there, to), 0, to);
      assert.equal(await Deno.readTextFile(to), "handed");
    }
    // Nothing is put beside them, or in their place.
    assert.notEqual(await code(NOBODY, "/bin/touch", join(base, "new")), 0);
    assert.notEqual(await code(NOBODY, "/bin/rm", audit), 0);
    assert.notEqual(await code(NOBODY, "/bin/ls", base), 0);
    const other = { uid: 4242, gid: 4242 };
    for (const path of [join(handed, "x"), audit]) {
      assert.notEqual(await code(other, "/bin/cat", path), 0, path);
    }
    assert.equal(await keeper.remove(base), true);
  },
});

/** Connects to the socket at the path of its argument. */
const CONNECT =
  `await Deno.connect({ transport: "unix", path: Deno.args[0] }); console.log("connected"); Deno.exit();`;

Deno.test({
  name:
    "ScratchKeeper: an account connects to its socket in the proxy's directory, and puts nothing in its place",
  ...asRoot,
  async fn() {
    await using tmp = await makeTree({ "connect.ts": CONNECT });
    // Where that account can start it.
    const deno = tmp.path("deno");
    await Deno.copyFile(Deno.execPath(), deno);
    await Deno.chmod(deno, 0o755);
    const keeper = new ScratchKeeper(tmp.root);
    const made = await keeper.makeScratch([], NOBODY);
    assert.ok(made.ok);
    makeProxyDir(made.value, NOBODY);
    const path = join(made.value.proxyDir, "proxy.sock");
    using listener = Deno.listen({ transport: "unix", path });
    const connects = async () => {
      const script = tmp.path("connect.ts");
      const { out } = await runAs(NOBODY, [
        ...[deno, "run", "-A", "--no-lock", script, path],
      ]);
      return out === "connected\n";
    };
    await Deno.chmod(path, 0o600);
    assert.equal(await connects(), false);
    await Deno.chown(path, NOBODY.uid, NOBODY.gid);
    assert.equal(await connects(), true);
    const code = async (...command: string[]) =>
      (await runAs(NOBODY, command)).code;
    assert.notEqual(await code("/bin/touch", `${path}.other`), 0);
    assert.notEqual(await code("/bin/rm", path), 0);
    const other = { uid: 4242, gid: 4242 };
    assert.notEqual((await runAs(other, ["/bin/ls", path])).code, 0);
    (await listener.accept()).close();
  },
});

Deno.test({
  name:
    "ScratchKeeper: a temporary directory that the account cannot pass through is refused, and nothing is left",
  ...asRoot,
  async fn() {
    await using tmp = await makeTree({ "closed/tmp": { dir: true } });
    await Deno.chmod(tmp.path("closed"), 0o700);
    const keeper = new ScratchKeeper(tmp.path("closed", "tmp"));
    const made = await keeper.makeScratch([], NOBODY);
    assert.ok(!made.ok);
    assert.equal(made.code, "SPAWN_FAILED");
    assert.match(made.message, /by uid 65534, as which scripts run/);
    assert.match(made.hint, /TMPDIR/);
    assert.ok(!made.message.includes(tmp.root));
    assert.deepEqual([...Deno.readDirSync(tmp.path("closed", "tmp"))], []);
    assert.ok((await keeper.makeScratch([])).ok, "as ourselves it can be used");
  },
});

Deno.test({
  name: "ScratchKeeper.sweep: what a script's account left goes with the rest",
  ...asRoot,
  async fn() {
    await using tmp = await makeTree();
    const dead = new ScratchKeeper(tmp.root, await endedProcess());
    const made = await dead.makeScratch([], NOBODY);
    assert.ok(made.ok);
    const deep = join(made.value.out, "a", "b");
    await runAs(NOBODY, ["/bin/mkdir", "-p", deep]);
    await runAs(NOBODY, ["/bin/chmod", "0", join(made.value.out, "a")]);
    assert.equal(await new ScratchKeeper(tmp.root).sweep(), 1);
    assert.deepEqual([...Deno.readDirSync(tmp.root)], []);
  },
});
