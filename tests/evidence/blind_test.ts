/** What a record cannot show: a real script of each kind, unseen and said. */

import assert from "node:assert/strict";
import { evidenceOf } from "../../src/evidence/evidence.ts";
import type { Contact } from "../../src/proxy/types.ts";
import { claimed, noted, NOTING, stage } from "./support.ts";

function says(blind: readonly string[], words: RegExp): boolean {
  return blind.some((sentence) => words.test(sentence));
}

Deno.test("blindSpots: a file imported by a literal name, as the process's main module", async () => {
  const code = `
    import text from "../outside/secret.txt" with { type: "text" };
    import "../outside/out.mjs";
    console.log(text);`;
  const { evidence, stdout } = await stage(code, { direct: true });
  assert.equal(stdout, "OUT RAN\nsecret\n");
  assert.deepEqual(claimed(evidence), []);
  assert.ok(says(evidence.blind, /imports by a literal name/));
  const inWorker = await stage(code, { direct: false });
  assert.equal(inWorker.stdout, "");
  assert.deepEqual(claimed(inWorker.evidence), [
    "read <tree>/outside/out.mjs denied",
    "read <tree>/outside/secret.txt denied",
  ]);
  assert.ok(!says(inWorker.evidence.blind, /literal name/));
});

Deno.test("blindSpots: process.env in a worker is a copy", async () => {
  const code = `console.log(process.env.GRANTED, process.env.NOT_GRANTED);`;
  const staging = { env: { GRANTED: "granted-value" } };
  const inWorker = await stage(code, { ...staging, direct: false });
  assert.equal(inWorker.stdout, "granted-value undefined\n");
  assert.deepEqual(claimed(inWorker.evidence), []);
  assert.ok(says(inWorker.evidence.blind, /process\.env/));
  const direct = await stage(code, { ...staging, direct: true });
  assert.deepEqual(claimed(direct.evidence), [
    "env GRANTED allowed",
    "env NOT_GRANTED denied",
  ]);
  assert.ok(!says(direct.evidence.blind, /process\.env/));
});

for (const direct of [false, true]) {
  const realm = direct ? "main module" : "worker";

  Deno.test(`blindSpots: starting and signalling programs (${realm})`, async () => {
    const { evidence, stdout } = await stage(
      `
      import { spawnSync } from "node:child_process";
      const met = [];
      for (const act of [
        () => new Deno.Command("/bin/ls").outputSync(),
        () => Deno.kill(Deno.ppid, "SIGCONT"),
        () => { if (spawnSync("/bin/ls").status === 0) met.push("ran"); },
      ]) {
        try { act(); } catch (error) { met.push(error.name); }
      }
      console.log(met.join());`,
      { direct },
    );
    assert.equal(stdout, "NotCapable,NotCapable\n");
    assert.deepEqual(evidence.run, []);
    assert.ok(says(evidence.blind, /start a program/));
  });

  Deno.test(`blindSpots: a granted name that leads to a denied address (${realm})`, async () => {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response("hello"),
    );
    try {
      const { port } = server.addr;
      const { evidence, stdout } = await stage(
        `${NOTING}
        await tried("net", "localhost:${port}", () => fetch("http://localhost:${port}/"));
        end();`,
        { direct, hosts: [`localhost:${port}`] },
      );
      assert.deepEqual(noted(stdout), [`net localhost:${port} denied`]);
      assert.deepEqual(claimed(evidence), [`net localhost:${port} allowed`]);
      assert.ok(says(evidence.blind, /denied address stands as allowed/));
      assert.ok(says(evidence.blind, /bytes are not counted/));
    } finally {
      await server.shutdown();
    }
  });

  Deno.test({
    name: `blindSpots: what comes after the record is full (${realm})`,
    // Elsewhere a process has no bound on its files.
    ignore: Deno.build.os !== "linux",
    async fn() {
      const kib = 64;
      const { evidence, stdout, exitCode } = await stage(
        `
        const long = "/" + "x".repeat(1000);
        for (let i = 0; i < 200; i++) try { Deno.statSync(long); } catch {}
        try { Deno.readTextFileSync("/etc/passwd"); } catch (error) { console.log(error.name); }
        console.log(Deno.readTextFileSync("own.txt"));`,
        {
          direct,
          // With the signal ignored, writing beyond the bound only fails.
          before: `trap '' XFSZ; ulimit -f ${2 * kib};`,
          fileLimit: 1024 * kib,
        },
      );
      assert.equal(exitCode, 0);
      assert.equal(stdout, "NotCapable\nown\n");
      assert.deepEqual(claimed(evidence).map((line) => line.slice(0, 8)), [
        "read /xx",
      ]);
      assert.ok(says(evidence.blind, /record was full/));
    },
  });

  Deno.test(`blindSpots: a relative path after a change of directory (${realm})`, async () => {
    const { evidence, stdout } = await stage(
      `
      Deno.chdir(Deno.env.get("TMPDIR"));
      Deno.writeTextFileSync("kept.txt", "written");
      console.log(Deno.readTextFileSync("kept.txt"));`,
      { direct },
    );
    assert.equal(stdout, "written\n");
    assert.ok(claimed(evidence).includes("write kept.txt denied"));
    assert.ok(says(evidence.blind, /Relative paths/));
    const still = await stage(`Deno.readTextFileSync("own.txt");`, { direct });
    assert.ok(!says(still.evidence.blind, /Relative paths/));
  });
}

Deno.test("blindSpots: bytes inside a tunnel, and no such words without one", async () => {
  const { input } = await stage("", { direct: false });
  const contact: Contact = {
    host: "api.example.com",
    port: 443,
    via: "tunnel",
    verdict: "allowed",
    reason: undefined,
    times: 1,
    bytesOut: 10,
    bytesIn: 20,
  };
  const blind = (via: Contact["via"]) =>
    evidenceOf({
      ...input,
      network: "proxy",
      proxy: { contacts: [{ ...contact, via }], more: 0 },
    }).blind;
  assert.ok(says(blind("tunnel"), /tunnel is counted, not looked at/));
  assert.ok(!says(blind("request"), /tunnel/));
});

Deno.test("blindSpots: no record at all", async () => {
  const { input } = await stage("", { direct: false });
  const record = { ...input.record, missing: true, unreadable: 3 };
  const { blind } = evidenceOf({ ...input, record });
  assert.ok(says(blind, /could not be read: only what the proxy saw/));
  assert.ok(says(blind, /^3 lines/));
});
