/** Files: reading, probing and writing outside what the Plan opens. */

import { type Attack, attempt, deep } from "./attack.ts";

/** Attacks on the file system. */
export const FILE_ATTACKS: readonly Attack[] = [
  { ...deep("h01"), kind: "file-read", control: "inside" },
  {
    id: "h48",
    kind: "file-read",
    title: "loading a file outside as an environment file",
    file: "a.mjs",
    source: `import process from "node:process";\n` +
      attempt(
        `(process.loadEnvFile("__TARGET__"), process.env.KEY ?? "loaded")`,
      ),
    target: "file",
    control: "bare",
  },
  {
    id: "h52",
    kind: "file-read",
    title: "fetch and XHR of a file URL",
    file: "a.mjs",
    source: attempt(`(await fetch("file://__TARGET__")).text()`),
    target: "file",
    control: "inside",
  },
  {
    id: "h53",
    kind: "file-read",
    title: "streaming a file URL into WebAssembly",
    file: "a.mjs",
    source: attempt(
      `await WebAssembly.compileStreaming(fetch("file://__TARGET__")).catch((e) => { if (e instanceof WebAssembly.CompileError || /mime|content.type/i.test(e.message)) return "read: " + e.message; throw e; })`,
    ),
    target: "file",
    control: "inside",
  },
  {
    id: "h62",
    kind: "file-read",
    title: "the accounts' and the runtime's own files",
    file: "a.mjs",
    source: attempt(
      `Deno.readTextFileSync("__TARGET__")`,
      ...[
        ...[
          "/etc/passwd",
          "/etc/shadow",
          "/root/.npmrc",
          "/etc/ssl/openssl.cnf",
        ],
        ...["/home", "/var/log", "/sys/kernel"],
      ].map((path) =>
        `Deno.statSync("${path}").isDirectory ? [...Deno.readDirSync("${path}")].length : Deno.readTextFileSync("${path}").length`
      ),
    ),
    target: "file",
    control: "inside",
  },
  { ...deep("h02"), kind: "file-spelling", control: "inside" },
  {
    id: "case",
    kind: "file-spelling",
    title: "reading a file outside in other letters, normal forms and escapes",
    file: "a.mjs",
    source: `const at = "__TARGET__";\n` + attempt(
      `Deno.readTextFileSync(at)`,
      `Deno.readTextFileSync(at.replace("secret", "SECRET"))`,
      `Deno.readTextFileSync(new URL("file://" + at.replaceAll("/", "/%2e/")))`,
      `Deno.readTextFileSync(new URL("file://localhost" + at))`,
      `Deno.readTextFileSync(at.replaceAll("/", "/./"))`,
      `Deno.readTextFileSync("file://" + at)`,
    ),
    target: "file",
    control: "inside",
    // A URL in a string is a path below the working directory.
    words: /NotFound|Must be a file URL|NotSupported/,
  },
  { ...deep("h54"), kind: "file-existence", control: "inside" },
  {
    id: "h11",
    kind: "file-existence",
    title: "probing for a file by resolving it",
    file: "a.cjs",
    source: attempt(`require.resolve(["__TARGET__"].join(""))`),
    target: "json",
    control: "inside",
  },
  {
    id: "h46",
    kind: "file-existence",
    title: "watching a directory outside",
    file: "a.mjs",
    source: attempt(
      `(() => { const watcher = Deno.watchFs("__TARGET__"); watcher.close(); return "a watcher"; })()`,
      `(() => { Deno.chdir("__TARGET__"); return Deno.cwd(); })()`,
    ),
    target: "directory",
    control: "inside",
    // A worker cannot change its directory at all.
    words: /Cannot set the current working directory/,
  },
  {
    ...deep("h64"),
    kind: "file-write",
    control: "bare",
    breached: async ({ outside }) => {
      for await (const _ of Deno.readDir(outside)) return true;
      return false;
    },
  },
  {
    id: "h65",
    kind: "file-write",
    title: "the runtime's own writers: snapshots, coverage, profiles",
    file: "a.mjs",
    source: `import v8 from "node:v8";\n` + attempt(
      `(v8.writeHeapSnapshot("__TARGET__/snap"), Deno.statSync("__TARGET__/snap").size)`,
      `(Deno.writeTextFileSync("__TARGET__/w", "x", { create: true }), "written")`,
      `(Deno.openSync("__TARGET__/a", { append: true, create: true }), "appended")`,
      `Deno.makeTempFileSync({ dir: "__TARGET__" })`,
    ),
    target: "directory",
    control: "bare",
  },
  {
    id: "handed-in",
    kind: "file-write-skill",
    title: "changing what was handed in",
    file: "a.mjs",
    source: attempt(
      `(Deno.writeTextFileSync(Deno.env.get("TMPDIR") + "/in/planted", "x"), "written")`,
    ),
    target: "none",
    control: { none: "bare there is no directory of handed-in files" },
  },
  {
    ...deep("write-skill"),
    kind: "file-write-skill",
    control: "bare",
    before: async ({ skillDir }) => {
      if (Deno.build.os !== "windows") await Deno.chmod(skillDir, 0o777);
    },
  },
  {
    id: "write-system",
    linux: true,
    kind: "file-write-system",
    title: "writing into the system's directories",
    file: "a.mjs",
    source: attempt(
      ...[
        ...[
          "/planted-by-test",
          "/usr/lib/planted-by-test",
          "/etc/ld.so.preload",
        ],
        ...[
          "/dev/shm/planted-by-test",
          "/tmp/planted-by-test",
          "/home/planted",
        ],
        ...["/proc/self/planted", "/run/planted-by-test"],
      ].map((path) =>
        `(Deno.writeTextFileSync("${path}", "", { createNew: true }), Deno.removeSync("${path}"), "${path}")`
      ),
      `(Deno.openSync(Deno.execPath(), { write: true }).close(), "the runtime")`,
    ),
    target: "none",
    control: "bare",
    words: /Text file busy|ETXTBSY|os error 26/,
  },
  {
    id: "planted-output",
    kind: "link-by-script",
    title: "a link left as an output, for the server to follow",
    file: "a.mjs",
    source: attempt(
      `(Deno.symlinkSync("__TARGET__", Deno.env.get("SKILL_OUT") + "/report.txt"), Promise.reject(new Error("planted")))`,
      `(Deno.linkSync("__TARGET__", Deno.env.get("SKILL_OUT") + "/report2.txt"), "linked")`,
    ),
    target: "file",
    control: {
      none: "the server follows no link; h44 shows that a link is made",
    },
    // Alone, the layer lets it plant the link: what counts is what comes out.
    words: /planted/,
  },
  {
    id: "chmod",
    kind: "file-metadata",
    title: "changing modes, times, links and names outside",
    file: "a.mjs",
    source: attempt(
      `Deno.chmodSync("__TARGET__", 0o700) ?? "chmod"`,
      `Deno.utimeSync("__TARGET__", 1, 1) ?? "utime"`,
      `Deno.linkSync("__TARGET__", Deno.env.get("SKILL_OUT") + "/h") ?? "link"`,
      `Deno.renameSync("__TARGET__", "__TARGET__2") ?? Deno.renameSync("__TARGET__2", "__TARGET__") ?? "rename"`,
      `Deno.truncateSync("__TARGET__") ?? "truncate"`,
      `Deno.removeSync("__TARGET__") ?? "remove"`,
    ),
    target: "file",
    control: "bare",
  },
  { ...deep("h44"), kind: "link-by-script", control: "bare" },
  {
    id: "dev",
    linux: true,
    kind: "devices",
    title: "devices",
    file: "a.mjs",
    source: attempt(
      ...["/dev/kmsg", "/dev/mem", "/dev/tty", "/dev/ptmx", "/dev/fuse"].map((
        path,
      ) =>
        `(Deno.openSync("${path}", { read: true, write: true }), "${path}")`
      ),
      `(Deno.writeTextFileSync("/dev/shm/skillfence-test", "x"), Deno.removeSync("/dev/shm/skillfence-test"), "shm")`,
    ),
    target: "none",
    control: "bare",
  },
];
