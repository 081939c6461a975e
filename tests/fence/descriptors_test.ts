import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";

const DESCRIPTORS = import.meta.resolve("../../src/fence/descriptors.ts");
const SPAWN = import.meta.resolve("../../src/fence/run/spawn.ts");
const CLOCK = import.meta.resolve("../../src/fence/clock.ts");

/** A stand-in of the server: marks descriptors, or not, and starts a child. */
function server(mark: boolean): string {
  return `
    import { keepDescriptorsFromChildren } from ${JSON.stringify(DESCRIPTORS)};
    import { Spawner } from ${JSON.stringify(SPAWN)};
    import { systemClock } from ${JSON.stringify(CLOCK)};
    if (${mark}) console.error(keepDescriptorsFromChildren().closed);
    const ended = await new Spawner(systemClock).run({
      path: "/bin/sh",
      args: ["-c", "cat <&7"],
      cwd: "/", env: {}, stdin: new Uint8Array(0), timeoutMs: 10000,
      outputBytes: 1000, limits: {},
    });
    console.log(new TextDecoder().decode(ended.value.stdout.head));
  `;
}

async function startWithSeven(
  mark: boolean,
): Promise<{ out: string; err: string }> {
  await using tree = await makeTree({
    "secret.txt": "the server's own",
    "server.ts": server(mark),
  });
  const { stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: [
      "-c",
      'exec "$@" 7<secret.txt',
      "x",
      Deno.execPath(),
      "run",
      "-A",
      "--no-config",
      "server.ts",
    ],
    cwd: tree.root,
  }).output();
  const decoder = new TextDecoder();
  return { out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test({
  name:
    "keepDescriptorsFromChildren: an inherited descriptor 7 reaches no child",
  ...linux,
  async fn() {
    const { out, err } = await startWithSeven(true);
    assert.match(err, /true/);
    assert.equal(out.trim(), "");
  },
});

Deno.test({
  name:
    "keepDescriptorsFromChildren: the control, without it descriptor 7 does",
  ...linux,
  async fn() {
    const { out } = await startWithSeven(false);
    assert.equal(out.trim(), "the server's own");
  },
});
