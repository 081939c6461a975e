/** Sentences that the documents owe their readers. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { TOOLS } from "../../src/server/tool_table.ts";

const ROOT = join(import.meta.dirname!, "..", "..");
const read = (path: string) => Deno.readTextFileSync(join(ROOT, path));

Deno.test("README: models confirm by themselves, and the stronger modes are named", () => {
  const text = read("README.md").replace(/\s+/g, " ");
  const at = text.indexOf("Models set `confirm: true` by themselves");
  assert.ok(at >= 0);
  const said = text.slice(at, at + 1200);
  for (const mode of ["SKILLFENCE_CONFIRM=plan", "--no-run"]) {
    assert.ok(said.includes(mode), mode);
  }
});

Deno.test("README: says one file, about 193 MB, glibc on Linux", () => {
  assert.match(read("README.md"), /one file, about 193 MB, glibc on Linux/);
  const permissions = read("docs/reference/permissions.md");
  assert.match(permissions, /all permissions|every permission/i);
  assert.match(permissions, /FFI|foreign function/i);
});

Deno.test("hosting.md: names what an operator sets and what the limit turns off", () => {
  const text = read("docs/hosting.md").replace(/\s+/g, " ");
  for (
    const name of [
      "MCP_SKILLS_PATH",
      "MCP_HOST_METER_FILE",
      "MCP_DATA_DIR",
      "MCP_BLOB_BASE_URL",
      "MCP_SKILL_RUN",
    ]
  ) assert.ok(text.includes(`\`${name}\``), name);
  const reading = TOOLS.filter((tool) => !tool.runs).map(({ name }) => name);
  const narrowed = /narrow `enabledTools` to ([^.]+)\./.exec(text)?.[1] ?? "";
  assert.deepEqual(
    [...narrowed.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name),
    reading,
  );
  assert.match(text, /empties prompts and resources/);
  assert.match(text, /256 MiB.*`--lite-mode`.*no WebAssembly/);
});
