/**
 * Scripts that note what came of each thing they try: evidence must say the
 * same, no more and no less, whether the script is a worker's main module or
 * the process's.
 */

import assert from "node:assert/strict";
import { claimed, noted, NOTING, stage, type Staging } from "./support.ts";

/** A script, and what it is run with. */
interface Scene {
  readonly name: string;
  /** `PORT` stands for the port of a server on loopback. */
  readonly code: string;
  /** `PORT` is replaced in its strings as well. */
  readonly staging?: Omit<Staging, "direct">;
}

const REACHES = {
  hosts: ["127.0.0.1:PORT"],
  openAddresses: ["127.0.0.1"],
};

const SCENES: readonly Scene[] = [
  {
    name: "its own files, by absolute and relative paths",
    code: `
      const here = import.meta.dirname;
      await tried("read", "own.txt", () => Deno.readTextFile("own.txt"));
      await tried("read", "own.txt", () => Deno.readTextFile("./closed/../own.txt"));
      await tried("read", "missing.txt", () => Deno.readTextFile(here + "/missing.txt"));
      await tried("read", ".", () => [...Deno.readDirSync(here)]);`,
  },
  {
    name: "a file outside, absolute, by .. and by a file URL",
    code: `
      const out = variable("OUTSIDE");
      await tried("read", "<tree>/outside/secret.txt", () => Deno.readTextFile(out + "/secret.txt"));
      await tried("read", "<tree>/outside/secret.txt", () => Deno.readTextFile("../outside/secret.txt"));
      await tried("read", "<tree>/outside/secret.txt", () => fetch("file://" + out + "/secret.txt"));`,
  },
  {
    name: "a directory whose name begins like the skill's",
    code: `
      const near = import.meta.dirname + "other/near.txt";
      await tried("read", "<tree>/skillother/near.txt", () => Deno.readTextFile(near));`,
  },
  {
    name: "a closed directory of the skill and what only looks like it",
    code: `
      await tried("read", "closed/hidden.txt", () => Deno.readTextFile("closed/hidden.txt"));
      await tried("read", "closed", () => Deno.stat("closed"));
      await tried("read", "closedness", () => Deno.stat("closedness"));`,
  },
  {
    name: "looking whether things exist",
    code: `
      await tried("read", "/etc/passwd", () => fs.existsSync("/etc/passwd"));
      await tried("read", "/nowhere/at/all", () => Deno.stat("/nowhere/at/all"));
      await tried("read", "/etc/group", () => fs.promises.access("/etc/group"));
      await tried("read", "own.txt", () => fs.existsSync("own.txt"));`,
  },
  {
    name: "kernel files and devices",
    code: `
      for (const path of ["/proc/self/environ", "/proc/1/environ", "/dev/null", "/sys/kernel"]) {
        await tried("read", path, () => Deno.readTextFile(path));
      }`,
  },
  {
    name: "writing to the scratch, to files handed in and to the skill",
    code: `
      const tmp = variable("TMPDIR");
      await tried("write", "<scratch>/a.txt", () => Deno.writeTextFile(tmp + "/a.txt", "x"));
      await tried("write", "<scratch>/out/b.txt", () => fs.writeFileSync(tmp + "/out/b.txt", "x"));
      await tried("write", "<scratch>/in/c.txt", () => Deno.writeTextFile(tmp + "/in/c.txt", "x"));
      await tried("read", "<scratch>/in/given.txt", () => Deno.readTextFile(tmp + "/in/given.txt"));
      await tried("write", "own.txt", () => Deno.writeTextFile("own.txt", "x"));
      await tried("write", "<tree>/run/d.txt", () => Deno.writeTextFile(tmp + "/../d.txt", "x"));`,
  },
  {
    name: "the data directory",
    code: `
      const data = variable("DATA");
      await tried("read", "<tree>/data/kept.txt", () => Deno.readTextFile(data + "/kept.txt"));
      await tried("write", "<tree>/data/new.txt", () => Deno.writeTextFile(data + "/new.txt", "x"));`,
  },
  {
    name: "moving a file out",
    code: `
      const tmp = variable("TMPDIR");
      const out = variable("OUTSIDE");
      await tried("write", "<scratch>/a", () => Deno.writeTextFile(tmp + "/a", "x"));
      note("read", "<scratch>/a", "allowed");
      await tried("write", "<tree>/outside/a", () => Deno.renameSync(tmp + "/a", out + "/a"));`,
  },
  {
    name: "copying a file of the skill out",
    code: `
      const out = variable("OUTSIDE");
      note("read", "own.txt", "allowed");
      await tried("write", "<tree>/outside/copy", () => Deno.copyFileSync("own.txt", out + "/copy"));`,
  },
  {
    name: "temporary files, here and elsewhere",
    code: `
      await tried("write", "<scratch>", () => Deno.makeTempFileSync());
      await tried("write", "/tmp", () => Deno.makeTempDirSync({ dir: "/tmp" }));`,
  },
  {
    name: "a symbolic link, which needs all files",
    code: `
      const tmp = variable("TMPDIR");
      await tried("write", "*", () => Deno.symlinkSync("/etc/passwd", tmp + "/link"));`,
  },
  {
    name: "modes and times",
    code: `
      const tmp = variable("TMPDIR");
      await tried("write", "<scratch>", () => Deno.chmodSync(tmp, 0o700));
      await tried("write", "/etc/passwd", () => Deno.chmodSync("/etc/passwd", 0o600));
      await tried("write", "/etc/hosts", () => fs.utimesSync("/etc/hosts", 1, 1));`,
  },
  {
    name: "databases",
    code: `
      const { DatabaseSync } = await import("node:sqlite");
      const tmp = variable("TMPDIR");
      note("read", "<scratch>/x.db", "allowed");
      await tried("write", "<scratch>/x.db", () => new DatabaseSync(tmp + "/x.db").exec("create table a(b)"));
      await tried("read", "/etc/x.db", () => new DatabaseSync("/etc/x.db"));`,
  },
  {
    name: "variables: granted, not granted, not set, all",
    code: `
      variable("API_KEY");
      variable("OTHER_KEY");
      variable("AWS_SECRET_ACCESS_KEY");
      const all = Deno.env.toObject();
      note("env", "*", "OTHER_KEY" in all ? "denied" : "allowed");`,
    staging: {
      env: { API_KEY: "granted-value" },
      processEnv: { OTHER_KEY: "kept" },
    },
  },
  {
    name: "the system, asked by Deno's names",
    code: `
      for (const name of ["hostname", "osRelease", "loadavg", "networkInterfaces", "uid"]) {
        await tried("sys", name, () => Deno[name]());
      }`,
  },
  {
    name: "the system, asked by a Node script",
    code: `
      const os = await import("node:os");
      await tried("sys", "cpus", () => os.cpus());
      await tried("sys", "homedir", () => os.homedir());
      await tried("sys", "hostname", () => os.hostname());
      await tried("sys", "uid", () => os.userInfo());`,
    staging: { interpreter: "node" },
  },
  {
    name: "native code",
    code: `
      const here = import.meta.dirname;
      await tried("ffi", "/lib/libc.so.6", () => Deno.dlopen("/lib/libc.so.6", {}));
      await tried("ffi", "libc.so.6", () => Deno.dlopen("libc.so.6", {}));
      await tried("ffi", "lib/native.so", () => Deno.dlopen(here + "/lib/native.so", {}));
      await tried("ffi", "lib/native.node", () => process.dlopen({ exports: {} }, here + "/lib/native.node"));
      await tried("ffi", "lib/near.so", () => Deno.dlopen("./lib/near.so", {}));
      await tried("ffi", "<tree>/skillother/x.so", () => Deno.dlopen(here + "other/x.so", {}));
      await tried("ffi", "<scratch>/x.so", () => Deno.dlopen(variable("TMPDIR") + "/x.so", {}));
      await tried("ffi", "/lib/x.node", () => process.dlopen({ exports: {} }, "/lib/x.node"));`,
  },
  {
    name: "modules by computed names",
    code: `
      const here = import.meta.dirname;
      await tried("read", "part.mjs", () => import(here + "/part" + ".mjs"));
      await tried("read", "<tree>/outside/out.mjs", () => import(here + "/../outside/out" + ".mjs"));
      await tried("import", "deno.land:443", () => import("https://" + "deno.land/x.ts"));
      await tried("import", "evil.example.org:90", () => import("https://" + "evil.example.org:90/x.ts"));`,
  },
  {
    name: "no network at all",
    code: `
      await tried("net", "evil.example.org:443", () => fetch("https://evil.example.org/x?y"));
      await tried("net", "127.0.0.1:PORT", () => fetch("http://127.0.0.1:PORT/"));
      await tried("net", "10.0.0.1:80", () => Deno.connect({ hostname: "10.0.0.1", port: 80 }));
      await tried("net", "0.0.0.0:0", () => Deno.listen({ port: 0 }));`,
  },
  {
    name: "a granted host, another port and another host",
    code: `
      await tried("net", "127.0.0.1:PORT", () => fetch("http://127.0.0.1:PORT/a"));
      await tried("net", "127.0.0.1:PORT", () => Deno.connect({ hostname: "127.0.0.1", port: PORT }));
      await tried("net", "127.0.0.1:81", () => fetch("http://127.0.0.1:81/a"));
      await tried("net", "[::1]:PORT", () => fetch("http://[::1]:PORT/a"));
      await tried("net", "evil.example.org:PORT", () => Deno.connect({ hostname: "EVIL.example.org.", port: PORT }));`,
    staging: REACHES,
  },
  {
    name: "a redirect to another host",
    code: `
      note("net", "127.0.0.1:PORT", "allowed");
      await tried("net", "example.org:80", () => fetch("http://127.0.0.1:PORT/redirect"));`,
    staging: REACHES,
  },
  {
    name: "spellings of a private address",
    code: `
      await tried("net", "127.0.0.2:8080", () => fetch("http://2130706434:8080/"));
      await tried("net", "127.0.0.3:8080", () => Deno.connect({ hostname: "::ffff:127.0.0.3", port: 8080 }));
      await tried("net", "169.254.169.254:80", () => fetch("http://user:pass@169.254.169.254/"));`,
    staging: REACHES,
  },
  {
    name: "a wildcard, by way of the server's proxy",
    code: `
      for (const name of ["example.com", "a.b.example.com", "badexample.com"]) {
        await tried("net", name + ":1234", () => fetch("http://" + name + ":1234/"));
      }
      await tried("net", "a.example.com:1235", () => fetch("http://a.example.com:1235/"));`,
    staging: {
      hosts: ["*.example.com:1234"],
      openAddresses: ["127.0.0.1"],
      processEnv: { HTTP_PROXY: "http://127.0.0.1:PORT" },
    },
  },
  {
    name: "node:net, node:http and names to be resolved",
    code: `
      const net = await import("node:net");
      const http = await import("node:http");
      const dns = await import("node:dns/promises");
      const met = (emitter, event) => new Promise((resolve, reject) => {
        emitter.on("error", reject);
        emitter.on(event, () => { emitter.destroy?.(); resolve(); });
      });
      await tried("net", "127.0.0.1:PORT", () => met(net.connect(PORT, "127.0.0.1"), "connect"));
      await tried("net", "127.0.0.1:PORT", () => met(http.get("http://127.0.0.1:PORT/"), "response"));
      await tried("net", "evil.example.org:443", () => met(net.connect(443, "evil.example.org"), "connect"));
      await tried("net", "10.1.2.3:443", () => met(net.connect(443, "10.1.2.3"), "connect"));
      await tried("net", "evil.example.org", () => dns.lookup("evil.example.org"));`,
    staging: REACHES,
  },
  {
    name: "WebSocket and EventSource",
    code: `
      await tried("net", "evil.example.org:443", () => new WebSocket("wss://evil.example.org/"));
      await tried("net", "127.0.0.1:82", () => new WebSocket("ws://127.0.0.1:82/"));`,
    staging: REACHES,
  },
  {
    name: "unix sockets",
    code: `
      const net = await import("node:net");
      const tmp = variable("TMPDIR");
      await tried("read", "/run/x.sock", () => Deno.connect({ transport: "unix", path: "/run/x.sock" }));
      note("read", "<scratch>/x.sock", "allowed");
      note("write", "<scratch>/x.sock", "allowed");
      await tried("net", "unix:<tree>/run/scratch/x.sock", () => Deno.connect({ transport: "unix", path: tmp + "/x.sock" }));
      await tried("net", "unix:\\\\u{0}abstract", () => new Promise((resolve, reject) =>
        net.connect("\\0abstract").on("error", reject).on("connect", resolve)));`,
  },
  {
    name: "a worker of its own",
    code: `
      const { Worker } = await import("node:worker_threads");
      await new Promise((resolve) =>
        new Worker("try { Deno.readTextFileSync('/etc/hostname') } catch {}", { eval: true })
          .on("exit", resolve));
      note("read", "/etc/hostname", "denied");
      // A new worker is handed a copy of every variable.
      note("env", "*", "allowed");
      for (const name of ["TMPDIR", "HOME", "OUTSIDE", "DATA"]) variable(name);
      Deno.env.toObject();`,
  },
  {
    name: "names that are no names",
    code: `
      await tried("read", "/etc/\\\\u{202e}x\\\\u{a}y", () => Deno.readTextFile("/etc/\\u202ex\\ny"));
      variable("A=B");
      await tried("read", "./<scratch>/x", () => Deno.stat("<scratch>/x"));
      await tried("read", "./*", () => Deno.stat("*"));`,
  },
];

function filled<T>(value: T, port: number): T {
  const text = JSON.stringify(value) ?? "null";
  return value === undefined
    ? value
    : JSON.parse(text.replaceAll("PORT", String(port)));
}

/** A server on loopback that answers, redirects, and stands in for a proxy. */
function serve(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) =>
      new URL(request.url).pathname === "/redirect"
        ? new Response(null, {
          status: 302,
          headers: { location: "http://example.org/" },
        })
        : new Response("hello"),
  );
}

Deno.test("evidenceOf: there are at least 20 scenes", () => {
  assert.ok(SCENES.length >= 20);
});

for (const { name, code, staging } of SCENES) {
  Deno.test(`evidenceOf: says what the script met: ${name}`, async () => {
    const server = serve();
    try {
      const { port } = server.addr;
      const script = `${NOTING}${
        code.replaceAll("PORT", String(port))
      }\nend();\n`;
      for (const direct of [false, true]) {
        const { evidence, stdout, stderr } = await stage(script, {
          ...filled(staging, port),
          direct,
        });
        const realm = direct ? "main" : "worker";
        assert.notEqual(stdout, "", `${realm}: ${stderr}`);
        assert.deepEqual(claimed(evidence), noted(stdout), realm);
        assert.equal(evidence.more, 0);
      }
    } finally {
      await server.shutdown();
    }
  });
}
