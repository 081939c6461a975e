/** The official suite's skills scenarios, against a server of many skills. */

import assert from "node:assert/strict";
import { startHttp } from "../http/server.ts";
import { processTest } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import { manySkills } from "./many_skills.ts";
import { faults, runScenario } from "./programs.ts";

/** Checks that each scenario makes, that on the wire's schema among them. */
const SCENARIOS = {
  "sep-2640-skills-directory": 7,
  "sep-2640-skills-enumeration": 32,
  "sep-2640-skills-manifest": 6,
};

/** Of the older revision these have no say. */
const OF_2026 = [
  "sep-2640-skills-list-cache-attributes",
  "sep-2640-skills-get-cache-attributes",
];

Deno.test({
  name:
    "conformance: the suite's skills scenarios pass on at least 60 skills, on both protocol lines",
  ...needs("node22"),
  ...processTest,
  async fn(t) {
    const { entries, served, leftOut } = manySkills();
    assert.ok(served.length >= 60, String(served.length));
    await using tree = await makeTree(entries);
    await using server = await startHttp({
      skills: tree.root,
      args: ["--no-token"],
    });
    const url = `${server.origin}/mcp`;
    await t.step("exactly what may be listed is listed", async () => {
      const { skills } = await allSkills(url);
      assert.deepEqual(
        skills.map(({ uri }) => uri).toSorted(),
        served.map((path) => `skill://${path}/SKILL.md`).toSorted(),
      );
      for (const path of leftOut) {
        assert.ok(
          !skills.some(({ uri }) => uri.startsWith(`skill://${path}/`)),
        );
      }
    });
    for (const [name, count] of Object.entries(SCENARIOS)) {
      for (const specVersion of ["2025-11-25", "2026-07-28"]) {
        await t.step(`${name}, ${specVersion}`, async () => {
          const checks = await runScenario({ name, url, specVersion });
          const wanted = specVersion === "2026-07-28" ? [] : OF_2026;
          const skips = checks.filter(({ id }) => wanted.includes(id));
          assert.deepEqual(
            faults(checks.filter((check) => !skips.includes(check))),
            [],
          );
          assert.ok(
            skips.every(({ status }) => status === "SKIPPED"),
            faults(skips).join("\n"),
          );
          assert.equal(checks.length, count);
        });
      }
    }
  },
});

/** Every page of `skills/list` together. */
async function allSkills(url: string): Promise<{ skills: { uri: string }[] }> {
  const skills: { uri: string }[] = [];
  let cursor: string | undefined;
  do {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "skills/list",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "skills/list",
        params: {
          ...cursor === undefined ? {} : { cursor },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const text = await answer.text();
    const line = text.match(/^data: (\{.*)$/m)?.[1] ?? text;
    const { result } = JSON.parse(line);
    assert.ok(result, text);
    skills.push(...result.skills);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return { skills };
}
