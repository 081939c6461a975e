import assert from "node:assert/strict";
import { running } from "../fence/processes.ts";
import { makeTree } from "../support/tree.ts";
import { start } from "./command.ts";
import { until } from "../support/until.ts";

const DOCUMENT = `---
name: slow
description: For tests.
mcp-host:
  version: 1
  run:
    - { script: wait.mjs, interpreter: node, timeout: 60 }
---
`;
const SCRIPT = `
import process from "node:process";
import { writeFileSync, renameSync } from "node:fs";
const path = process.env.MCP_DATA_DIR + "/pid";
writeFileSync(path + ".new", String(process.pid));
renameSync(path + ".new", path);
setInterval(() => {}, 1000);
`;

for (const [signal, expected] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test({
    name:
      `run: ${signal} ends the script and removes its scratch; exit ${expected}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using tree = await makeTree({
        "skills/slow/SKILL.md": DOCUMENT,
        "skills/slow/wait.mjs": SCRIPT,
        tmp: { dir: true },
        data: { dir: true },
      });
      const child = start(["run", "slow", "wait.mjs", "--confirm"], {
        env: {
          SKILLS_DIR: tree.path("skills"),
          SKILLFENCE_DATA_DIR: tree.path("data"),
          TMPDIR: tree.path("tmp"),
        },
      });
      await child.stdin.close();
      await pidBelow(tree.path("data"));
      const script = tree.path("skills", "slow", "wait.mjs");
      assert.ok(Deno.build.os !== "linux" || running(script).length > 0);
      child.kill(signal);
      const killed = performance.now();
      const { code, stderr } = await child.output();
      const took = performance.now() - killed;
      assert.ok(
        took < 30_000,
        `the script was left to its timeout: ${took} ms`,
      );
      assert.equal(code, expected, new TextDecoder().decode(stderr));
      if (Deno.build.os === "linux") {
        await until(() => running(script).length === 0);
      }
      assert.deepEqual([...Deno.readDirSync(tree.path("tmp"))], []);
    },
  });
}

/** Waits, at most 30 s, for the pid that the script leaves in its data. */
async function pidBelow(data: string): Promise<number> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    for (const { name } of Deno.readDirSync(data)) {
      try {
        return Number(Deno.readTextFileSync(`${data}/${name}/pid`));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error("the script did not start");
}
