import assert from "node:assert/strict";
import { ScratchKeeper } from "../../src/fence/disk/scratch.ts";
import { makeReachable } from "../os/reachable.ts";
import { type Need, needs } from "../support/kernel.ts";

const GROUND = new URL("../../src/fence/fence_ground.ts", import.meta.url).href;
const CACHE = new URL("../../src/fence/cache_dir.ts", import.meta.url).href;

/** What each layer's probe gets as far as its directory with. */
const LAYERS: Readonly<Record<"bwrap" | "landlock", readonly Need[]>> = {
  bwrap: ["bwrap", "userns", "seccomp"],
  landlock: ["landlock", "seccomp"],
};

for (const layer of ["bwrap", "landlock"] as const) {
  Deno.test({
    name:
      `FenceGround: the directory of a ${layer} probe whose server is killed goes with the next server's sweep`,
    ...needs(...LAYERS[layer]),
    async fn() {
      await using place = await makeReachable({ tmp: { dir: true } });
      const { tree } = place;
      const tmpDir = tree.path("tmp");
      await Deno.chmod(tmpDir, 0o755);
      await tree.write({ "server.ts": server(layer, tmpDir, place.runtime) });
      const { signal } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-config", tree.path("server.ts")],
        stderr: "inherit",
      }).output();
      assert.equal(signal, "SIGKILL");
      const left = () => [...Deno.readDirSync(tmpDir)].length;
      assert.equal(left(), 1);
      assert.equal(await new ScratchKeeper(tmpDir).sweep(), 1);
      assert.equal(left(), 0);
    },
  });
}

/** A server that is killed as soon as the probe has made its directory. */
function server(layer: string, tmpDir: string, runtime: string): string {
  return `
    import { FenceGround } from ${JSON.stringify(GROUND)};
    import { CacheDir } from ${JSON.stringify(CACHE)};
    const make = Deno.makeTempDirSync;
    Deno.makeTempDirSync = (options) => {
      const dir = make(options);
      Deno.kill(Deno.pid, "SIGKILL");
      return dir;
    };
    const tmpDir = ${JSON.stringify(tmpDir)};
    const env = (name) => name === "PATH" ? Deno.env.get(name) : undefined;
    const ground = new FenceGround({
      config: { uid: undefined, osFence: ${JSON.stringify(layer)}, env },
      runtime: {},
      cache: new CacheDir({ explicit: tmpDir + "/../cache", env, tmpDir }),
      tmpDir,
    });
    console.log(JSON.stringify(await ground.os(${JSON.stringify(runtime)})));
  `;
}
