// Every attempt is a function that returns what it got, or throws.

import * as fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const windows = process.platform === "win32";
const systemFile = windows ? "C:\\Windows\\win.ini" : "/etc/passwd";

function connect(host, port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, timeout: 3000 });
    socket.on("connect", () => resolve(`connected to ${host}`));
    socket.on("timeout", () => reject(new Error("timed out")));
    // A refused connection means that the packet left: only the fence's own error counts.
    socket.on("error", (error) => {
      if (error.code === "ECONNREFUSED") resolve("reached the address");
      else reject(error);
    });
  });
}

/** A module that imports a file outside, written where this script may write. */
function requireTrick() {
  const trap = join(process.env.SKILL_OUT, "trap.mjs");
  fs.writeFileSync(
    trap,
    `export { default } from "file:///etc/passwd" with { type: "text" };`,
  );
  try {
    return String(require(trap).default).slice(0, 20);
  } finally {
    fs.rmSync(trap);
  }
}

export const controls = [
  [
    "read its own SKILL.md",
    () => fs.readFileSync(join(here, "SKILL.md"), "utf8").length,
  ],
  ["write to SKILL_OUT", () => {
    const path = join(process.env.SKILL_OUT, "control.txt");
    fs.writeFileSync(path, "x");
    fs.rmSync(path);
    return "written";
  }],
  [
    "wait for a timer",
    () => new Promise((done) => setTimeout(done, 1, "waited")),
  ],
];

export const attempts = [
  ["read a system file", () => fs.readFileSync(systemFile, "utf8").length],
  [
    "list the folder above the skill",
    () => fs.readdirSync(dirname(here)).join(),
  ],
  [
    "read the parent's environment",
    () => fs.readFileSync(`/proc/${process.ppid}/environ`).length,
  ],
  [
    "read its own full environment",
    () => fs.readFileSync("/proc/self/environ").length,
  ],
  [
    "write into the skill",
    () => fs.writeFileSync(join(here, "planted.txt"), "x"),
  ],
  [
    "write outside",
    () => fs.writeFileSync(join(dirname(here), "planted.txt"), "x"),
  ],
  [
    "plant a symbolic link",
    () => fs.symlinkSync(systemFile, join(process.env.SKILL_OUT, "link")),
  ],
  ["start a program", () => {
    const { code } = new Deno.Command(process.execPath, { args: ["--version"] })
      .outputSync();
    return `exit ${code}`;
  }],
  ["load a native library", () => {
    process.dlopen({ exports: {} }, join(here, "lib", "absent.node"));
    return "loaded";
  }],
  ["signal the parent process", () => process.kill(process.ppid, 0)],
  ["connect to loopback", () => connect("127.0.0.1", 7)],
  ["connect to an undeclared address", () => connect("192.0.2.1", 443)],
  [
    "fetch from an undeclared host",
    async () => (await fetch("http://192.0.2.1/")).status,
  ],
  ["listen on a port", () => {
    Deno.listen({ hostname: "127.0.0.1", port: 0 }).close();
    return "listening";
  }],
  [
    "import a file outside, statically",
    async () => (await import("./static_import.mjs")).default.length,
  ],
  ["import a file outside, by require", requireTrick],
  ["import code over the network", async () => {
    const url = "https://192.0.2.1/module.mjs";
    return Object.keys(await import(url)).length;
  }],
  ["import a package from the registry", async () => {
    const name = "npm:left-pad@1.3.0";
    return Object.keys(await import(name)).length;
  }],
];
