/** Scripts that reach hosts, through the product and the proxy of their run. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ONLY_REQUESTS } from "../../src/proxy/reasons.ts";
import type { Host } from "../proxy/support.ts";
import { startHost } from "../proxy/support.ts";
import { needs } from "../support/kernel.ts";
import { type Fence, openFence } from "../support/fenced.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const VALUE = "the-value-of-the-key-1f9c";
const CA = fileURLToPath(
  new URL("../proxy/certificates/ca.pem", import.meta.url),
);

/** Answers with the head of the request, as `echo` services do. */
function echo(): Host {
  return startHost(({ head }) => {
    const body = `seen: ${head}`;
    return `HTTP/1.1 200 OK\r\nx-echo: ${
      /authorization: (.*)/i.exec(head)?.[1] ?? "none"
    }\r\ncontent-length: ${
      new TextEncoder().encode(body).length
    }\r\n\r\n${body}`;
  });
}

/** Clients of each kind, asking for the URL that they are handed. */
const SCRIPT = `
import https from "node:https";
import process from "node:process";
const [url] = process.argv.slice(2);
const headers = { authorization: "Bearer " + process.env.KEY };
const said = { key: process.env.KEY };
const attempt = async (name, act) => {
  try { said[name] = await act(); } catch (error) { said[name] = "failed: " + error.message; }
};
await attempt("fetch", async () => {
  const answer = await fetch(url, { headers });
  return answer.status + " " + answer.headers.get("x-echo") + " " + await answer.text();
});
await attempt("https", () => new Promise((resolve, reject) => {
  https.get(url, { headers, rejectUnauthorized: false }, (answer) => {
    let text = "";
    answer.on("data", (chunk) => text += chunk).on("end", () => resolve(answer.statusCode + " " + text));
  }).on("error", reject);
}));
await attempt("elsewhere", async () => (await fetch("https://undeclared.example.test/")).status);
console.log(JSON.stringify(said));
`;

function declared(
  port: number,
  sockets = false,
  other = port,
): Promise<Tree> {
  return makeTree({
    "root/hostile/SKILL.md": `---
description: d
mcp-host:
  version: 1
  egress: ["localhost:${port}", "localhost:${other}"]
  env:
    - { name: KEY, secret: true, hosts: ["localhost:${port}"] }
  run:
    - { script: a.mjs, interpreter: node, env: [KEY], sockets: ${sockets} }
---
`,
    "root/hostile/a.mjs": SCRIPT,
  });
}

function fenceOver(
  tree: Tree,
  port: number,
  mode: string,
  row: Record<string, unknown> = {},
): Fence {
  return openFence({
    root: tree.path("root"),
    grant: [{
      skill: "hostile",
      script: "a.mjs",
      env: ["KEY"],
      egress: [`localhost:${port}`],
      ...row,
    }],
    env: { SKILLFENCE_OS_FENCE: mode, KEY: VALUE, SSL_CERT_FILE: CA },
  });
}

for (
  const [mode, need] of [
    ["bwrap", ["bwrap", "userns"]],
    ["bwrap+worker", ["bwrap", "userns"]],
    ["landlock", ["landlock", "seccomp"]],
  ] as const
) {
  Deno.test({
    name:
      `egress (${mode}): the proxy puts the value in, and the script never has it`,
    ...needs(...need),
    async fn() {
      await using host = echo();
      await using tree = await declared(host.port);
      using fence = fenceOver(tree, host.port, mode);
      const prepared = await fence.prepare("a.mjs", {
        args: [`https://localhost:${host.port}/x`],
      });
      assert.ok(prepared.ok, JSON.stringify(prepared));
      const { plan } = prepared.value;
      assert.equal(plan.confinement.network, "proxy");
      assert.deepEqual(plan.env.held.map(({ name }) => name), ["KEY"]);
      assert.doesNotMatch(JSON.stringify(plan), new RegExp(VALUE));
      const { stdout, stderr, result } = await fence.run("a.mjs", {
        args: [`https://localhost:${host.port}/x`],
      });
      assert.equal(result.exitCode, 0, stderr);
      assert.doesNotMatch(stdout + stderr, new RegExp(VALUE));
      const said = JSON.parse(stdout);
      // What the host got over TLS from the proxy holds the value …
      assert.match(host.seen[0]!.head, new RegExp(`Bearer ${VALUE}`));
      // … and what the script got back, in header and body, does not.
      assert.match(said.fetch, /^200 Bearer /);
      assert.ok(said.fetch.includes(said.key));
      assert.match(said.elsewhere, /failed: Requires net access/);
      if (mode === "landlock") {
        assert.match(said.https, /sockets: true/);
      } else {
        // What a tunnel brings back could not be searched for the value.
        assert.match(result.hints.join("\n"), /only fetch reaches it/);
        assert.match(said.https, /^failed: /);
      }
      assert.equal(host.seen.length, 1);
      const reached = result.evidence.net.filter(({ verdict }) =>
        verdict === "allowed"
      );
      assert.ok(reached.every(({ what }) => what === `localhost:${host.port}`));
      assert.ok(reached.some(({ bytesIn }) => (bytesIn ?? 0) > 0));
      const denied = result.evidence.net.filter(({ verdict }) =>
        verdict === "denied"
      );
      const closed = { what: `localhost:${host.port}`, reason: ONLY_REQUESTS };
      assert.deepEqual(
        denied.map(({ what, reason }) => ({ what, reason })),
        [
          ...(mode === "landlock" ? [] : [closed]),
          { what: "undeclared.example.test:443", reason: undefined },
        ],
      );
      assert.doesNotMatch(JSON.stringify(result.evidence), new RegExp(VALUE));
    },
  });
}

for (const mode of ["bwrap", "bwrap+worker"] as const) {
  Deno.test({
    name:
      `egress (${mode}): node:https reaches a host that no held secret is meant for`,
    ...needs("bwrap", "userns"),
    async fn() {
      await using host = echo();
      await using other = echo();
      await using tree = await declared(host.port, false, other.port);
      using fence = fenceOver(tree, host.port, mode, {
        egress: [`localhost:${host.port}`, `localhost:${other.port}`],
      });
      const { stdout, result } = await fence.run("a.mjs", {
        args: [`https://localhost:${other.port}/x`],
      });
      const said = JSON.parse(stdout);
      assert.match(said.https, /^200 /);
      // By fetch and by a tunnel: all that it sends is the placeholder.
      assert.equal(other.seen.length, 2);
      for (const { head } of other.seen) {
        assert.ok(head.includes(said.key));
        assert.doesNotMatch(head, new RegExp(VALUE));
      }
      assert.ok(
        result.evidence.blind.some((text) => /through a tunnel/.test(text)),
        result.evidence.blind.join("\n"),
      );
    },
  });
}

Deno.test({
  name:
    "egress: a held secret is refused where no proxy is in force, unless the row says plain",
  ...needs("bwrap", "userns"),
  async fn() {
    await using host = echo();
    await using tree = await declared(host.port, true);
    const plain = { env: [{ name: "KEY", plain: true }] };
    for (
      const [mode, row] of [["off", {}], ["bwrap", { sockets: true }]] as const
    ) {
      using fence = fenceOver(tree, host.port, mode, row);
      const refused = await fence.prepare("a.mjs");
      assert.ok(!refused.ok);
      assert.equal(refused.code, "SECRET_NEEDS_PROXY", mode);
      using open = fenceOver(tree, host.port, mode, { ...row, ...plain });
      const planned = await open.prepare("a.mjs");
      assert.ok(planned.ok, JSON.stringify(planned));
      assert.equal(planned.value.plan.confinement.network, "open");
      assert.ok(planned.value.plan.notes.some((note) => /as it is/.test(note)));
    }
  },
});

Deno.test({
  name:
    "egress: sockets that the owner grants share the network, and the Plan says so",
  ...needs("bwrap", "userns"),
  async fn() {
    await using host = echo();
    await using tree = await declared(host.port, true);
    const plain = { env: [{ name: "KEY", plain: true }], sockets: true };
    using fence = fenceOver(tree, host.port, "bwrap", plain);
    const { stdout, result } = await fence.run("a.mjs", {
      args: [`https://localhost:${host.port}/x`],
    });
    const said = JSON.parse(stdout);
    assert.equal(said.key, VALUE);
    assert.match(said.https, /^200 /);
    assert.match(said.elsewhere, /failed: Requires net access/);
    assert.ok(result.evidence.blind.some((text) => /not counted/.test(text)));
    using narrow = fenceOver(tree, host.port, "bwrap");
    const planned = await narrow.prepare("a.mjs");
    assert.ok(planned.ok);
    assert.equal(planned.value.plan.confinement.network, "proxy");
    assert.ok(
      planned.value.plan.notes.some((note) => /asks for `sockets`/.test(note)),
    );
  },
});

Deno.test({
  name:
    "redaction: SKILLFENCE_REDACT replaces a secret's value that a script prints",
  async fn() {
    await using tree = await makeTree({
      "root/hostile/SKILL.md":
        "---\ndescription: d\nmcp-host:\n  version: 1\n  env:\n    - { name: KEY, secret: true }\n  run:\n    - { script: a.mjs, interpreter: node, env: [KEY] }\n---\n",
      "root/hostile/a.mjs":
        `process.stdout.write("it is " + process.env.KEY + ".");
         process.stderr.write(process.env.KEY.slice(0, 9));
         setTimeout(() => process.stderr.write(process.env.KEY.slice(9) + "!"), 50);`,
    });
    const grant = [{ skill: "hostile", script: "a.mjs", env: ["KEY"] }];
    const run = async (redact: string) => {
      using fence = openFence({
        root: tree.path("root"),
        grant,
        env: { KEY: VALUE, SKILLFENCE_REDACT: redact },
      });
      return await fence.run("a.mjs");
    };
    const shown = await run("0");
    assert.equal(shown.stdout, `it is ${VALUE}.`);
    const hidden = await run("1");
    assert.equal(hidden.stdout, "it is [KEY].");
    assert.equal(hidden.stderr, "[KEY]!");
    assert.doesNotMatch(JSON.stringify(hidden.result), new RegExp(VALUE));
  },
});

for (
  const [mode, need] of [
    ["bwrap", ["bwrap", "userns"]],
    ["landlock", ["landlock", "seccomp"]],
  ] as const
) {
  Deno.test({
    name:
      `egress (${mode}): a raw socket has no way out, and the hint names sockets: true`,
    ...needs(...need),
    async fn() {
      await using host = echo();
      await using tree = await declared(host.port);
      await tree.write({
        "root/hostile/a.mjs":
          `await Deno.connect({ hostname: "localhost", port: ${host.port} });
           console.log("connected");`,
      });
      using fence = fenceOver(tree, host.port, mode);
      const { stdout, result } = await fence.run("a.mjs");
      assert.equal(stdout, "");
      assert.equal(host.connections, 0);
      assert.notEqual(result.exitCode, 0);
      assert.match(result.hints.join("\n"), /`sockets: true`/);
    },
  });
}
