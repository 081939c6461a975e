import assert from "node:assert/strict";
import { Kernel } from "../../src/os/kernel.ts";
import { ABI_SCOPES, landlockAbi } from "../../src/os/landlock_abi.ts";
import { landlockCommand, overridden } from "../../src/os/landlock.ts";
import type { View } from "../../src/os/types.ts";
import { gone, pidIn, runs } from "../fence/processes.ts";
import { needs } from "../support/kernel.ts";
import { attempts, EVERYONE, makeScene, said, type Scene } from "./confined.ts";

const options = needs("landlock", "seccomp");
/** Abstract sockets and signals are bounded here. */
const scopes = Deno.build.os === "linux" &&
  landlockAbi(new Kernel()) >= ABI_SCOPES;

function values(of: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(of))];
}

for (const who of EVERYONE) {
  const test = (name: string, fn: (scene: Scene) => Promise<void>) =>
    Deno.test({
      name: `landlockCommand: ${name} (${who})`,
      ...options,
      async fn() {
        await using scene = await makeScene(who);
        await fn(scene);
      },
    });

  test("no set-id file can be left", async (scene) => {
    const at = JSON.stringify(scene.tree.path("data", "own"));
    const script = attempts({
      make: `Deno.writeTextFileSync(${at}, "x")`,
      chmod: `Deno.chmodSync(${at}, 0o6755)`,
      open: `Deno.writeTextFileSync(${at} + "2", "x", { mode: 0o4755 })`,
      plain: `Deno.chmodSync(${at}, 0o755)`,
    });
    const ends = { make: "ok", chmod: "EPERM", open: "EPERM", plain: "ok" };
    assert.deepEqual(said(await scene.confined(script)), ends);
    const control = said(await scene.bare(script));
    assert.deepEqual(values(control), ["ok"]);
  });

  test("files outside cannot be opened, made, removed or run", async (scene) => {
    const { tree, view } = scene;
    await tree.write({ "open/victim": "", "open/dir": { dir: true } });
    await Deno.chmod(tree.path("open"), 0o777);
    await Deno.chmod(tree.path("open", "victim"), 0o666);
    const quoted = (...parts: string[]) => JSON.stringify(tree.path(...parts));
    const script = attempts({
      passwd: "Deno.readTextFileSync('/etc/passwd')",
      outside: `Deno.readTextFileSync(${quoted("outside")})`,
      list: "[...Deno.readDirSync('/etc')]",
      "list /": "[...Deno.readDirSync('/')]",
      run: `[...Deno.readDirSync(${JSON.stringify(view.run)})]`,
      write: `Deno.writeTextFileSync(${quoted("open", "victim")}, "x")`,
      truncate: `Deno.truncateSync(${quoted("open", "victim")})`,
      make: `Deno.writeTextFileSync(${quoted("open", "made")}, "x")`,
      mkdir: `Deno.mkdirSync(${quoted("open", "made dir")})`,
      "move in": `Deno.renameSync(${quoted("open", "victim")}, ${
        quoted("data", "v")
      })`,
      link: `Deno.linkSync(${quoted("open", "victim")}, ${
        quoted("data", "l")
      })`,
      remove: `Deno.removeSync(${quoted("open", "victim")})`,
      "remove dir": `Deno.removeSync(${quoted("open", "dir")})`,
      import: `await import("file://" + ${quoted("outside")})`,
    });
    const { import: imported, ...files } = said(await scene.confined(script));
    // Renaming and linking between places that differ in rights is EXDEV.
    assert.deepEqual(values(files).filter((code) => code !== "EXDEV"), [
      "EACCES",
    ]);
    assert.notEqual(imported, "ok");
    const control = said(await scene.bare(script));
    delete (control as Record<string, string>).import;
    const done = Object.entries(control).filter(([, code]) => code === "ok");
    assert.ok(done.length >= 10, JSON.stringify(control));
  });

  test("the skill is read and not written, the audit file written and not read", async (scene) => {
    await scene.tree.write({ "skill/part.mjs": "export const part = 'read';" });
    // Even where the account could.
    await scene.own(scene.tree.path("skill"));
    await Deno.chmod(scene.tree.path("skill"), 0o777);
    const audit = JSON.stringify(scene.tree.path("run", "audit.jsonl"));
    const status = JSON.stringify(scene.tree.path("run", "status"));
    const script = attempts({
      part:
        "if ((await import('./part.mjs')).part !== 'read') throw new Error()",
      write: "Deno.writeTextFileSync('part.mjs', 'x')",
      make: "Deno.writeTextFileSync('new.mjs', 'x')",
      remove: "Deno.removeSync('part.mjs')",
      audit: `Deno.readTextFileSync(${audit})`,
      status: `Deno.writeTextFileSync(${status}, "x")`,
    });
    const { part, ...closed } = said(await scene.confined(script));
    assert.equal(part, "ok");
    assert.deepEqual(values(closed), [
      "EACCES",
    ]);
    assert.match(
      await Deno.readTextFile(scene.tree.path("run", "audit.jsonl")),
      /part\.mjs/,
    );
  });

  test("scratch and data take files and directories, and nothing else", async (scene) => {
    const data = JSON.stringify(scene.tree.path("data"));
    const script = attempts({
      file: `Deno.writeTextFileSync(${data} + "/file", "data")`,
      again: `Deno.writeTextFileSync(${data} + "/file", "da")`,
      append:
        `Deno.writeTextFileSync(${data} + "/file", "ta", { append: true })`,
      directory: `Deno.mkdirSync(${data} + "/a/b", { recursive: true })`,
      move: `Deno.renameSync(${data} + "/file", ${data} + "/a/file")`,
      "hard link": `Deno.linkSync(${data} + "/a/file", ${data} + "/a/b/file")`,
      scratch: `Deno.writeTextFileSync(Deno.env.get("TMPDIR") + "/out/x", "x")`,
      null: `Deno.writeTextFileSync("/dev/null", "x")`,
      random: `Deno.openSync("/dev/urandom").readSync(new Uint8Array(1))`,
      remove: `Deno.removeSync(${data} + "/a/b", { recursive: true })`,
      "symbolic link": `Deno.symlinkSync("/etc", ${data} + "/link")`,
    });
    const { "symbolic link": link, ...works } = said(
      await scene.confined(script),
    );
    assert.deepEqual(values(works), ["ok"], JSON.stringify(works));
    assert.equal(link, "EACCES");
    assert.equal(
      await Deno.readTextFile(scene.tree.path("data", "a", "file")),
      "data",
    );
    const control = said(
      await scene.bare(attempts({
        link: `Deno.symlinkSync("/etc", ${data} + "/link")`,
      })),
    );
    assert.equal(control.link, "ok");
  });

  test("a FIFO, a unix socket and a device cannot be left behind", async (scene) => {
    const data = JSON.stringify(scene.tree.path("data"));
    const script = `
      const { symbols } = Deno.dlopen("libc.so.6", {
        mkfifo: { parameters: ["buffer", "u32"], result: "i32" },
        mknod: { parameters: ["buffer", "u32", "u64"], result: "i32" },
      });
      const name = (text) => new TextEncoder().encode(${data} + "/" + text + "\\0");
      const said = { fifo: symbols.mkfifo(name("fifo"), 0o666) };
      said.device = symbols.mknod(name("null"), 0o20666, 259n);
      try {
        Deno.listen({ transport: "unix", path: ${data} + "/socket" });
        said.socket = 0;
      } catch {
        said.socket = -1;
      }
      console.log(JSON.stringify(said));`;
    const network = { view: { network: "proxy" } } as const;
    const { fifo, device, socket } = said(
      await scene.confined(script, network),
    );
    assert.deepEqual([fifo, device, socket], [-1, -1, -1]);
    assert.deepEqual([...Deno.readDirSync(scene.tree.path("data"))], []);
    const control = said(await scene.bare(script));
    assert.deepEqual([control.fifo, control.socket], [0, 0]);
  });

  test("each network lets through what it names", async (scene) => {
    using tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const path = scene.tree.path("run", "proxy", "proxy.sock");
    const abstract = `\0skillfence-test-${crypto.randomUUID()}`;
    using unix = Deno.listen({ transport: "unix", path });
    using hidden = Deno.listen({ transport: "unix", path: abstract });
    await scene.own(path);
    for (const listener of [tcp, unix, hidden]) void drain(listener);
    const script = attempts({
      tcp:
        `(await Deno.connect({ port: ${tcp.addr.port}, hostname: "127.0.0.1" })).close()`,
      listen: `Deno.listen({ port: 0, hostname: "127.0.0.1" }).close()`,
      udp: `
          const socket = (await import("node:dgram")).createSocket("udp4");
          await new Promise((done, failed) => {
            socket.on("error", failed);
            socket.bind(0, "127.0.0.1", done);
          });
          socket.close();`,
      hosts: `Deno.readTextFileSync("/etc/hosts")`,
      unix: `(await Deno.connect({ transport: "unix", path: ${
        JSON.stringify(path)
      } })).close()`,
      abstract: `(await Deno.connect({ transport: "unix", path: ${
        JSON.stringify(abstract)
      } })).close()`,
    });
    const open = {
      tcp: "ok",
      listen: "ok",
      udp: "ok",
      hosts: "ok",
      unix: "ok",
    };
    const closed = {
      ...{ tcp: "EAFNOSUPPORT", listen: "EAFNOSUPPORT", udp: "EAFNOSUPPORT" },
      ...{ hosts: "EACCES", unix: "EAFNOSUPPORT" },
    };
    const of = async (network: View["network"]) => {
      const { abstract, ...rest } = said(
        await scene.confined(script, { view: { network } }),
      );
      return { abstract, rest };
    };
    const none = await of("none");
    assert.deepEqual(none.rest, closed);
    assert.notEqual(none.abstract, "ok");
    const proxy = await of("proxy");
    assert.deepEqual(proxy.rest, { ...closed, unix: "ok" });
    const all = await of("open");
    assert.deepEqual(all.rest, open);
    for (const { abstract } of [proxy, all]) {
      assert.equal(abstract, scopes ? "EPERM" : "ok");
    }
    assert.deepEqual(said(await scene.bare(script)), {
      ...open,
      abstract: "ok",
    });
  });

  test("fetch goes through the run's proxy and nowhere else", async (scene) => {
    const path = scene.tree.path("run", "proxy", "proxy.sock");
    const asked: string[] = [];
    const server = Deno.serve(
      { path, onListen: () => {} },
      (request) => {
        asked.push(request.url);
        return new Response("proxied");
      },
    );
    await scene.own(path);
    const script = `
      const { text } = await fetch("https://example.invalid:8443/a").then(
        async (response) => ({ text: await response.text() }),
        (error) => ({ text: String(error) }),
      );
      console.log(text);`;
    const env = { HTTPS_PROXY: `unix:${path}` };
    const proxied = { view: { network: "proxy" }, env } as const;
    const through = await scene.confined(script, proxied);
    assert.equal(through.stdout, "proxied\n", through.stderr);
    assert.deepEqual(asked, ["https://example.invalid:8443/a"]);
    const around = { view: { network: "proxy" } } as const;
    assert.match((await scene.confined(script, around)).stdout, /error/i);
    const none = await scene.confined(script, { env });
    assert.match(none.stdout, /error/i);
    assert.equal(asked.length, 1);
    await server.shutdown();
  });

  test("nothing of other processes can be read or changed", async (scene) => {
    const script = attempts({
      environ: "Deno.readTextFileSync(`/proc/${Deno.ppid}/environ`)",
      cmdline: "Deno.readTextFileSync(`/proc/${Deno.ppid}/cmdline`)",
      memory: "Deno.readFileSync(`/proc/${Deno.ppid}/mem`)",
      self: "Deno.readTextFileSync('/proc/self/environ')",
      list: "[...Deno.readDirSync('/proc')]",
      sysctl: "Deno.readTextFileSync('/proc/sys/kernel/core_pattern')",
    });
    assert.deepEqual(values(said(await scene.confined(script))), ["EACCES"]);
    const control = said(await scene.bare(script));
    assert.equal(control.list, "ok");
    assert.equal(control.self, "ok");
    const changes = `
      const long = "i64";
      const { symbols } = Deno.dlopen("libc.so.6", {
        kill: { parameters: ["i32", "i32"], result: "i32" },
        fork: { parameters: [], result: "i32" },
        prlimit: { parameters: ["i32", "i32", "pointer", "buffer"], result: "i32" },
        setpriority: { parameters: ["i32", "i32", "i32"], result: "i32" },
        ptrace: { parameters: [long, long, long, long], result: long },
      });
      const parent = Deno.ppid;
      console.log(JSON.stringify({
        signal: symbols.kill(parent, 0),
        limit: symbols.prlimit(parent, 7, null, new Uint8Array(16)),
        priority: symbols.setpriority(0, parent, 19),
        trace: Number(symbols.ptrace(0x4206n, BigInt(parent), 0n, 0n)),
        ...(Deno.args[0] ? {} : { fork: symbols.fork() }),
        itself: symbols.kill(Deno.pid, 0),
      }));`;
    // A shell of the same account stands for the server.
    const below = (command: readonly string[]) =>
      scene.end(["/bin/sh", "-c", '"$@"; exit $?', "x", ...command]);
    const command = await scene.command(changes);
    const { signal, itself, ...others } = said(await below(command));
    assert.deepEqual(values(others), [-1]);
    assert.equal(itself, 0);
    if (scopes || who === "account") assert.equal(signal, -1);
    const bare = command.slice(command.indexOf("--") + 1);
    const free = said(await below([...bare, "without a fork"]));
    assert.deepEqual([free.signal, free.limit, free.itself], [0, 0, 0]);
  });

  test("the environment is what was given, and no descriptor comes along", async (scene) => {
    const script = `
      const { symbols } = Deno.dlopen("libc.so.6", {
        read: { parameters: ["i32", "buffer", "u64"], result: "i64" },
      });
      const read = Number(symbols.read(7, new Uint8Array(8), 8n));
      console.log(JSON.stringify({ read, env: Deno.env.toObject() }));`;
    const through = (command: readonly string[]) => [
      ...["/bin/sh", "-c", 'exec "$@" 7</etc/passwd', "x"],
      ...command,
    ];
    const env = { GRANTED: "wert=ü\n2", EMPTY: "" };
    const command = await scene.command(script);
    const { stdout } = await scene.end(through(command), { env });
    const { PWD: _, OLDPWD: __, SHLVL: ___, ...given } = JSON.parse(stdout).env;
    assert.deepEqual(given, { ...scene.env, ...env });
    assert.equal(JSON.parse(stdout).read, -1);
    const bare = through(command.slice(command.indexOf("--") + 1));
    assert.equal(JSON.parse((await scene.end(bare, { env })).stdout).read, 8);
  });

  test("the runtime works: workers, input, arguments, exit codes, signals", async (scene) => {
    const script = `
      const worker = new Worker("data:text/javascript,postMessage(6*7)", { type: "module" });
      const answer = await new Promise((done) => worker.onmessage = (e) => done(e.data));
      worker.terminate();
      await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
      const input = await new Response(Deno.stdin.readable).text();
      console.log(answer, input, Deno.args.join("|"), Deno.cwd() === import.meta.dirname);
      console.error("to stderr");
      if (Deno.args[0] === "--") Deno.kill(Deno.pid, "SIGKILL");
      Deno.exit(7);`;
    const ended = await scene.confined(script, {
      args: ["a b", "<scratch>"],
      stdin: "input",
    });
    assert.deepEqual(
      [ended.code, ended.stdout, ended.stderr, ended.started],
      [7, "42 input a b|<scratch> true\n", "to stderr\n", true],
    );
    const killed = await scene.confined(script, { args: ["--"], stdin: "" });
    assert.equal(killed.signal, "SIGKILL");
  });

  test("a script does not outlive the server, however that ends", async (scene) => {
    const pidFile = scene.tree.path("run", "scratch", "pid");
    const command = await scene.command(`
      Deno.writeTextFileSync(Deno.env.get("TMPDIR") + "/pid", String(Deno.pid));
      Deno.addSignalListener("SIGTERM", () => {});
      setInterval(() => {}, 1000);`);
    await scene.tree.write({
      "server.ts": `
        new Deno.Command(Deno.args[0], { args: Deno.args.slice(1) }).spawn();
        setInterval(() => {}, 1000);`,
    });
    const server = scene.start([
      ...[scene.view.runtime, "run", "-A", "--no-config"],
      ...[scene.tree.path("server.ts"), ...command],
    ]);
    const ended = server.output();
    const pid = await pidIn(pidFile);
    assert.ok(runs(pid));
    server.kill("SIGKILL");
    await gone(pid);
    await ended;
  });
}

Deno.test({
  name:
    "landlockCommand: the account is taken on whole, and root keeps no capability",
  ignore: options.ignore || Deno.uid() !== 0,
  async fn() {
    await using scene = await makeScene("account");
    await scene.tree.write({ "skill/hidden": "hidden" });
    await Deno.chmod(scene.tree.path("skill", "hidden"), 0o600);
    await Deno.chown(scene.tree.path("skill", "hidden"), 4242, 4242);
    const script = `
      const { symbols } = Deno.dlopen("libc.so.6", {
        getgroups: { parameters: ["i32", "buffer"], result: "i32" },
        geteuid: { parameters: [], result: "u32" },
        setuid: { parameters: ["u32"], result: "i32" },
      });
      const said = { uid: Deno.uid(), gid: Deno.gid() };
      said.groups = symbols.getgroups(0, null);
      said.effective = symbols.geteuid();
      said.back = symbols.setuid(0);
      try {
        said.hidden = Deno.readTextFileSync(import.meta.dirname + "/hidden");
      } catch (error) {
        said.hidden = error.code;
      }
      console.log(JSON.stringify(said));`;
    const as = { uid: 6001, gid: 6001, effective: 6001, groups: 0 };
    const groups = ["/usr/bin/setpriv", "--groups", "4243,4244"];
    const confined = await scene.end([
      ...groups,
      ...await scene.command(script),
    ]);
    assert.deepEqual(said(confined), {
      ...as,
      back: -1,
      hidden: "EACCES",
    });
    // Where root may not change its account, it is root without its powers.
    const command = landlockCommand(scene.layer, scene.view, undefined);
    for (const path of ["denodir", "scratch", "audit.jsonl", "status"]) {
      await Deno.chown(scene.tree.path("run", path), 0, 0);
    }
    const root = said(
      await scene.end([
        ...command,
        ...["run", "-A", "--no-config", "--quiet"],
        scene.tree.path("skill", "script.mjs"),
      ]),
    );
    assert.equal(root.uid, 0);
    assert.equal(root.hidden, "EACCES");
    assert.equal(said(await scene.bare(script)).hidden, "hidden");
  },
});

Deno.test("landlockCommand: a Plan's command, word by word", () => {
  const view: View = {
    runtime: "/opt/deno",
    skillDir: "/skills/a",
    readable: ["/work"],
    writable: ["/data"],
    run: "<run>",
    scratch: "<scratch>",
    denodir: "<denodir>",
    network: "open",
    cwd: "/skills/a",
    scratchMiB: 64,
    processes: 64,
  };
  const layer = {
    by: "landlock",
    abi: 7,
    launcher: ["/bin/skillfence", "__confine"],
    libraries: [{ from: "/usr/lib/libc.so.6", to: "/lib/libc.so.6" }],
  } as const;
  assert.deepEqual(landlockCommand(layer, view, { uid: 5, gid: 6 }), [
    ...["/bin/skillfence", "__confine", "--account", "5:6"],
    ...["--status", "<run>/status", "--cwd", "/skills/a", "--network", "open"],
    ...["--set", "DENO_DIR=<denodir>"],
    ...["--set", "DENO_AUDIT_PERMISSIONS=<run>/audit.jsonl"],
    ...["--exec", "/opt/deno", "--exec", "/usr/lib/libc.so.6"],
    ...["--ro", "/skills/a", "--ro", "/work", "--ro", "/dev/urandom"],
    ...["--wo", "<run>/audit.jsonl"],
    ...["--rw", "<scratch>", "--rw", "<denodir>", "--rw", "/data"],
    ...["--rw", "/dev/null"],
    ...["--system", "/etc/resolv.conf", "--system", "/etc/hosts"],
    ...["--system", "/etc/nsswitch.conf", "--system", "/etc/host.conf"],
    ...["--system", "/etc/gai.conf", "--", "/opt/deno"],
  ]);
  assert.equal(overridden(view), undefined);
  assert.match(
    overridden({ ...view, writable: ["/skills"] }) ?? "",
    /lies inside one that is written/,
  );
});

async function drain(listener: Deno.Listener): Promise<void> {
  try {
    for await (const connection of listener) connection.close();
  } catch {
    // Closed.
  }
}
