/** What becomes of a script whose server is killed, where no layer ends it. */

import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { makeFixture, prepare } from "./plan_fixture.ts";
import { gone, pidIn, runs } from "./processes.ts";

const FILL_IN = import.meta.resolve("../../src/fence/run/fill_in.ts");

/**
 * A stand-in for a server: starts a Plan's command, tells its number and is
 * killed. The runtime waits until that has happened, or is not to happen.
 */
const SERVER = `
  import { fillIn } from ${JSON.stringify(FILL_IN)};
  const [plan, places, runtime, pid, ending] = Deno.args;
  const { flags, cwd } = JSON.parse(plan);
  const at = JSON.parse(places);
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", \`\${ending === "killed" ? "while kill -0 $PPID; do sleep 0.01; done 2>/dev/null;" : ""} exec "$@"\`,
      "x", runtime, ...fillIn(flags, 0, at)],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: at.scratch, TMPDIR: at.scratch, DENO_DIR: at.denodir },
    stdin: "null", stdout: "null", stderr: "null",
    detached: true,
  }).spawn();
  Deno.writeTextFileSync(pid, String(child.pid));
  if (ending === "killed") Deno.kill(Deno.pid, "SIGKILL");
  await child.status;
`;

/** Who adopts orphans here: its number. Under a desktop it need not be 1. */
async function adopter(): Promise<number> {
  const orphan = `i=0; while [ $i -lt 100 ]; do
    read -r _ _ _ n _ < /proc/$$/stat; [ "$n" = "$1" ] || break
    sleep 0.01; i=$((i + 1)); done; echo $n`;
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", '/bin/sh -c "$1" x $$ & exit 0', "x", orphan],
  }).output();
  return Number(new TextDecoder().decode(stdout));
}

for (const ending of ["killed", "living"] as const) {
  Deno.test({
    name: ending === "killed"
      ? "hostModuleUrl: a server that is killed before its script started leaves nothing running"
      : "hostModuleUrl: control: under a living server the same script starts, and ends with it",
    ignore: Deno.build.os !== "linux", // a killed parent is told by /proc
    async fn() {
      // Known not to hold elsewhere: see docs/fence.md.
      if (ending === "killed" && await adopter() !== 1) return;
      await using fixture = await makeFixture({
        files: {
          "run.mjs":
            `Deno.writeTextFileSync(Deno.env.get("TMPDIR") + "/started", "1"); setInterval(() => {}, 1e9);`,
        },
      });
      await using tree = await makeTree({
        "base/scratch/in": { dir: true },
        "base/denodir": { dir: true },
        "server.ts": SERVER,
      });
      const { plan } = await prepare(fixture.planner);
      const at = {
        base: tree.path("base"),
        scratch: tree.path("base", "scratch"),
        denodir: tree.path("base", "denodir"),
      };
      const server = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-config", tree.path("server.ts")],
          ...[JSON.stringify(plan), JSON.stringify(at), Deno.execPath()],
          ...[tree.path("pid"), ending],
        ],
        stderr: "inherit",
      }).spawn();
      const child = await pidIn(tree.path("pid"));
      const started = tree.path("base", "scratch", "started");
      try {
        if (ending === "living") {
          assert.equal(await pidIn(started), 1);
          server.kill("SIGKILL");
        }
        assert.equal((await server.status).signal, "SIGKILL");
        await gone(child);
        if (ending === "killed") {
          assert.throws(() => Deno.statSync(started), Deno.errors.NotFound);
        }
      } finally {
        if (runs(child)) Deno.kill(child, "SIGKILL");
        if (runs(server.pid)) server.kill("SIGKILL");
      }
    },
  });
}
