import assert from "node:assert/strict";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import { buildFlags, type FlagInput } from "../../src/fence/plan/flags.ts";
import { interpreterFor } from "../../src/fence/interpreters.ts";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import type { HostPattern } from "../../src/skill/types.ts";
import { declares, makeFixture, prepare, runBare } from "./plan_fixture.ts";

function host(text: string): HostPattern {
  const parsed = parseHostPattern(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

function flags(more: Partial<FlagInput> = {}): string[] {
  const deno = interpreterFor("deno");
  if (!deno.ok) throw new Error("no deno");
  return buildFlags({
    interpreter: deno.value,
    script: "/s/run.mjs",
    skillDir: "/s",
    dataDir: undefined,
    workspace: undefined,
    closed: [],
    hosts: [],
    openAddresses: [],
    closedPorts: [],
    readableEnv: ["PATH"],
    manner: { by: "none", realm: "worker", network: "open" },
    v8Flags: ["--max-old-space-size=256", "--wasm-max-mem-pages=2048"],
    args: [],
    ...more,
  });
}

function valueOf(all: readonly string[], flag: string): string | undefined {
  const found = all.filter((each) =>
    each === flag || each.startsWith(`${flag}=`)
  );
  assert.ok(found.length < 2, `${flag} stands once`);
  return found[0]?.slice(flag.length + 1);
}

Deno.test("buildFlags: the whole set for a script without anything", () => {
  const all = flags();
  const shown = all.map((flag) => flag.replace(/data:.*/s, "data:"));
  assert.deepEqual(shown, [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    "--cached-only",
    "--node-modules-dir=none",
    "--no-check",
    "--no-code-cache",
    "--import-map=data:",
    "--allow-read=/s,<scratch>",
    "--allow-write=<scratch>",
    "--deny-write=<scratch>/in",
    "--allow-env=PATH",
    "--ignore-env",
    "--deny-run",
    "--deny-ffi",
    "--deny-import",
    "--deny-net",
    "--v8-flags=--max-old-space-size=256,--wasm-max-mem-pages=2048",
    "data:",
  ]);
});

Deno.test("buildFlags: no list flag is ever empty, which would mean everything", () => {
  for (
    const all of [
      flags({ readableEnv: [] }),
      flags({ hosts: [host("a.example.org")] }),
    ]
  ) {
    assert.ok(
      !all.some((flag) => /^--allow-(?:env|net|read|write)(?:=)?$/.test(flag)),
    );
    assert.ok(
      !all.some((flag) => flag.startsWith("--allow-all") || flag === "-A"),
    );
  }
});

Deno.test("buildFlags: data is written, a read workspace is not", () => {
  const all = flags({
    dataDir: "/d",
    workspace: { dir: "/w", mode: "read" },
    closed: ["/w/.venv"],
  });
  assert.equal(valueOf(all, "--allow-read"), "/s,/d,/w,<scratch>");
  assert.equal(valueOf(all, "--allow-write"), "/d,<scratch>");
  assert.equal(valueOf(all, "--deny-read"), "/w/.venv");
  const write = flags({ workspace: { dir: "/w", mode: "write" } });
  assert.equal(valueOf(write, "--allow-write"), "/w,<scratch>");
});

Deno.test("buildFlags: each host with each of its ports, and the private ranges denied", () => {
  const all = flags({
    hosts: [
      host("api.example.org"),
      host("*.example.com:8443"),
      host("[2606::1]"),
    ],
  });
  assert.equal(
    valueOf(all, "--allow-net"),
    "api.example.org:443,api.example.org:80,*.example.com:8443,[2606::1]:443,[2606::1]:80",
  );
  assert.match(valueOf(all, "--deny-net")!, /^0\.0\.0\.0\/8,10\.0\.0\.0\/8,/);
});

Deno.test("buildFlags: arguments come last and never before the host module", () => {
  const all = flags({ args: ["--allow-all", "-A", ""] });
  assert.deepEqual(all.slice(-3), ["--allow-all", "-A", ""]);
  assert.match(all.at(-4)!, /^data:text\/javascript,/);
});

Deno.test("the flags: the runtime accepts them with hosts, holes and closed directories", async () => {
  await using fixture = await makeFixture({
    block: declares(
      "run.mjs",
      "  egress: [api.example.org, '*.example.com:8443', '127.0.0.1:9']\n",
    ),
    files: { "run.mjs": `console.log("runs")` },
    grant: [{
      skill: "demo",
      script: "run.mjs",
      egress: ["api.example.org", "*.example.com:8443", "127.0.0.1:9"],
    }],
  });
  const { out, err } = await runBare(await prepare(fixture.planner));
  assert.equal(out, "runs\n", err);
});

Deno.test("the flags: the skill is read-only, scratch is not, inputs are", async () => {
  await using fixture = await makeFixture({
    files: {
      "data.txt": "inside",
      "run.mjs": `
const tmp = Deno.env.get("TMPDIR");
const said = (work) => { try { return work() ?? "done"; } catch (error) { return error.name; } };
console.log([
  Deno.readTextFileSync("data.txt"),
  said(() => Deno.writeTextFileSync("data.txt", "x")),
  said(() => Deno.writeTextFileSync(tmp + "/a", "x")),
  said(() => Deno.writeTextFileSync(Deno.env.get("SKILL_OUT") + "/a", "x")),
  said(() => Deno.writeTextFileSync(tmp + "/in/a", "x")),
  said(() => Deno.renameSync(tmp + "/in", tmp + "/moved")),
  said(() => Deno.readTextFileSync("../../outside")),
].join(" "));`,
      "../outside": "secret",
    },
  });
  const { out, err } = await runBare(await prepare(fixture.planner));
  assert.equal(
    out,
    "inside NotCapable done done NotCapable NotCapable NotCapable\n",
    err,
  );
});

Deno.test("the flags: imports in the script's own module graph obey them", async () => {
  await using fixture = await makeFixture({
    files: {
      "run.mjs":
        `import secret from "../../secret.json" with { type: "json" }; console.log(secret);`,
      "../secret.json": `"got it"`,
    },
  });
  const prepared = await prepare(fixture.planner);
  const held = await runBare(prepared);
  assert.equal(held.out, "");
  assert.match(held.err, /Requires read access/);
  // Without the worker the same flags let it through: the test can fail.
  const at = prepared.plan.flags.length - 1;
  const direct = await runBare({
    ...prepared,
    plan: {
      ...prepared.plan,
      flags: prepared.plan.flags.with(at, fixture.dir + "/run.mjs"),
    },
  });
  assert.equal(direct.out, "got it\n");
});

Deno.test("the flags: granted variables are read, all others look unset", async () => {
  await using fixture = await makeFixture({
    block: declares("run.mjs", "      env: [API_KEY, OTHER_KEY]\n"),
    files: {
      "run.mjs":
        `console.log(process.env.API_KEY, process.env.OTHER_KEY, process.env.DENO_DIR, Object.keys(process.env).sort().join());`,
    },
    grant: [{ skill: "demo", script: "run.mjs", env: ["API_KEY"], egress: [] }],
    env: { API_KEY: "k", OTHER_KEY: "o", PATH: "/bin" },
  });
  const { out, err } = await runBare(await prepare(fixture.planner));
  assert.equal(
    out,
    "k undefined undefined API_KEY,HOME,NO_COLOR,PATH,SKILL_OUT,TMPDIR\n",
    err,
  );
});

Deno.test("the flags: a loopback address is reached only when a row names it exactly", async () => {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("served"),
  );
  const { port } = server.addr;
  try {
    await using fixture = await makeFixture({
      block: declares("run.mjs", `  egress: ['127.0.0.1:${port}']\n`),
      files: {
        "run.mjs": `
const get = async (url) => { try { return await (await fetch(url)).text(); } catch (error) { return error.name; } };
console.log(await get("http://127.0.0.1:${port}/"), await get("http://127.0.0.2:${port}/"), await get("http://localhost:${port}/"));`,
      },
      grant: [{
        skill: "demo",
        script: "run.mjs",
        egress: [`127.0.0.1:${port}`],
      }],
    });
    const open = await runBare(await prepare(fixture.planner));
    assert.equal(open.out, "served NotCapable NotCapable\n", open.err);
    const rowWithoutHosts = fixture.again({
      grant: [{ skill: "demo", script: "run.mjs" }],
    });
    for (
      const planner of [rowWithoutHosts, fixture.again({ grant: undefined })]
    ) {
      const closed = await runBare(await prepare(planner));
      assert.equal(closed.out, "NotCapable NotCapable NotCapable\n");
    }
  } finally {
    await server.shutdown();
  }
});

Deno.test("the flags: an address opened at one port is not reached at another by a name that leads to it", async () => {
  const serve = (text: string) =>
    Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(text),
    );
  await using meant = serve("meant");
  await using other = serve("other");
  const granted = `127.0.0.1:${meant.addr.port}`;
  const { port } = other.addr;
  await using fixture = await makeFixture({
    block: declares("run.mjs") +
      `  egress: ["${granted}", "api.example.org:${port}"]\n`,
    files: {
      "run.mjs":
        `const said = async (f) => { try { return await f(); } catch (e) { return e.name; } };
console.log(
  await said(async () => await (await fetch("http://${granted}/")).text()),
  await said(async () => (await Deno.connect({ hostname: "localhost", port: ${port} })) && "reached"),
);`,
    },
    grant: [
      { skill: "demo", script: "run.mjs", egress: [granted] },
      { skill: "demo", script: "run.mjs" },
    ],
  });
  const prepared = await prepare(fixture.planner);
  /** As if the public name led to loopback. */
  const run = async (change: (flag: string) => string) => {
    const flags = prepared.plan.flags.map((flag) =>
      change(
        flag.replace("=api.example.org:", "=localhost:")
          .replace(",api.example.org:", ",localhost:"),
      )
    );
    return await runBare({ ...prepared, plan: { ...prepared.plan, flags } });
  };
  const held = await run((flag) => flag);
  assert.equal(held.out, "meant NotCapable\n", held.err);
  const open = await run((flag) => flag.replace(`,127.0.0.1:${port}`, ""));
  assert.equal(open.out, "meant reached\n", open.err);
});

Deno.test("the flags: fetch goes through the proxy, which the script cannot reach or read", async () => {
  const seen: string[] = [];
  const proxy = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = proxy.addr;
  const serving = answerAsProxy(proxy, seen);
  try {
    await using fixture = await makeFixture({
      block: declares("run.mjs", "  egress: ['api.example.org:80']\n"),
      files: {
        "run.mjs": `
const get = async (url) => { try { return await (await fetch(url)).text(); } catch (error) { return error.name; } };
const direct = await Deno.connect({ hostname: "127.0.0.1", port: ${port} }).then(() => "connected", (error) => error.name);
console.log(await get("http://api.example.org/"), await get("http://other.example.org/"), direct, process.env.HTTP_PROXY);`,
      },
      env: { HTTP_PROXY: `http://user:hunter2@127.0.0.1:${port}` },
    });
    const prepared = await prepare(fixture.planner);
    const { out, err } = await runBare(prepared);
    assert.equal(out, "proxied NotCapable NotCapable undefined\n", err);
    assert.deepEqual(seen, ["GET http://api.example.org/ HTTP/1.1"]);
    const words = JSON.stringify(prepared.plan);
    assert.ok(!words.includes("hunter2"), "no credentials in a Plan");
    assert.match(
      prepared.plan.notes.join("\n"),
      new RegExp(`proxy 127\\.0\\.0\\.1:${port}`),
    );
  } finally {
    proxy.close();
    await serving;
  }
});

async function answerAsProxy(
  listener: Deno.Listener,
  seen: string[],
): Promise<void> {
  for await (const connection of listener) {
    const buffer = new Uint8Array(4096);
    const length = await connection.read(buffer) ?? 0;
    seen.push(
      new TextDecoder().decode(buffer.subarray(0, length)).split("\r\n")[0]!,
    );
    await connection.write(
      new TextEncoder().encode(
        "HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nproxied",
      ),
    );
    connection.close();
  }
}

Deno.test({
  name:
    "the flags: a script runs under a small RLIMIT_DATA, and would not without lite mode",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using fixture = await makeFixture({
      files: { "run.mjs": `import "node:fs"; console.log("small");` },
    });
    const prefix = ["prlimit", "--data=268435456"];
    const small = fixture.again({
      deps: {
        hardLimits: () =>
          Promise.resolve({ ...NO_HARD_LIMITS, dataBytes: 268_435_456 }),
      },
    });
    const plan = await prepare(small);
    const ran = await runBare(plan, { prefix });
    assert.equal(ran.out, "small\n", ran.err);
    assert.match(plan.plan.notes.join("\n"), /96 MiB of heap/);
    const full = await runBare(await prepare(fixture.planner), { prefix });
    assert.equal(full.out, "");
  },
});
