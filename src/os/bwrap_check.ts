/** What a probe tries inside a sandbox, with every permission of Deno's. */

/** What the check is told; the one argument of the script, as JSON. */
export interface CheckInput {
  /** Readable for the account on the host, and not shown. */
  readonly outside: string;
  /** Shown, and writable but for the first. Absolute paths. */
  readonly skill: string;
  readonly handedIn: string;
  readonly writable: readonly string[];
  /** Listeners of the host. */
  readonly port: number;
  readonly sockets: readonly string[];
  /** All names that the environment may hold. */
  readonly names: readonly string[];
  /** uid and gid that the script must have. */
  readonly account: readonly [number | null, number | null];
}

/** What the script reports: what did not hold, and what did not work. */
export interface CheckReport {
  readonly breaches: readonly string[];
  readonly broken: readonly string[];
}

/** Set by shells and by Deno itself. */
export const NAMES_OF_ITS_OWN: readonly string[] = [
  ...["PATH", "PWD", "OLDPWD", "SHLVL", "_", "DENO_NODE_SHIM_ACTIVE"],
];

/**
 * The script. It prints a `CheckReport` and takes it for a breach when
 * something works, or fails in another way than it must. Numbers are those of
 * linux/sched.h, socket.h, ptrace.h, keyctl.h and prctl.h; system calls that
 * the C library has no function for differ by architecture.
 */
export const CHECK_SCRIPT = `
const input = JSON.parse(Deno.args[0]);
const breaches = [];
const broken = [];

const CLONE_NEWUSER = 0x10000000, CLONE_NEWNS = 0x00020000;
const AF_VSOCK = 40, AF_PACKET = 17, SOCK_STREAM = 1, SOCK_RAW = 3;
const PTRACE_TRACEME = 0n, KEYCTL_GET_KEYRING_ID = 0n;
const KEY_SPEC_PROCESS_KEYRING = -2n, KEY_SPEC_SESSION_KEYRING = -3n;
const PR_GET_SECCOMP = 21, PR_CAPBSET_READ = 23, PR_GET_NO_NEW_PRIVS = 39;
const FILTERED = 2, LAST_CAPABILITY = 40n;
const [ADD_KEY, KEYCTL] = Deno.build.arch === "x86_64" ? [248n, 250n] : [217n, 219n];

function fails(what, codes, action) {
  try {
    action();
    breaches.push(what);
  } catch (error) {
    if (!codes.includes(error.code)) breaches.push(what + " (" + error.code + ")");
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
const listed = (path) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();

fails("a file of the system is there", ["ENOENT"], () => Deno.readFileSync("/etc/passwd"));
fails("a file outside is there", ["ENOENT"], () => Deno.readFileSync(input.outside));
for (const dir of [input.skill, "", "/dev", "/proc", "/usr"]) {
  fails("written to " + (dir || "/"), ["EROFS"], () => Deno.writeTextFileSync(dir + "/written", ""));
}
same("in /proc", listed("/proc"), ["self"]);
same("in /proc/self", listed("/proc/self"), ["exe"]);
same("in /dev", listed("/dev"), ["null", "urandom"]);
same("process", [Deno.pid, Deno.ppid], [1, 0]);
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
      mount: { parameters: ["buffer", "buffer", "buffer", "u64", "pointer"], result: "i32" },
      prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
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
  refused("a new mount namespace", libc.unshare(CLONE_NEWNS));
  refused("a mount", libc.mount(text("none"), text(input.skill), text("tmpfs"), 0n, null));
  refused("a socket to the hypervisor", libc.socket(AF_VSOCK, SOCK_STREAM, 0));
  refused("a packet socket", libc.socket(AF_PACKET, SOCK_RAW, 0));
  refused("ptrace", libc.ptrace(PTRACE_TRACEME, 0n, 0n, 0n));
  refused("a key", libc.add_key(
    ADD_KEY, text("user"), text("skillfence-probe"), text("x"), 1n, KEY_SPEC_PROCESS_KEYRING,
  ));
  refused("the session's key ring", libc.keyctl(
    KEYCTL, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0n,
  ));
  same("no_new_privs", libc.prctl(PR_GET_NO_NEW_PRIVS, 0n, 0n, 0n, 0n), 1);
  same("seccomp", libc.prctl(PR_GET_SECCOMP, 0n, 0n, 0n, 0n), FILTERED);
  for (let capability = 0n; capability <= LAST_CAPABILITY; capability++) {
    if (libc.prctl(PR_CAPBSET_READ, capability, 0n, 0n, 0n) === 1) {
      breaches.push("capability " + capability);
    }
  }
}

works("what was handed in", () => Deno.readTextFileSync(input.handedIn) === "in");
for (const dir of input.writable) {
  works("writing to a directory that is open", () => Deno.writeTextFileSync(dir + "/written", "out"));
}
console.log(JSON.stringify({ breaches, broken }));
`;

/** The report in what the script printed; undefined when there is none. */
export function readReport(stdout: string): CheckReport | undefined {
  try {
    const { breaches, broken } = JSON.parse(stdout) as Partial<CheckReport>;
    return areWords(breaches) && areWords(broken)
      ? { breaches, broken }
      : undefined;
  } catch {
    return undefined;
  }
}

function areWords(value: unknown): value is string[] {
  return Array.isArray(value) &&
    value.every((item) => typeof item === "string");
}
