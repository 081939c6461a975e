/**
 * The server's own environment, sought by a declared server in every process
 * there is: by the account that tests run as, and by an ordinary user's server,
 * which a run of the tests as root tries as well.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { asRoot } from "../support/as_root.ts";
import { usersProject } from "./as_user.ts";
import { HELD } from "./scene.ts";

const SECRET = "secret-of-the-server-4712";
const OWN = { SECRET_OF_SERVER: SECRET };
const PROGRAM = "environ_program.ts";

interface Said {
  /** Where the secret was read. */
  readonly found: readonly string[];
  /** It read its own environment: there is a procfs. */
  readonly own: boolean;
  /** What the server itself could still read of itself. */
  readonly here: Readonly<Record<string, boolean>>;
}

/** The program is told what is sought, so command lines are no find. */
function finds({ found }: Said): string[] {
  return found.filter((place) => !place.endsWith("cmdline"));
}

/** The server still works: it reads what it needs, and scripts run. */
function assertWorks({ here }: Said): void {
  const { limits, descriptors, runs } = here;
  assert.deepEqual([limits, descriptors, runs], [true, true, true]);
}

function programArgs(mode: string): string[] {
  return [mode, mode === "off" ? "unfenced" : "", SECRET];
}

for (const { mode, need } of HELD) {
  Deno.test({
    name:
      `environment of the server (${mode}): no declared server reads it anywhere`,
    ...need(),
    async fn() {
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-prompt", "--no-check"],
          fileURLToPath(new URL(PROGRAM, import.meta.url)),
          ...programArgs(mode),
        ],
        env: OWN,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.match(text, /^\{/, text + new TextDecoder().decode(stderr));
      const said: Said = JSON.parse(text);
      assert.deepEqual(finds(said), []);
      // The control: it read its own, where there is a /proc.
      if (mode === "off") assert.equal(said.own, true);
      assertWorks(said);
    },
  });
}

Deno.test({
  name:
    "environment of the server: no declared server of an ordinary user's reads it, in any mode",
  ...asRoot,
  async fn() {
    await using project = await usersProject();
    for (const { mode, need } of HELD) {
      if (need().ignore) continue;
      const said: Said = JSON.parse(
        await project.run(PROGRAM, programArgs(mode), OWN),
      );
      assert.deepEqual(finds(said), [], mode);
      if (mode === "off") assert.equal(said.own, true);
      assertWorks(said);
    }
    // The control: what does not hide itself is read by its own account.
    const open: Said = JSON.parse(
      await project.run(PROGRAM, [...programArgs("off"), "open"], OWN),
    );
    assert.notDeepEqual(finds(open), []);
  },
});
