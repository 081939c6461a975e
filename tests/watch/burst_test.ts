/** Directories that are replaced in a burst hold up nobody. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  connect,
  type Json,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const STORM = fileURLToPath(new URL("replacing.ts", import.meta.url));
/** Two looks fall into it: one comes every 5 s at the latest. */
const BURST_MS = 12_000;
/** Many times what an answer takes; it was the burst's length. */
const LONGEST_MS = 5_000;

const skill = (name: string, about: string): string =>
  `---\nname: ${name}\ndescription: ${about}\n---\nBody.\n`;

/** Replaces directories of a skill until it is ended. */
function replacing(dir: string, elsewhere: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", STORM, dir, elsewhere],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  return {
    /** Ends it; how often it did so. */
    async end(): Promise<number> {
      await child.stdin.close();
      const { stdout } = await child.output();
      return Number(new TextDecoder().decode(stdout));
    },
  };
}

/** The longest that a ping took, of those that began in so many milliseconds. */
async function longestPing(client: TestClient, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let longest = 0;
  while (performance.now() < end) {
    const begun = performance.now();
    await client.sdk.ping({ timeout: 12_000 });
    longest = Math.max(longest, performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return longest;
}

async function listed(client: TestClient): Promise<Json> {
  return (await client.call("skill_list")).structured;
}

Deno.test({
  name:
    "watching: directories replaced in a burst hold up no call, and are watched again by themselves",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "root/a/SKILL.md": skill("a", "first"),
      "root/a/d/f.txt": "x",
      "root/b/SKILL.md": skill("b", "first"),
      "root/b/d/f.txt": "x",
      "outside/f.txt": "x",
    });
    await using client = await connect("v1", {
      args: ["--skills", tree.path("root")],
    });
    const watching = async () =>
      (await listed(client)).watch[0].state === "watching";
    await until(watching);
    const storms = ["a", "b"].map((name) =>
      replacing(tree.path(`root/${name}`), tree.path("outside"))
    );
    const longest = await longestPing(client, BURST_MS);
    const seen = await until(async () => {
      const [row] = (await listed(client)).watch;
      return row.state === "degraded" && row;
    });
    // Amid the burst: what it moves is served when that is over.
    await tree.write({ "root/a/SKILL.md": skill("a", "second") });
    const loops = await Promise.all(storms.map((storm) => storm.end()));
    const after = await longestPing(client, 2_000);
    assert.ok(loops.every((count) => count > 100), `${loops}`);
    assert.ok(
      Math.max(longest, after) < LONGEST_MS,
      `${longest} ms in the burst, ${after} ms after it`,
    );
    assert.match(seen.reason, /come and go too fast to be watched/);
    const about = async (name: string) =>
      (await listed(client)).skills.find((one: Json) => one.name === name)
        ?.description;
    await until(async () => await about("a") === "second", 60_000);
    await until(watching, 60_000);
    // Below a directory that was replaced, which only its own watch tells of.
    await tree.write({ "root/a/d/SKILL.md": skill("d", "new") });
    await until(async () => await about("a/d") === "new");
  },
});
