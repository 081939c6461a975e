/** Three replicas behind nginx, with deploy/nginx.conf as it is shipped. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { processTest } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { modernBody, modernHeaders, readAnswer } from "./raw.ts";
import { connectHttp, type HttpServer, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const NGINX = "/usr/sbin/nginx";
const TOKEN = "a-token-for-tests-of-32-characters-or-more";
const CLIENTS = 200;
const READS = 5;
const SKILLS = 40;
const LONGEST_MS = 10_000;

/** The shipped configuration, with addresses and files of this test. */
async function configuration(
  tree: Tree,
  port: number,
  replicas: readonly HttpServer[],
): Promise<string> {
  let text = await Deno.readTextFile(
    join(import.meta.dirname!, "../../deploy/nginx.conf"),
  );
  replicas.forEach((replica, i) => {
    text = text.replaceAll(`10.0.0.${i + 1}:8787`, `127.0.0.1:${replica.port}`);
  });
  assert.ok(!text.includes("10.0.0."));
  const at = (name: string) => tree.path("nginx", name);
  text = text.replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*\n/gm, "")
    .replace(
      "http {",
      `http {\n  access_log off;\n${
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
          `  ${name}_temp_path ${at(name)};\n`
        ).join("")
      }`,
    );
  return `daemon off;\nmaster_process off;\npid ${at("pid")};\nerror_log ${
    at("error.log")
  };\n${text}`;
}

/** nginx on a free port. */
async function startNginx(tree: Tree, replicas: readonly HttpServer[]) {
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  await tree.write({
    "nginx/nginx.conf": await configuration(tree, port, replicas),
  });
  const child = new Deno.Command(NGINX, {
    args: [
      "-p",
      tree.path("nginx"),
      "-c",
      tree.path("nginx/nginx.conf"),
      "-e",
      "stderr",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => {
    try {
      const response = await fetch(origin);
      await response.body?.cancel();
      return true;
    } catch {
      return false;
    }
  });
  return {
    origin,
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Skills whose text tells them apart, and one whose script leaves a mark. */
function entries() {
  const all: Record<string, string | { dir: true }> = {
    "data": { dir: true },
    "cache": { dir: true },
    "token": `${TOKEN}\n`,
    "key": "k".repeat(32),
    "s/runs/SKILL.md":
      "---\nname: runs\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: mark.mjs\n      interpreter: node\n      timeout: 60\n---\n",
    "s/runs/mark.mjs":
      "import fs from 'node:fs'; fs.appendFileSync(process.env.MCP_DATA_DIR + '/marks', 'ran\\n'); await new Promise((r) => setTimeout(r, Number(process.argv[2] ?? 0)));\n",
  };
  for (let i = 0; i < SKILLS; i++) {
    all[`s/n${i}/SKILL.md`] =
      `---\nname: n${i}\ndescription: number ${i}\n---\nThe text of number ${i}.\n`;
  }
  return all;
}

async function startReplicas(
  count: number,
  env: (tree: Tree) => Record<string, string> = () => ({}),
) {
  const stack = new AsyncDisposableStack();
  const tree = stack.use(await makeTree(entries()));
  await Deno.chmod(tree.path("token"), 0o600);
  await Deno.chmod(tree.path("key"), 0o600);
  await Deno.chmod(tree.path("data"), 0o755);
  await Deno.chmod(tree.path("cache"), 0o700);
  const replicas = await Promise.all(
    Array.from({ length: count }, async () =>
      stack.use(
        await startHttp({
          skills: tree.path("s"),
          // As in containers: a Plan names the same places on each.
          cacheDir: tree.path("cache"),
          args: ["--allow-run"],
          env: {
            SKILLFENCE_TOKEN_FILE: tree.path("token"),
            MCP_SKILL_RUN: JSON.stringify([{
              skill: "runs",
              script: "mark.mjs",
            }]),
            MCP_DATA_DIR: tree.path("data"),
            ...env(tree),
          },
        }),
      )),
  );
  await Promise.all(replicas.map((replica) =>
    until(async () => {
      const response = await replica.fetch("/readyz");
      await response.body?.cancel();
      return response.ok;
    })
  ));
  return Object.assign(stack, { tree, replicas });
}

/** Lines that runs have left, over all skills' data. */
async function marks(tree: Tree): Promise<number> {
  let lines = 0;
  for await (const { name } of Deno.readDir(tree.path("data"))) {
    const text = await Deno.readTextFile(tree.path("data", name, "marks"))
      .catch(() => "");
    lines += text.split("\n").length - 1;
  }
  return lines;
}

async function underWay(replica: HttpServer): Promise<number> {
  const page = await (await replica.fetch("/metrics")).text();
  return Number(/^skillfence_requests_under_way (\d+)$/m.exec(page)![1]);
}

Deno.test({
  name:
    "http replicas: three behind nginx, 200 clients, one killed: every read has exactly one right answer within 10 s, and the run on it ran at most once and is answered with an error",
  ...needs("nginx"),
  ...processTest,
  async fn() {
    await using scene = await startReplicas(3);
    const { tree, replicas } = scene;
    await using nginx = await startNginx(tree, replicas);
    const body = modernBody("tools/call", {
      name: "skill_run",
      arguments: {
        name: "runs",
        script: "mark.mjs",
        args: ["30000"],
        confirm: true,
      },
    });
    const running = fetch(`${nginx.origin}/mcp`, {
      method: "POST",
      headers: {
        ...modernHeaders("tools/call", "skill_run"),
        authorization: `Bearer ${TOKEN}`,
      },
      body,
    }).then(async (response) => ({
      status: response.status,
      text: await response.text(),
    })).catch((error: unknown) => ({ status: 0, text: String(error) }));
    await until(async () => await marks(tree) === 1);
    const counts = await Promise.all(replicas.map(underWay));
    const victim = replicas[counts.indexOf(1)];
    assert.ok(victim !== undefined, `one has a run: ${counts}`);

    let done = 0;
    let slowest = 0;
    const client = async (n: number): Promise<void> => {
      await using connected = await connectHttp("v2", {
        origin: nginx.origin,
        token: TOKEN,
      });
      for (let i = 0; i < READS; i++) {
        const number = (n + i) % SKILLS;
        const start = performance.now();
        const { content } = await connected.request("tools/call", {
          name: "skill_load",
          arguments: { name: `n${number}` },
        });
        slowest = Math.max(slowest, performance.now() - start);
        assert.match(
          content[0].text,
          new RegExp(`The text of number ${number}\\.`),
        );
        done += 1;
        if (done === CLIENTS * READS / 4) victim.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    assert.equal(done, CLIENTS * READS);
    assert.ok(slowest <= LONGEST_MS, `${slowest} ms`);
    await victim.status;

    const { status, text } = await running;
    assert.ok(
      status === 502 || status === 504 || status === 0,
      `${status} ${text}`,
    );
    assert.equal(await marks(tree), 1);
  },
});

Deno.test({
  name:
    "http replicas: behind nginx a 2025 session stays on one replica and hears of changes, and nothing but /mcp is passed on",
  ...needs("nginx"),
  ...processTest,
  async fn() {
    await using scene = await startReplicas(3);
    const { tree, replicas } = scene;
    await using nginx = await startNginx(tree, replicas);
    const { origin } = nginx;
    for (const line of ["v1", "v2-legacy"] as const) {
      await using client = await connectHttp(line, { origin, token: TOKEN });
      let lists = 0;
      client.onNotification(
        "notifications/resources/list_changed",
        () => lists += 1,
      );
      for (let i = 0; i < 10; i++) {
        const { content } = await client.request("tools/call", {
          name: "skill_load",
          arguments: { name: `n${i}` },
        });
        assert.match(content[0].text, new RegExp(`The text of number ${i}\\.`));
      }
      await tree.write({
        [`s/new-${line}/SKILL.md`]: "---\nname: new\ndescription: d\n---\n",
      });
      await until(() => lists > 0);
    }
    for (const path of ["/metrics", "/healthz", "/mcp-read", "/", "/mcp/x"]) {
      const response = await fetch(`${origin}${path}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      await response.body?.cancel();
      assert.equal(response.status, 404, path);
    }
  },
});

Deno.test({
  name:
    "http replicas: with a shared key a preview of one is confirmed at another, once at each",
  ...processTest,
  async fn() {
    await using scene = await startReplicas(2, (tree) => ({
      SKILLFENCE_CONFIRM: "plan",
      SKILLFENCE_PLAN_KEY_FILE: tree.path("key"),
    }));
    const [one, two] = scene.replicas;
    await using first = await connectHttp("v2", one!);
    await using second = await connectHttp("v2", two!);
    const run = { name: "runs", script: "mark.mjs" };
    const ask = async (client: typeof first, name: string, args: object) =>
      (await client.request("tools/call", { name, arguments: args }))
        .structuredContent;
    const { plan } = await ask(first, "skill_preview", run);
    assert.match(
      plan.digest,
      /^sha256:[0-9a-f]{64}\.\d+\.[\w-]{22}\.[\w-]{43}$/,
    );
    const confirmed = { ...run, confirm: true, planDigest: plan.digest };
    const ran = await ask(second, "skill_run", confirmed);
    assert.equal(ran.status, "done", JSON.stringify(ran));
    assert.equal(
      (await ask(second, "skill_run", confirmed)).code,
      "CONFIRM_PLAN",
    );
    const forged = plan.digest.replace(/.{4}$/, "AAAA");
    assert.equal(
      (await ask(second, "skill_run", { ...confirmed, planDigest: forged }))
        .code,
      "CONFIRM_PLAN",
    );
    const plain = plan.digest.slice(0, 71);
    assert.equal(
      (await ask(first, "skill_run", { ...confirmed, planDigest: plain })).code,
      "CONFIRM_PLAN",
    );
    assert.equal(await marks(scene.tree), 1);
  },
});

Deno.test({
  name:
    "http replicas: nginx as it is shipped ends a head and a body that do not come, without asking a replica",
  ...needs("nginx"),
  ...processTest,
  async fn() {
    await using scene = await startReplicas(3);
    const { replicas } = scene;
    await using nginx = await startNginx(scene.tree, replicas);
    const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
    const slow = async (text: string, drip: string) => {
      using connection = await Deno.connect({
        hostname: "127.0.0.1",
        port: nginx.port,
      });
      const encoder = new TextEncoder();
      await connection.write(encoder.encode(text));
      // Of a head, a byte now and then does not buy time.
      const dripping = setInterval(() => {
        connection.write(encoder.encode(drip)).catch(() => {});
      }, 500);
      const { status } = await readAnswer(connection, 30_000);
      clearInterval(dripping);
      // Ended: with 408 or without a word, but never left open.
      const rest = await Promise.race([
        connection.read(new Uint8Array(1)).catch(() => null),
        new Promise((resolve) => setTimeout(() => resolve("open"), 5_000)),
      ]);
      return { status, rest };
    };
    const ended = await Promise.all([
      slow(head, "X"),
      slow(
        `${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
        "",
      ),
    ]);
    for (const { status, rest } of ended) {
      assert.ok(status === undefined || status === 408, String(status));
      assert.equal(rest, null);
    }
    for (const replica of replicas) {
      const page = await (await replica.fetch("/metrics")).text();
      assert.match(page, /^skillfence_requests_under_way 0$/m);
      assert.ok(!/turned_away_total\{status="(?:408|401)"/.test(page), page);
    }
  },
});
