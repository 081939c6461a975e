import assert from "node:assert/strict";
import { join } from "node:path";
import { progressLines } from "../../tools/fence_table.ts";

const ROOT = join(import.meta.dirname!, "..", "..");

Deno.test("fence_table.ts: tries the named kinds, the table on stdout, progress on stderr", async () => {
  const { code, stdout, stderr } = await table("config-shipped", "own-process");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^kind +flags /);
  assert.match(stdout, /^config-shipped +held/m);
  assert.match(stdout, /^own-process +held/m);
  assert.equal(stdout.match(/^\S+ +(?:held|open|n\.a\.)/gm)!.length, 2);
  const [, tried] = /^(\d+) attempts, 0 not as/m.exec(stdout)!;
  const lines = stderr.split("\n");
  assert.match(lines[0]!, new RegExp(`^0 of ${tried} attempts, \\d+ s$`));
  assert.match(stderr, new RegExp(`^${tried} of ${tried} attempts, `, "m"));
});

Deno.test("fence_table.ts: a KIND that is none ends in a line that names it, exit 1", async () => {
  const { code, stderr } = await table("no-such-kind");
  assert.equal(code, 1);
  assert.match(stderr, /^kinds\.md has no kind "no-such-kind"\n$/);
});

Deno.test("progressLines: of a thousand attempts the first and every twentieth", () => {
  const lines: string[] = [];
  let now = 0;
  const tell = progressLines((line) => lines.push(line), () => now);
  for (let done = 0; done <= 1000; done++, now += 100) tell(done, 1000);
  assert.equal(lines.length, 21);
  assert.equal(lines[0], "0 of 1000 attempts, 0 s");
  assert.equal(lines[1], "50 of 1000 attempts, 5 s");
  assert.equal(lines[20], "1000 of 1000 attempts, 100 s");
});

Deno.test("progressLines: of three attempts each, and none of none", () => {
  const lines: string[] = [];
  const tell = progressLines((line) => lines.push(line), () => 0);
  for (let done = 0; done <= 3; done++) tell(done, 3);
  tell(0, 0);
  assert.deepEqual(lines.map((line) => line.split(" ")[0]), [
    ..."0123",
    "0",
  ]);
});

async function table(
  ...kinds: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/fence_table.ts", ...kinds],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
