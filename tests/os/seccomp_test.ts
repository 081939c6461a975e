import assert from "node:assert/strict";
import { seccompFilter } from "../../src/os/seccomp.ts";
import * as rules from "../../src/os/seccomp_rules.ts";
import {
  KERNEL,
  type SyscallName,
  syscallNumber,
} from "../../src/os/syscall_numbers.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import {
  type Call,
  callsUnder,
  filterHere,
  underFilter,
} from "./under_filter.ts";

const { EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT } = KERNEL;
const { arch } = Deno.build;
const X86 = arch === "x86_64";
const options = needs("bwrap", "seccomp");
const onX86 = { ignore: options.ignore || !X86 };

/** Nothing good can come of these arguments, so a call that is let in fails. */
const NONSENSE = [-1, -1, -1, -1, -1, -1];
/** In a user namespace the kernel itself answers these with EPERM. */
const REFUSED_ANYWAY = ["acct", "swapoff", "syslog", "vhangup", "setgroups"];

/** Without these there is no fence, whatever else the rules list. */
const NAMED = [
  ...["ptrace", "process_vm_readv", "pidfd_getfd", "add_key", "keyctl"],
  ...["mount", "chroot", "unshare", "setns", "bpf", "perf_event_open"],
  ...["userfaultfd", "init_module", "open_by_handle_at", "mknodat", "shmat"],
];

function call(name: SyscallName, ...args: (number | string)[]): Call[] {
  const number = syscallNumber(arch, name);
  return number === undefined ? [] : [[name, number, ...args]];
}

function labelled(label: string, calls: readonly Call[]): Call[] {
  return calls.map(([, ...rest]) => [label, ...rest]);
}

Deno.test({
  name: "seccompFilter: each refused call is EPERM under it and not without it",
  ...options,
  async fn() {
    const calls = rules.REFUSED.flatMap((name) =>
      name === "fanotify_init"
        // FAN_REPORT_FID, which needs no privilege.
        ? call(name, 0x200, 0)
        : call(name, ...NONSENSE)
    );
    for (const name of NAMED) {
      assert.ok(calls.some(([one]) => one === name), name);
    }
    const [under, without] = await Promise.all([
      callsUnder(filterHere(), calls),
      callsUnder(undefined, calls),
    ]);
    for (const [name] of calls) {
      assert.equal(under[name], EPERM, `${name} under the filter`);
      if (REFUSED_ANYWAY.includes(name)) continue;
      assert.notEqual(without[name], EPERM, `${name} without the filter`);
    }
  },
});

Deno.test({
  name:
    "seccompFilter: io_uring, clone3, the new mount calls and later calls are unknown",
  ...options,
  async fn() {
    const later = syscallNumber(arch, rules.LAST_KNOWN)! + 1;
    const calls: Call[] = [
      ...rules.UNKNOWN.flatMap((name) => call(name, ...NONSENSE)),
      // cachestat, Linux 6.5
      ["later", later, ...NONSENSE],
      ["minus one", -1],
      // x32's getpid
      ["x32", 0x40000000 + 39],
    ];
    const under = await callsUnder(filterHere(), calls);
    for (const [name] of calls) assert.equal(under[name], ENOSYS, name);
    const without = await callsUnder(undefined, calls);
    assert.notEqual(without["io_uring_setup"], ENOSYS);
    assert.notEqual(without["clone3"], ENOSYS);
    assert.notEqual(without["fsopen"], ENOSYS);
  },
});

Deno.test({
  name: "seccompFilter: calls through the i386 gate are refused",
  ...onX86,
  async fn() {
    // mov eax, 20 (getpid of i386); int 0x80; movsxd rax, eax; ret
    const code = "[0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x48, 0x63, 0xc0, 0xc3]";
    const script = `
      const { symbols } = Deno.dlopen("libc.so.6", { mmap: {
        parameters: ["i64", "i64", "i32", "i32", "i32", "i64"], result: "pointer",
      }, memcpy: { parameters: ["pointer", "buffer", "i64"], result: "pointer" } });
      const page = symbols.mmap(0n, 4096n, 7, 0x22, -1, 0n);
      symbols.memcpy(page, new Uint8Array(${code}), 11n);
      const gate = new Deno.UnsafeFnPointer(page, { parameters: [], result: "i64" });
      console.log(String(gate.call()));`;
    const command = [Deno.execPath(), "eval", "--no-config", script];
    const under = await underFilter(filterHere(), command);
    assert.equal(under.stdout.trim(), String(-EPERM), under.stderr);
    const without = await underFilter(undefined, command);
    assert.ok(Number(without.stdout) > 0, without.stdout + without.stderr);
  },
});

Deno.test({
  name:
    "seccompFilter: typing into a terminal is refused whatever the request's upper half",
  ...options,
  async fn() {
    const high = (request: number): string =>
      String(0x7fffffffn << 32n | BigInt(request));
    const calls: Call[] = [
      ...labelled("TIOCSTI", call("ioctl", -1, KERNEL.TIOCSTI, 0)),
      ...labelled("TIOCLINUX", call("ioctl", -1, KERNEL.TIOCLINUX, 0)),
      ...labelled("TIOCSTI, high", call("ioctl", -1, high(KERNEL.TIOCSTI), 0)),
      ...labelled("TIOCLINUX, high", call("ioctl", -1, high(KERNEL.TIOCLINUX))),
      // FIONREAD
      ...labelled("other", call("ioctl", -1, 0x541b, 0)),
    ];
    const { other, ...typing } = await callsUnder(filterHere(), calls);
    assert.deepEqual(Object.values(typing), [EPERM, EPERM, EPERM, EPERM]);
    assert.notEqual(other, EPERM);
    const without = await callsUnder(undefined, calls);
    assert.ok(!Object.values(without).includes(EPERM));
  },
});

Deno.test({
  name:
    "seccompFilter: personality, limits and priorities: to ask and for oneself only",
  ...options,
  async fn() {
    const on = (who: number): Call[] =>
      rules.ON_ITSELF.flatMap(([name, at]) =>
        at === 0 ? labelled(`${name} ${who}`, call(name, who)) : labelled(
          `${name} ${who}`,
          call(name, name === "setpriority" ? 0 : 1, who),
        )
      );
    const asked = labelled("asks", call("personality", 0xffffffff));
    const refused: Call[] = [
      // ADDR_NO_RANDOMIZE
      ...labelled("no randomness", call("personality", 0x40000)),
      ...on(1),
      ...labelled("PRIO_USER", call("setpriority", 2, 0, 0)),
      ...labelled("IOPRIO_WHO_USER", call("ioprio_set", 3, 0, 0)),
    ];
    const under = await callsUnder(filterHere(), [
      ...asked,
      ...on(0),
      ...refused,
    ]);
    for (const [name] of [...asked, ...on(0)]) {
      assert.notEqual(under[name], EPERM, name);
    }
    for (const [name] of refused) assert.equal(under[name], EPERM, name);
    const without = await callsUnder(undefined, refused);
    assert.equal(without["no randomness"], "0");
    assert.equal(without["prlimit64 1"], "0");
    assert.equal(without["PRIO_USER"], "0");
  },
});

Deno.test({
  name: "seccompFilter: no call gives a file a set-id bit",
  ...options,
  async fn() {
    const [CREATE, TMPFILE] = [KERNEL.O_CREAT, KERNEL.__O_TMPFILE];
    const given = (mode: number): Call[] =>
      rules.MODES.flatMap(({ name, mode: at, flags }) => {
        const how = flags === undefined ? [0] : [CREATE, TMPFILE, 0];
        return how.flatMap((flag) => {
          const args = [...NONSENSE];
          if (flags !== undefined) args[flags] = flag;
          args[at] = mode;
          const label = `${name} ${mode.toString(8)} ${flag}`;
          return labelled(label, call(name, ...args));
        });
      });
    // Without such a flag what stands in the mode's place is noise.
    const isRead = (label: string) => !/^open(at)? \d+ 0$/.test(label);
    const set = [0o4755, 0o2755, 0o6000].flatMap(given);
    const plain = [0o1777, 0o755].flatMap(given);
    const under = await callsUnder(filterHere(), [...set, ...plain]);
    for (const [label] of set) {
      if (isRead(label)) assert.equal(under[label], EPERM, label);
      else assert.notEqual(under[label], EPERM, label);
    }
    for (const [label] of plain) assert.notEqual(under[label], EPERM, label);
    const without = await callsUnder(undefined, set);
    assert.ok(!Object.values(without).includes(EPERM));
  },
});

Deno.test({
  name: "seccompFilter: the runtime's own ways to a set-id file are refused",
  ...options,
  async fn() {
    await using tree = await makeTree({ file: "", out: { dir: true } });
    const at = (...parts: string[]) => JSON.stringify(tree.path(...parts));
    const script = `
      const said = [];
      const attempt = (work) => {
        try { work(); said.push("done"); } catch (error) { said.push(error.code); }
      };
      attempt(() => Deno.chmodSync(${at("file")}, 0o6755));
      attempt(() => Deno.writeFileSync(${
      at("out", "made")
    }, new Uint8Array(), { mode: 0o4755 }));
      attempt(() => Deno.chmodSync(${at("file")}, 0o755));
      attempt(() => Deno.mkdirSync(${at("out", "dir")}, { mode: 0o700 }));
      console.log(said.join(" "));`;
    const command = [Deno.execPath(), "eval", "--no-config", script];
    const under = await underFilter(filterHere(), command);
    assert.equal(under.stdout, "EPERM EPERM done done\n", under.stderr);
    assert.equal((await Deno.stat(tree.path("file"))).mode! & 0o7777, 0o755);
    assert.equal((await Deno.stat(tree.path("out", "made"))).mode! & 0o6000, 0);
    await Deno.remove(tree.path("out"), { recursive: true });
    await Deno.mkdir(tree.path("out"));
    const without = await underFilter(undefined, command);
    assert.equal(without.stdout, "done done done done\n", without.stderr);
    assert.ok((await Deno.stat(tree.path("out", "made"))).mode! & 0o4000);
  },
});

Deno.test({
  name: "seccompFilter: nothing is told of reading and writing in one question",
  ...options,
  async fn() {
    const [EXECUTE, WRITE, READ] = [1, 2, 4];
    const EFAULT = 14;
    const asked = [0, EXECUTE, WRITE, READ, WRITE | EXECUTE, READ | EXECUTE];
    const calls = (mode: number) => [
      ...call("access", 0, mode),
      ...call("faccessat", 0, 0, mode),
      ...call("faccessat2", 0, 0, mode, 0),
    ];
    for (const mode of [...asked, READ | WRITE]) {
      const said = Object.values(await callsUnder(filterHere(), calls(mode)));
      // Answered by the kernel, which finds no path there.
      const expected = mode === (READ | WRITE) ? KERNEL.EPERM : EFAULT;
      assert.ok(said.length >= 2, `${mode}`);
      assert.deepEqual(new Set(said), new Set([expected]), `${mode}`);
    }
    const without = await callsUnder(undefined, calls(READ | WRITE));
    assert.deepEqual(new Set(Object.values(without)), new Set([EFAULT]));
  },
});

Deno.test({
  name: "seccompFilter: clone with any new namespace is refused",
  ...options,
  async fn() {
    const SIGCHLD = 17;
    const flags = Object.entries(KERNEL).filter(([name]) =>
      name.startsWith("CLONE_NEW")
    );
    assert.equal(flags.length, 7);
    const calls = flags.flatMap(([name, flag]) =>
      labelled(`child ${name}`, call("clone", flag | SIGCHLD))
    );
    const plain = labelled("child", call("clone", SIGCHLD));
    const { child, ...under } = await callsUnder(filterHere(), [
      ...plain,
      ...calls,
    ]);
    assert.ok(Number(child) > 0 && typeof child === "string", String(child));
    for (const [name] of calls) assert.equal(under[name], EPERM, name);
    const without = await callsUnder(undefined, calls);
    for (const [name] of calls) {
      assert.equal(typeof without[name], "string", `${name} without`);
    }
  },
});

Deno.test({
  name: "seccompFilter: only unix sockets, and with ip TCP, UDP and routes",
  ...options,
  async fn() {
    const STREAM = 1;
    const RAW = 3;
    const families = Array.from({ length: 64 }, (_, family) => family);
    const calls: Call[] = [
      ...families.flatMap((family) =>
        labelled(`socket ${family}`, call("socket", family, RAW, 0))
      ),
      ...families.flatMap((family) =>
        labelled(`pair ${family}`, call("socketpair", family, STREAM, 0, -1))
      ),
    ];
    const closed = (said: Record<string, number | string>, kind: string) =>
      families.filter((family) => said[`${kind} ${family}`] === EAFNOSUPPORT);
    const open = await callsUnder(filterHere(), calls);
    const local = await callsUnder(
      filterHere({ ip: false, processes: true }),
      calls,
    );
    const but = (...allowed: number[]) =>
      families.filter((family) => !allowed.includes(family));
    assert.deepEqual(closed(open, "socket"), but(1, 2, 10, 16));
    assert.deepEqual(closed(local, "socket"), but(1));
    assert.deepEqual(closed(open, "pair"), but(1));
    assert.deepEqual(closed(local, "pair"), but(1));
    const none = await callsUnder(
      filterHere({ ip: false, processes: true, unix: false }),
      calls,
    );
    assert.deepEqual(closed(none, "socket"), families);
    assert.deepEqual(closed(none, "pair"), but(1));
    // The control: the kernel has netlink and IPv4 when it is not in the way.
    const without = await callsUnder(undefined, calls);
    assert.equal(typeof without["socket 16"], "string");
    assert.equal(typeof without["socket 2"], "number");
    assert.notEqual(without["socket 2"], EAFNOSUPPORT);
  },
});

Deno.test({
  name:
    "seccompFilter: with ip, other protocols of IP and of netlink are refused",
  ...options,
  async fn() {
    const [STREAM, DGRAM, RAW, IP, IP6, NETLINK] = [1, 2, 3, 2, 10, 16];
    const socket = (label: string, ...args: number[]): Call[] =>
      labelled(label, call("socket", ...args));
    const said = await callsUnder(filterHere(), [
      ...socket("tcp", IP, STREAM, 6),
      ...socket("udp6", IP6, DGRAM, 17),
      ...socket("route", NETLINK, RAW, 0),
      ...socket("icmp", IP, DGRAM, 1),
      ...socket("raw", IP, RAW, 255),
      ...socket("sctp", IP, STREAM, 132),
      ...socket("mptcp", IP6, STREAM, 262),
      ...socket("uevents", NETLINK, RAW, 15),
      ...socket("netfilter", NETLINK, RAW, 12),
    ]);
    const { tcp, udp6, route, ...others } = said;
    for (const fd of [tcp, udp6, route]) assert.equal(typeof fd, "string");
    for (const [name, error] of Object.entries(others)) {
      assert.equal(error, EPROTONOSUPPORT, name);
    }
  },
});

Deno.test({
  name: "seccompFilter: without processes there are threads and nothing else",
  ...options,
  async fn() {
    const filter = filterHere({ ip: true, processes: false });
    const calls = [
      ...labelled("child fork", call("fork")),
      ...labelled("child clone", call("clone", 17)),
    ];
    const under = await callsUnder(filter, [...calls, ...call("vfork")]);
    assert.ok(Object.keys(under).length >= 1);
    for (const [name, error] of Object.entries(under)) {
      assert.equal(error, EPERM, name);
    }
    const control = await callsUnder(filterHere(), calls);
    for (const [name, pid] of Object.entries(control)) {
      assert.ok(typeof pid === "string" && Number(pid) > 0, name);
    }
    const spawned = await underFilter(filter, [
      Deno.execPath(),
      ...["eval", "--no-config", "new Deno.Command('/bin/true').outputSync()"],
    ]);
    assert.match(spawned.stderr, /Operation not permitted|PermissionDenied/);
  },
});

/** What a script may well do, and what it says at the end. */
const WORKS = `
  const worker = new Worker("data:text/javascript,postMessage(6*7)", { type: "module" });
  const answer = await new Promise((done) => worker.onmessage = (e) => done(e.data));
  worker.terminate();
  await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  let text = "no ip";
  try {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response("served"));
    text = await (await fetch("http://localhost:" + server.addr.port)).text();
    await server.shutdown();
  } catch (error) {
    if (!/Address family/.test(String(error))) throw error;
  }
  const dir = Deno.makeTempDirSync();
  Deno.writeTextFileSync(dir + "/a", "a");
  Deno.removeSync(dir, { recursive: true });
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(":memory:");
  console.log(answer, text, crypto.randomUUID().length, db.prepare("select 1+1 as n").get().n);
`;

for (const ip of [true, false]) {
  for (const processes of [true, false]) {
    Deno.test({
      name:
        `seccompFilter: the runtime works (ip ${ip}, processes ${processes})`,
      ...options,
      async fn() {
        const ended = await underFilter(filterHere({ ip, processes }), [
          ...["prlimit", "--nproc=64", "--", Deno.execPath()],
          ...["eval", "--no-config", WORKS],
        ]);
        const text = ip ? "served" : "no ip";
        assert.equal(ended.stdout, `42 ${text} 36 2\n`, ended.stderr);
      },
    });
  }
}

Deno.test({
  name: "seccompFilter: on another architecture nothing at all is allowed",
  ...options,
  async fn() {
    const foreign = seccompFilter({
      arch: X86 ? "aarch64" : "x86_64",
      ip: true,
      processes: true,
    });
    // The kernel takes the program, so its jumps and actions are valid.
    const ended = await underFilter(foreign, ["/bin/true"]);
    assert.notEqual(ended.code, 0);
    // bubblewrap cannot even write that it could not start the program.
    assert.equal(ended.stderr, "");
  },
});
