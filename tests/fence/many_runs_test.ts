import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";

const PROGRAM = fileURLToPath(new URL("many_runs_program.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const RUNS = 1_000;

Deno.test({
  name:
    "Runner: 1,000 runs leave no process, zombie, descriptor, mount or directory, as process 1 too",
  ...needs("bwrap", "userns"),
  async fn() {
    await using tree = await makeTree({
      "root/hostile/SKILL.md":
        "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
      "root/hostile/a.mjs":
        `if (Deno.args[0] === "wait") setInterval(() => {}, 1000);
         if (Deno.args[0] === "fail") Deno.exit(3);`,
      tmp: { dir: true },
    });
    // A space of its own for processes, in which the program is the first.
    const user = Deno.uid() === 0 ? [] : ["--user", "--map-root-user"];
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        ...user,
        ...["--pid", "--fork", "--mount-proc", "--kill-child"],
        ...[Deno.execPath(), "run", "-A", "--config", CONFIG, PROGRAM],
        ...[tree.path("root"), tree.path("tmp"), String(RUNS)],
      ],
      env: { TMPDIR: tree.path("tmp") },
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stdout);
    assert.notEqual(said, "", new TextDecoder().decode(stderr));
    const { pid, before, after, failures } = JSON.parse(said);
    assert.equal(pid, 1);
    assert.deepEqual(failures, []);
    assert.deepEqual(after, { ...before, processes: 0, zombies: 0 });
    // What outputs are kept in is the server's until its end.
    assert.ok(after.temporary <= 1, JSON.stringify(after));
  },
});
