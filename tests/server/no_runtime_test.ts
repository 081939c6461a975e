import assert from "node:assert/strict";
import { openServer, runs, skillText } from "../support/server_calls.ts";

Deno.test("no usable runtime: skills are listed, loaded and read, and a run says what is missing", async () => {
  await using server = await openServer({
    files: {
      "s/SKILL.md": skillText({ block: runs("go.mjs") }),
      "s/go.mjs": "console.log(1);\n",
    },
    env: { SKILLFENCE_DENO: "/no/such/deno" },
  });
  const list = await server.call("skill_list");
  assert.equal(list.structured.skills[0].name, "s");
  const load = await server.call("skill_load", { name: "s" });
  assert.equal(load.text[0], "Do it.\n");
  const file = await server.call("skill_file", { name: "s", path: "go.mjs" });
  assert.equal(file.text[1], "console.log(1);\n");
  for (const tool of ["skill_preview", "skill_run"]) {
    const { structured } = await server.call(tool, {
      name: "s",
      script: "go.mjs",
      ...(tool === "skill_run" ? { confirm: true } : {}),
    });
    assert.equal(structured.code, "NO_RUNTIME");
    assert.match(structured.message, /SKILLFENCE_DENO: there is no such file/);
    assert.match(structured.hint, /Install Deno 2\.9\.6/);
    assert.ok(!structured.message.includes("/no/such"), structured.message);
  }
});
