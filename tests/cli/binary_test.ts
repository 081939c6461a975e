/** The command line of the compiled executable, alone on a machine. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { CAN_BUILD_BINARY, ensureBinary } from "../../tools/build/binary.ts";
import metadata from "../../deno.json" with { type: "json" };
import { makeTree, type Tree } from "../support/tree.ts";
import { command, type Ended, HAS_TERMINAL, terminal } from "./command.ts";

const ROOT = join(import.meta.dirname!, "..", "..");

/** A home of its own, and no Deno and no Node on PATH. */
function bare(home: Tree): Record<string, string> {
  return { PATH: "/usr/sbin:/sbin", HOME: home.root };
}

async function skillfence(home: Tree, ...args: string[]): Promise<Ended> {
  const binary = await ensureBinary(ROOT);
  return await command(binary, args, { env: bare(home), cwd: "/" });
}

Deno.test({
  name:
    "binary: --version, list and a run of a bundled skill need nothing but the file",
  ignore: !CAN_BUILD_BINARY,
  async fn() {
    await using home = await makeTree();
    const version = await skillfence(home, "--version");
    assert.equal(version.stdout, `${metadata.version}\n`);
    const listed = JSON.parse(
      (await skillfence(home, "list", "--json")).stdout,
    );
    assert.equal(listed.skills.length, 4);
    // A root server puts them where the account of its scripts can read them.
    const places = Deno.uid() === 0 ? ["/var/cache/"] : [home.root];
    assert.ok(
      places.some((place) => listed.roots[0].startsWith(place)),
      listed.roots[0],
    );
    const run = await skillfence(
      home,
      "run",
      "fence-probe",
      "scripts/probe.mjs",
      "--confirm",
    );
    assert.equal(run.code, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /0 got through\n$/);
  },
});

Deno.test({
  name: "binary: doctor finds the carried runtime and a fence that holds",
  ignore: !CAN_BUILD_BINARY,
  async fn() {
    await using home = await makeTree();
    const { code, stdout } = await skillfence(home, "doctor", "--json");
    const report = JSON.parse(stdout);
    assert.equal(report.form, "executable");
    assert.equal(report.runtime.from, "carried");
    assert.ok(
      report.selfTest.every(({ passed }: { passed: boolean }) => passed),
      stdout,
    );
    assert.equal(code, 0);
  },
});

Deno.test({
  name: "binary: started by hand it shows itself in a client's configuration",
  ignore: !CAN_BUILD_BINARY || !HAS_TERMINAL,
  async fn() {
    await using home = await makeTree();
    const binary = await ensureBinary(ROOT);
    const { stdout } = await terminal([binary], {
      // `script` and `stty` have to be found.
      env: { ...bare(home), PATH: Deno.env.get("PATH") ?? "" },
      stdin: "\x04",
    });
    const snippet = /\{[\s\S]*\}/.exec(stdout.replaceAll("\r\n", "\n"))![0];
    assert.deepEqual(JSON.parse(snippet).mcpServers.skills, {
      command: binary,
      args: ["--skills", "/path/to/your/skills"],
      env: { MCP_SKILL_RUN: "[]" },
    });
  },
});
