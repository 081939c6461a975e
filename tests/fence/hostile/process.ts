/** The process and its surroundings: commands, signals, facts of the machine. */

import { join } from "node:path";
import { type Attack, attempt, deep } from "./attack.ts";

/** A library of the system that is no addon, and where it lies. */
const LIBRARY = "/lib/x86_64-linux-gnu/libm.so.6";

/** Attacks that leave the language. */
export const PROCESS_ATTACKS: readonly Attack[] = [
  { ...deep("h22"), kind: "spawn", control: "bare", linux: true },
  {
    id: "h22-worker",
    kind: "spawn",
    title: "starting a program in other ways",
    file: "a.cjs",
    source: `const cp = require("node:child_process");\n` +
      attempt(
        `new Promise((yes, no) => { const child = cp.fork(__filename); child.on("spawn", () => { child.kill("SIGKILL"); yes("forked"); }); child.on("error", no); })`,
        `new Promise((yes, no) => cp.exec("echo hi", (error, out) => error ? no(error) : yes(out)))`,
      ),
    target: "none",
    control: "bare",
    words: /not implemented/i,
  },
  {
    id: "h22-deno",
    linux: true,
    kind: "spawn",
    title: "starting a program by the runtime's newer and older names",
    file: "a.mjs",
    source: `import process from "node:process";\n` + attempt(
      `(await Deno.spawnAndWait("/bin/echo", ["hi"])).code`,
      `Deno.spawnAndWaitSync("/bin/echo", ["hi"]).code`,
      `(await Deno.spawn("/bin/echo", ["hi"]).status).code`,
      `(await Deno.run({ cmd: ["/bin/echo", "hi"] }).status()).code`,
      `process.execve ? process.execve("/bin/echo", ["echo", "GOT by execve"], {}) : undefined`,
    ),
    target: "none",
    control: "bare",
    words: /nothing came of it|not a constructor|not a function/,
  },
  { ...deep("h23"), kind: "native-ffi", control: "bare", linux: true },
  {
    id: "h24",
    kind: "native-ffi",
    title: "raw memory through native pointers",
    file: "a.mjs",
    source: attempt(
      `Deno.UnsafePointer.value(Deno.UnsafePointer.of(new Uint8Array(8)))`,
      `new Deno.UnsafePointerView(Deno.UnsafePointer.create(4096n)).pointer === null ? "null" : "a view"`,
      `new Deno.UnsafeCallback({ parameters: [], result: "void" }, () => {}).pointer ? "a callback" : undefined`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "gpu",
    linux: true,
    kind: "native-drivers",
    title: "graphics drivers, which the runtime loads without a permission",
    file: "a.mjs",
    // A driver's description in the home directory names any library.
    source: `const home = Deno.env.get("HOME");
for (const kind of ["icd.d", "implicit_layer.d"]) {
  const dir = home + "/.local/share/vulkan/" + kind;
  Deno.mkdirSync(dir, { recursive: true });
  Deno.writeTextFileSync(dir + "/x.json", JSON.stringify({ file_format_version: "1.0.0", ICD: { library_path: home + "/x.so", api_version: "1.3.0" } }));
}
for (const name of ["DENO_WEBGPU_BACKEND", "HOME", "VK_DRIVER_FILES"]) { try { Deno.env.set(name, "vulkan,gl"); } catch { /* refused is held */ } }
` + attempt(
        `navigator.gpu?.requestAdapter().then((a) => a ? "an adapter: " + a.info?.description : undefined)`,
        `navigator.gpu?.requestAdapter({ forceFallbackAdapter: true }).then((a) => a ? "a fallback" : undefined)`,
      ),
    target: "none",
    control: { none: "a machine may have no driver" },
    words: /nothing came of it/,
  },
  {
    id: "h25",
    linux: true,
    kind: "native-addon",
    title: "a native addon that the skill ships",
    file: "a.cjs",
    source: attempt(
      `(() => { try { return typeof require("./addon.node"); } catch (e) { if (/NotCapable|Requires/.test(e.name + e.message)) throw e; return "loaded: " + e.message; } })()`,
    ),
    target: "none",
    control: "bare",
    before: ({ skillDir }) =>
      Deno.copyFile(LIBRARY, join(skillDir, "addon.node")),
  },
  {
    id: "h26",
    linux: true,
    kind: "native-addon",
    title: "process.dlopen",
    file: "a.cjs",
    source: attempt(
      `(() => { try { process.dlopen({ exports: {} }, "${LIBRARY}"); return "opened"; } catch (e) { if (/NotCapable|Requires/.test(e.name + e.message)) throw e; return "reached the linker: " + e.message; } })()`,
    ),
    target: "none",
    control: "bare",
  },
  {
    ...deep("h42"),
    kind: "signals",
    control: "bare",
    linux: true,
    scoped: true,
  },
  {
    id: "h42-internal",
    linux: true,
    scoped: true,
    kind: "signals",
    title: "a signal by the names that Node keeps to itself",
    file: "a.mjs",
    source: `import process from "node:process";\n` + attempt(
      `process._kill(__TARGET__, 0) === 0 ? "_kill" : Promise.reject(new Error("EPERM from _kill"))`,
      `(process._debugProcess(__TARGET__), "_debugProcess")`,
    ),
    target: "process",
    control: { none: "they may do nothing at all on this runtime" },
    words: /EPERM from|nothing came of it|not a function/,
  },
  {
    id: "h42-run",
    linux: true,
    scoped: true,
    kind: "signals",
    title: "a signal to another process of the scripts' account",
    file: "a.mjs",
    source: `import process from "node:process";\n` + attempt(
      `(Deno.kill(__TARGET__, "SIGCONT"), "Deno.kill")`,
      `(process.kill(__TARGET__, 0), "process.kill")`,
    ),
    target: "process",
    control: "bare",
  },
  {
    id: "h55",
    kind: "machine-facts",
    title: "facts about the machine",
    file: "a.mjs",
    source: `import os from "node:os";\n` + attempt(
      `Deno.hostname()`,
      `Deno.uid()`,
      `Deno.loadavg().join()`,
      `Deno.networkInterfaces().length`,
      `Deno.systemMemoryInfo().total`,
      `Deno.osRelease()`,
      `os.userInfo().username`,
      `os.cpus().length || undefined`,
    ),
    target: "none",
    control: "bare",
    words: /nothing came of it/,
  },
  {
    id: "h61",
    kind: "own-process",
    title: "changing the mask or the user",
    file: "a.mjs",
    source: `import process from "node:process";\n` + attempt(
      `Deno.umask(0)`,
      `process.umask(0)`,
      `process.setuid ? (process.setuid(65534), "setuid") : undefined`,
    ),
    target: "none",
    control: "bare",
    words: /nothing came of it|not implemented|WORKER_UNSUPPORTED/i,
  },
  {
    id: "h47",
    kind: "descriptors",
    title: "files and directories that the server holds open",
    file: "a.mjs",
    source: `import fs from "node:fs";\n` + attempt(
      `Array.from({ length: 61 }, (_, i) => i + 3).filter((fd) => { try { const s = fs.fstatSync(fd); return (s.isFile() && s.size > 0) || s.isDirectory(); } catch { return false; } }).join() || undefined`,
    ),
    target: "none",
    control: {
      none: "descriptors_test shows the inherited descriptor and its absence",
    },
    words: /nothing came of it/,
  },
  {
    id: "h73",
    kind: "descriptors",
    title: "an inherited descriptor taken as a socket",
    file: "a.mjs",
    source: `import net from "node:net";\n` + attempt(
      `(() => { for (let fd = 3; fd < 64; fd++) { try { const s = new net.Socket({ fd }); s.on("error", () => {}); if (s.remoteAddress) return "a connected socket at " + fd; } catch { /* no socket */ } } })()`,
    ),
    target: "none",
    control: {
      none: "descriptors_test shows the inherited descriptor and its absence",
    },
    words: /nothing came of it/,
  },
];
