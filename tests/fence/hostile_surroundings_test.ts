/**
 * Attacks that are more than one script in one run: names that no text can
 * spell, processes that will not end, a proxy, a second skill, a look from
 * outside.
 */

import assert from "node:assert/strict";
import { openFence } from "../support/fenced.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";
import { isAlone, type Mode, modeEnv, modesHere } from "./hostile/modes.ts";
import { SECRET } from "./hostile/scene.ts";
import { until } from "../support/until.ts";

interface SkillText {
  readonly script: string;
  readonly interpreter?: string;
  readonly egress?: string;
  readonly env?: string;
  readonly timeout?: number;
}

function skill(
  { script, interpreter = "deno", egress = "", env = "", timeout = 20 }:
    SkillText,
): string {
  return `---
name: hostile
description: A hostile script.
mcp-host:
  version: 1
  run:
    - script: ${script}
      interpreter: ${interpreter}
      timeout: ${timeout}
      env: [${env}]
  egress: [${egress}]
---
`;
}

async function world(
  entries: Record<string, Entry>,
  text: SkillText,
): Promise<Tree> {
  return await makeTree({
    "data": { dir: true },
    "outside/secret.txt": SECRET,
    "root/hostile/SKILL.md": skill(text),
    ...entries,
  });
}

function serve(handler: (request: Request) => Response): {
  port: number;
} & AsyncDisposable {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    handler,
  );
  return {
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test({
  name:
    "fence: h70-name a link below a name that is not UTF-8 is never read through, whether it is hidden or has a look-alike",
  // Older runtimes do not list such a name at all.
  ignore: Deno.build.os !== "linux" || Deno.version.deno < "2.9",
  async fn() {
    const script = `
for (const at of ["a%FF/l", ".a%FF/l"]) {
  try { console.log((await import(new URL(at, import.meta.url).href, { with: { type: "text" } })).default); }
  catch (error) { console.log("HELD " + error.message); }
}`;
    for (const dir of ["a\\377", ".a\\377"]) {
      await using tree = await world({
        "root/hostile/a.mjs": script,
        "root/hostile/a\u{fffd}/harmless": "x",
      }, { script: "a.mjs" });
      const made = await new Deno.Command("sh", {
        args: [
          "-c",
          `mkdir "$(printf '${dir}')" && ln -s "$1" "$(printf '${dir}')/l"`,
          "sh",
          tree.path("outside/secret.txt"),
        ],
        cwd: tree.path("root", "hostile"),
      }).output();
      assert.ok(made.success, new TextDecoder().decode(made.stderr));
      using fence = openFence({ root: tree.path("root") });
      const prepared = await fence.prepare("a.mjs");
      assert.ok(!prepared.ok && prepared.code === "PREFLIGHT");
      assert.match(prepared.message, /a\u{fffd} has a name that is not UTF-8/u);
    }
  },
});

Deno.test("fence: h45 a link planted in the data directory is refused at the next run", async () => {
  await using tree = await world({
    "root/hostile/a.mjs":
      "console.log(Deno.readTextFileSync(Deno.env.get('MCP_DATA_DIR') + '/l'));",
  }, { script: "a.mjs" });
  using fence = openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
  });
  const first = await fence.run("a.mjs");
  assert.match(first.stderr, /NotFound|No such file/);
  const [own] = [...Deno.readDirSync(tree.path("data"))];
  await Deno.symlink(
    tree.path("outside/secret.txt"),
    tree.path("data", own!.name, "l"),
  );
  const prepared = await fence.prepare("a.mjs");
  assert.ok(!prepared.ok && prepared.code === "PREFLIGHT");
});

/** Command lines of the living processes that hold this word. */
function commandLines(word: string): string[] {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.includes(word)) found.push(line);
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

/** Runs a test in every mode with flags, at the same time. */
async function inEachMode(run: (mode: Mode) => Promise<void>): Promise<void> {
  await Promise.all(modesHere().filter((mode) => !isAlone(mode)).map(run));
}

/** A /proc to look at processes from outside. */
const LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test({
  name:
    "fence: h43 a script that traps SIGTERM and loops is gone after its deadline",
  ...LINUX,
  fn: () =>
    inEachMode(async (mode) => {
      const word = crypto.randomUUID();
      await using tree = await world({
        "root/hostile/a.mjs":
          `try { Deno.addSignalListener("SIGTERM", () => console.log("trapped")); } catch { /* no signals here */ }
setInterval(() => {}, 1000);
process.on("exit", () => { while (true); });
`,
      }, { script: "a.mjs", timeout: 1 });
      using fence = openFence({ root: tree.path("root"), env: modeEnv(mode) });
      const running = fence.run("a.mjs", { args: [word] });
      await until(() => commandLines(word).length > 0);
      const { result } = await running;
      assert.equal(result.timedOut, true, mode);
      assert.deepEqual(commandLines(word), [], mode);
    }),
});

Deno.test({
  name:
    "fence: command-line a granted value stands in no process's command line",
  ...LINUX,
  fn: () =>
    inEachMode(async (mode) => {
      const [word, value] = [crypto.randomUUID(), crypto.randomUUID()];
      await using tree = await world({
        "root/hostile/a.mjs":
          `const dir = Deno.env.get("MCP_DATA_DIR"); console.log(Deno.env.get("API_KEY"));
while (true) { try { Deno.statSync(dir + "/enough"); break; } catch { await new Promise((again) => setTimeout(again, 10)); } }`,
      }, { script: "a.mjs", env: "API_KEY" });
      using fence = openFence({
        root: tree.path("root"),
        dataDir: tree.path("data"),
        grant: [{ skill: "hostile", script: "a.mjs", env: ["API_KEY"] }],
        env: { API_KEY: value, ...modeEnv(mode) },
      });
      const running = fence.run("a.mjs", { args: [word] });
      await until(() => commandLines(word).length > 0);
      assert.deepEqual(commandLines(value), [], mode);
      const [own] = [...Deno.readDirSync(tree.path("data"))];
      await Deno.writeTextFile(tree.path("data", own!.name, "enough"), "");
      assert.match((await running).stdout, new RegExp(value));
    }),
});

Deno.test("fence: gpu-backend the runtime is told of no graphics driver, which it would load without a permission", () =>
  inEachMode(async (mode) => {
    await using tree = await world({ "root/hostile/a.mjs": "" }, {
      script: "a.mjs",
    });
    using fence = openFence({ root: tree.path("root"), env: modeEnv(mode) });
    const prepared = await fence.prepare("a.mjs");
    assert.ok(prepared.ok, mode);
    assert.equal(prepared.value.values.DENO_WEBGPU_BACKEND, "none", mode);
  }));

Deno.test("fence: h47 a script holds no descriptor of the server but its three streams", async () => {
  await using tree = await world({
    "root/hostile/a.mjs": `import fs from "node:fs";
const open = [];
for (let fd = 3; fd < 64; fd++) { try { const s = fs.fstatSync(fd); if (s.isFile() || s.isDirectory()) open.push(fd + ":" + s.size); } catch {} }
console.log(open.length ? "GOT " + open.join() : "HELD");`,
  }, { script: "a.mjs" });
  using _held = await Deno.open(tree.path("outside/secret.txt"));
  using fence = openFence({ root: tree.path("root") });
  const ran = await fence.run("a.mjs");
  assert.match(ran.stdout, /^HELD/m, ran.stdout + ran.stderr);
});

async function throughProxy(
  setBy: "script" | "server",
): Promise<{ stdout: string; asked: number }> {
  let asked = 0;
  await using direct = serve(() => new Response("direct"));
  await using proxy = serve(() => {
    asked++;
    return new Response("by way of the proxy");
  });
  const host = `127.0.0.1:${direct.port}`;
  const url = `http://127.0.0.1:${proxy.port}`;
  const set = setBy === "script"
    ? `for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) { Deno.env.set(name, "${url}"); process.env[name] = "${url}"; }`
    : "";
  await using tree = await world({
    "root/hostile/a.mjs": `import process from "node:process"; ${set}
console.log(await (await fetch("http://${host}/")).text());`,
  }, { script: "a.mjs", egress: `"${host}"` });
  using fence = openFence({
    root: tree.path("root"),
    grant: [{ skill: "hostile", script: "a.mjs", egress: [host] }],
    env: setBy === "server" ? { HTTP_PROXY: url } : {},
  });
  const { stdout } = await fence.run("a.mjs");
  return { stdout, asked };
}

Deno.test("fence: h56 a proxy that the script sets for itself is not used", async () => {
  const { stdout, asked } = await throughProxy("script");
  assert.match(stdout, /^direct/);
  assert.equal(asked, 0);
});

Deno.test("fence: h56 control: the server's own proxy is used", async () => {
  const { stdout, asked } = await throughProxy("server");
  assert.match(stdout, /^by way of the proxy/);
  assert.equal(asked, 1);
});

Deno.test("fence: h74 what one skill stores another does not find", async () => {
  const script = `const found = [];
try { if (localStorage.getItem("k")) found.push("localStorage"); localStorage.setItem("k", "v"); } catch { /* refused */ }
try { const c = await caches.open("c"); if (await c.match("http://x.invalid/")) found.push("caches"); await c.put("http://x.invalid/", new Response("v")); } catch { /* refused */ }
const at = Deno.env.get("MCP_DATA_DIR") + "/k";
try { found.push("data " + Deno.readTextFileSync(at)); } catch { /* fresh */ }
Deno.writeTextFileSync(at, "v");
console.log("found [" + found.join() + "]");`;
  await using tree = await world({
    "root/hostile/a.mjs": script,
    "root/other/SKILL.md": skill({ script: "a.mjs" }),
    "root/other/a.mjs": script,
  }, { script: "a.mjs" });
  using fence = openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
  });
  assert.match((await fence.run("a.mjs")).stdout, /found \[\]/);
  assert.match(
    (await fence.run("a.mjs", { skill: "other" })).stdout,
    /found \[\]/,
  );
  // The control: a skill's own data directory is kept for its next run.
  assert.match((await fence.run("a.mjs")).stdout, /found \[data v\]/);
});
