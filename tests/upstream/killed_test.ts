/** What becomes of declared servers when their server is killed. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { until } from "../support/until.ts";
import { holding } from "./living.ts";
import { HELD } from "./scene.ts";

const PROGRAM = fileURLToPath(new URL("./killed_program.ts", import.meta.url));

for (const { mode, need } of HELD) {
  Deno.test({
    name:
      `UpstreamDoor (${mode}): a server that is killed leaves no declared server behind`,
    ...need(),
    async fn() {
      const mark = `killed-${crypto.randomUUID()}`;
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-prompt", "--no-check"],
          ...[PROGRAM, mode, mark],
        ],
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      const root = new TextDecoder().decode(value).trim();
      try {
        assert.match(root, /^\//);
        assert.notDeepEqual(holding(mark), []);
        child.kill("SIGKILL");
        await child.status;
        await until(() => holding(mark).length === 0);
      } finally {
        await reader.cancel();
        await Deno.remove(root, { recursive: true });
      }
    },
  });
}
