import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { skillfence } from "../cli/command.ts";
import { openServer, runs, skillText } from "../support/server_calls.ts";

const SCRIPT = "console.log('hi');\n";
const SKILL = skillText({ block: runs("s.mjs") });

Deno.test("the catalogue: list, load, file, preview and command line serve the same skills and files", async () => {
  await using server = await openServer({
    files: {
      "ok/SKILL.md": SKILL,
      "ok/s.mjs": SCRIPT,
      "ok/.env": "KEY=1",
      "ok/.ignore": "*.log\n",
      "ok/x.log": "",
      "ok/node_modules/m/index.js": "",
      "ok/out.txt": { link: "../bare/SKILL.md" },
      "ok/in/SKILL.md": SKILL,
      "ok/in/s.mjs": SCRIPT,
      "bare/SKILL.md": "just text\n",
      "bird/SKILL.md": SKILL,
      "skills/bird/SKILL.md": SKILL,
      ".hidden/SKILL.md": SKILL,
      ".gitignore": "made/\n",
      "made/SKILL.md": SKILL,
      "bad name/SKILL.md": SKILL,
      "notes/x.txt": "",
      "link": { link: "ok" },
    },
    env: { MCP_SKILL_RUN: '[{"skill":"link","script":"s.mjs"}]' },
  });
  const { structured } = await server.call("skill_list");
  const listed: string[] = structured.skills.map(({ name }: Json) => name);
  assert.deepEqual(listed, ["bare", "ok", "ok/in"]);

  const { stdout } = await skillfence(
    ["list", "--json", "--skills", server.root],
  );
  assert.deepEqual(
    JSON.parse(stdout).skills.map(({ name }: Json) => name),
    listed,
  );

  for (
    const name of [
      ...listed,
      "bird",
      "skills/bird",
      ".hidden",
      "made",
      "bad name",
      "notes",
      "ok/node_modules/m",
      "",
      ".",
    ]
  ) {
    const served = listed.includes(name);
    const load = await server.call("skill_load", { name, body: false });
    assert.equal(load.isError, !served, `load ${name}`);
    const file = await server.call("skill_file", { name, path: "SKILL.md" });
    assert.equal(file.isError, !served, `file ${name}`);
    const call = { name, script: "s.mjs" };
    const { code } = (await server.call("skill_preview", call)).structured;
    assert.equal(
      code === "UNKNOWN_SKILL" || code === "INVALID_ARGUMENTS",
      !served,
      `${name}: ${code}`,
    );
  }

  const { text } = await server.call("skill_load", { name: "ok", body: false });
  const paths = JSON.parse(text[0]!).files.map(({ path }: Json) => path);
  assert.deepEqual(paths, ["SKILL.md", "in/SKILL.md", "in/s.mjs", "s.mjs"]);
  for (
    const path of [
      ...paths,
      ".env",
      ".ignore",
      "x.log",
      "node_modules/m/index.js",
      "out.txt",
    ]
  ) {
    const { text } = await server.call("skill_file", { name: "ok", path });
    const [entry] = JSON.parse(text[0]!).files;
    assert.equal(entry.error === undefined, paths.includes(path), path);
  }

  // A link's name loads; in a grant it names nothing.
  const linked = await server.call("skill_load", { name: "link" });
  assert.equal(JSON.parse(linked.text[1]!).name, "ok");
  for (
    const [name, code] of [["ok", "NOT_GRANTED"], ["link", "UNKNOWN_SKILL"]]
  ) {
    const call = { name, script: "s.mjs" };
    const { structured } = await server.call("skill_preview", call);
    assert.equal(structured.code, code, name);
  }
  assert.match(
    structured.notes.join("\n"),
    /Row 1 grants nothing: no skill is served as "link"/,
  );
});
