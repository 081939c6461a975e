/** What a probe tries under Landlock, with every permission of Deno's. */

import type { CheckInput } from "./bwrap_check.ts";

/** What the check is told; the one argument of the script, as JSON. */
export interface LandlockCheckInput extends CheckInput {
  /** Signals to the server are refused: by Landlock, or to another account. */
  readonly signals: boolean;
}

/**
 * The script. It prints a `CheckReport` and takes it for a breach when
 * something works, or fails in another way than it must. The network is `none`.
 * Numbers are those of linux/sched.h, prctl.h, socket.h and ptrace.h; system
 * calls that the C library has no function for differ by architecture.
 */
export const LANDLOCK_CHECK_SCRIPT = `
const input = JSON.parse(Deno.args[0]);
const breaches = [];
const broken = [];

const CLONE_NEWUSER = 0x10000000, AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10;
const AF_NETLINK = 16, AF_VSOCK = 40, SOCK_STREAM = 1, SOCK_RAW = 3;
const PTRACE_SEIZE = 0x4206n, RLIMIT_NOFILE = 7;
const PR_GET_SECCOMP = 21, PR_GET_NO_NEW_PRIVS = 39, FILTERED = 2;
const CAPABILITIES = 0x20080522;
const KEYCTL_GET_KEYRING_ID = 0n, KEY_SPEC_SESSION_KEYRING = -3n;
const [ADD_KEY, KEYCTL] = Deno.build.arch === "x86_64" ? [248n, 250n] : [217n, 219n];

function fails(what, action) {
  try {
    action();
    breaches.push(what);
  } catch (error) {
    if (error.code !== "EACCES") breaches.push(what + " (" + error.code + ")");
  }
}
async function unreached(what, options) {
  try {
    (await Deno.connect(options)).close();
    breaches.push(what);
  } catch {
    // As it must be.
  }
}
function works(what, action) {
  try {
    if (action() === false) broken.push(what);
  } catch (error) {
    broken.push(what + " (" + error.code + ")");
  }
}
function same(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) breaches.push(what + ": " + found);
}

for (const path of ["/etc/passwd", input.outside]) {
  fails("a file outside is read", () => Deno.readFileSync(path));
}
for (const dir of ["/", "/etc", "/proc"]) {
  fails("a directory outside is listed", () => [...Deno.readDirSync(dir)]);
}
for (const id of [Deno.ppid, "self"]) {
  fails("the environment of a process is read", () => Deno.readFileSync("/proc/" + id + "/environ"));
}
fails("the skill is written to", () => Deno.writeTextFileSync(input.skill + "/written", ""));
fails("the skill is changed", () => Deno.writeTextFileSync(input.skill + "/check.mjs", ""));
fails("a file outside is written to", () => Deno.writeTextFileSync(input.outside, ""));
fails("a file outside is emptied", () => Deno.truncateSync(input.outside));
for (const dir of input.writable) {
  fails("a link is left behind", () => Deno.symlinkSync("/etc", dir + "/link"));
}
const names = Object.keys(Deno.env.toObject());
same("variables", names.filter((name) => !input.names.includes(name)), []);
same("account", [Deno.uid(), Deno.gid()], input.account);

await unreached("a loopback port of the host", { hostname: "127.0.0.1", port: input.port });
for (const path of input.sockets) {
  await unreached("a unix socket of the host", { transport: "unix", path });
}

const number = "i64";
let libc;
for (const name of ["libc.so.6", "libc.musl-" + Deno.build.arch + ".so.1"]) {
  try {
    libc ??= Deno.dlopen(name, {
      unshare: { parameters: ["i32"], result: "i32" },
      socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
      ptrace: { parameters: [number, number, number, number], result: number },
      prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
      kill: { parameters: ["i32", "i32"], result: "i32" },
      prlimit: { parameters: ["i32", "i32", "pointer", "buffer"], result: "i32" },
      mkfifo: { parameters: ["buffer", "u32"], result: "i32" },
      capget: { parameters: ["buffer", "buffer"], result: "i32" },
      add_key: {
        name: "syscall",
        parameters: [number, "buffer", "buffer", "buffer", "u64", number],
        result: number,
      },
      keyctl: { name: "syscall", parameters: [number, number, number, number], result: number },
    }).symbols;
  } catch {
    // The other one.
  }
}
works("the C library", () => libc !== undefined);
if (libc !== undefined) {
  const text = (value) => new TextEncoder().encode(value + "\\0");
  const refused = (what, result) => {
    if (Number(result) !== -1) breaches.push(what);
  };
  refused("a new user namespace", libc.unshare(CLONE_NEWUSER));
  for (const [family, type] of [
    [AF_UNIX, SOCK_STREAM], [AF_INET, SOCK_STREAM], [AF_INET6, SOCK_STREAM],
    [AF_NETLINK, SOCK_RAW], [AF_VSOCK, SOCK_STREAM],
  ]) refused("a socket of family " + family, libc.socket(family, type, 0));
  refused("ptrace", libc.ptrace(PTRACE_SEIZE, BigInt(Deno.ppid), 0n, 0n));
  refused("the limits of another process", libc.prlimit(Deno.ppid, RLIMIT_NOFILE, null, new Uint8Array(16)));
  if (input.signals) refused("a signal to the server", libc.kill(Deno.ppid, 0));
  refused("a FIFO", libc.mkfifo(text(input.writable[0] + "/fifo"), 0o600));
  refused("a key", libc.add_key(
    ADD_KEY, text("user"), text("skillfence-probe"), text("x"), 1n, KEY_SPEC_SESSION_KEYRING,
  ));
  refused("the session's key ring", libc.keyctl(
    KEYCTL, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0n,
  ));
  same("no_new_privs", libc.prctl(PR_GET_NO_NEW_PRIVS, 0n, 0n, 0n, 0n), 1);
  same("seccomp", libc.prctl(PR_GET_SECCOMP, 0n, 0n, 0n, 0n), FILTERED);
  const header = new Uint8Array(new Uint32Array([CAPABILITIES, 0]).buffer);
  const sets = new Uint8Array(24).fill(0xff);
  libc.capget(header, sets);
  same("capabilities", sets.some((byte) => byte !== 0), false);
}

works("what was handed in", () => Deno.readTextFileSync(input.handedIn) === "in");
for (const dir of input.writable) {
  works("writing to a directory that is open", () => Deno.writeTextFileSync(dir + "/written", "out"));
}
console.log(JSON.stringify({ breaches, broken }));
`;
