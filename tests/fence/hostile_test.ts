/**
 * Every kind of attack, run through the Plan as the product runs it, with the
 * control that shows the attack to be a real one.
 */

import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { openFence } from "../support/fenced.ts";
import type { Attack } from "./hostile/attack.ts";
import { FILE_ATTACKS } from "./hostile/files.ts";
import { MODULE_ATTACKS } from "./hostile/modules.ts";
import { NETWORK_ATTACKS } from "./hostile/network.ts";
import { PROCESS_ATTACKS } from "./hostile/process.ts";
import { SECRET, type Stage, stage } from "./hostile/stage.ts";
import { STORAGE_ATTACKS } from "./hostile/storage.ts";

const ATTACKS = [
  ...MODULE_ATTACKS,
  ...FILE_ATTACKS,
  ...PROCESS_ATTACKS,
  ...NETWORK_ATTACKS,
  ...STORAGE_ATTACKS,
];

/** What a script that was stopped while loading leaves on stderr. */
const DENIED =
  /NotCapable|Requires \w+ access|PermissionDenied|not permitted|must be provided/;

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

async function fenced(
  attack: Attack,
  at: Stage,
  grant?: readonly unknown[],
): Promise<Output> {
  using fence = openFence({ root: at.root, dataDir: at.dataDir, grant });
  let last: Output = { stdout: "", stderr: "" };
  for (let run = 0; run < (attack.runs ?? 1); run++) {
    last = await fence.run(attack.file);
  }
  return last;
}

/** The same script without any fence, or as the main module of the process. */
async function unfenced(
  attack: Attack,
  at: Stage,
  flags: (scratch: string) => readonly string[],
): Promise<Output> {
  await using scratch = await makeTree();
  const decoder = new TextDecoder();
  let last: Output = { stdout: "", stderr: "" };
  for (let run = 0; run < (attack.runs ?? 1); run++) {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...flags(scratch.root), `${at.skillDir}/${attack.file}`],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: scratch.root,
        TMPDIR: scratch.root,
        DENO_DIR: scratch.path("deno"),
        MCP_DATA_DIR: at.dataDir,
        SKILLFENCE_TEST_SECRET: SECRET,
      },
      cwd: at.skillDir,
      stdin: "null",
    }).output();
    last = { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }
  return last;
}

const BARE = () => [
  "run",
  "-A",
  "--quiet",
  "--no-config",
  "--no-lock",
  "--unstable-detect-cjs",
];

function assertHeld(attack: Attack, output: Output): void {
  const said = `${output.stdout}\n${output.stderr}`;
  assert.doesNotMatch(output.stdout, /^GOT/m, said);
  assert.ok(!said.includes(SECRET), `${attack.id} shows the secret: ${said}`);
  assert.ok(
    /^HELD/m.test(output.stdout) || DENIED.test(output.stderr),
    `${attack.id} neither got through nor was stopped: ${said}`,
  );
}

for (const attack of ATTACKS) {
  Deno.test(`fence: ${attack.id} is held: ${attack.title}`, async () => {
    await using at = await stage(attack);
    assertHeld(attack, await fenced(attack, at));
  });

  const { control } = attack;
  if (typeof control !== "string") continue;
  Deno.test(`fence: ${attack.id} control (${control}) gets through`, async () => {
    await using at = await stage(attack, {
      inside: control === "inside",
      declare: control === "granted" ? "target" : undefined,
    });
    const output = control === "bare"
      ? await unfenced(attack, at, BARE)
      : await fenced(
        attack,
        at,
        control === "granted"
          ? [{
            skill: "hostile",
            script: attack.file,
            egress: [new URL(at.target).host],
          }]
          : undefined,
      );
    assert.match(output.stdout, /^GOT/m, `${output.stdout}\n${output.stderr}`);
  });
}

for (const attack of ATTACKS.filter((attack) => attack.direct)) {
  Deno.test(
    `fence: ${attack.id} gets through as the main module, so the worker is what holds it`,
    async () => {
      await using at = await stage(attack);
      using fence = openFence({ root: at.root, dataDir: at.dataDir });
      const prepared = await fence.prepare(attack.file);
      assert.ok(prepared.ok);
      // The Plan's own flags, with the script where the host module stands.
      const flags = prepared.value.plan.flags.slice(0, -1);
      const { stdout, stderr } = await unfenced(
        attack,
        at,
        (scratch) => flags.map((flag) => flag.replaceAll("<scratch>", scratch)),
      );
      assert.match(stdout, /^GOT/m, `${stdout}\n${stderr}`);
    },
  );
}
