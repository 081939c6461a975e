/** The official Inspector's verdict, over both transports and protocol lines. */

import assert from "node:assert/strict";
import { startHttp } from "../http/server.ts";
import { processTest, serveCommand } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { manySkills } from "./many_skills.ts";
import { inspect, type Said } from "./programs.ts";

const ERAS = ["legacy", "modern"];
const SETS = [["--verify"], ["--verify", "--require-digests"]];

/** Exit codes and stderr of the Inspector say what it found. */
function passed({ code, stderr, stdout }: Said): void {
  assert.equal(code, 0, `${stderr}\n${stdout.slice(0, 2000)}`);
}

/** How the Inspector reaches a server of this tree, and what it is told. */
async function overHttp(
  tree: Tree,
  test: (target: readonly string[]) => Promise<void>,
): Promise<void> {
  await using server = await startHttp({
    skills: tree.root,
    args: ["--no-token"],
  });
  await test([`${server.origin}/mcp`, "--transport", "http"]);
}

async function overStdio(
  tree: Tree,
  test: (target: readonly string[]) => Promise<void>,
): Promise<void> {
  const { command, args } = serveCommand(["--skills", tree.root]);
  // It gives servers few variables; from source, packages must be found.
  const packages = Deno.env.get("DENO_DIR") ??
    `${Deno.env.get("HOME")}/.cache/deno`;
  await test([command, ...args, "-e", `DENO_DIR=${packages}`]);
}

for (const [transport, reach] of Object.entries({ overHttp, overStdio })) {
  Deno.test({
    name: `inspector: verifies every skill and digest, ${transport}`,
    ...needs("node22"),
    ...processTest,
    async fn(t) {
      const { entries, served } = manySkills();
      await using tree = await makeTree(entries);
      await reach(tree, async (target) => {
        for (const era of ERAS) {
          for (const set of SETS) {
            await t.step(`${era} ${set.join(" ")}`, async () => {
              const said = await inspect([
                ...target,
                ...["--protocol-era", era, "--method", "skills/list", ...set],
              ]);
              passed(said);
              const reports = said.stdout.trim().split("\n")
                .map((line) => JSON.parse(line));
              assert.deepEqual(
                reports.map(({ uri, ok }) => [uri, ok]).toSorted(),
                served.map((path) => [`skill://${path}/SKILL.md`, true])
                  .toSorted(),
              );
            });
          }
          await t.step(`${era} tools/list --strict`, async () => {
            const said = await inspect([
              ...target,
              ...["--protocol-era", era, "--method", "tools/list", "--strict"],
            ]);
            passed(said);
            assert.match(said.stdout, /skill_load/);
          });
        }
      });
    },
  });
}
