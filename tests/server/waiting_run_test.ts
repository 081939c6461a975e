import assert from "node:assert/strict";
import {
  openServer,
  runs,
  skillText,
  type TestServer,
} from "../support/server_calls.ts";

/** Runs until its `go` is there; both scripts are of one skill. */
const HOLD = `
import { existsSync } from "node:fs";
import process from "node:process";
console.log("holding");
while (!existsSync(process.cwd() + "/go")) {
  await new Promise((tick) => setTimeout(tick, 20));
}
`;

function serve(): Promise<TestServer> {
  return openServer({
    files: {
      "hold/SKILL.md": skillText({ block: runs("hold.mjs") }),
      "hold/hold.mjs": HOLD,
      "s/SKILL.md": skillText({ block: runs("s.mjs") }),
      "s/s.mjs": "console.log('first');\n",
    },
    env: { SKILLFENCE_CONFIRM: "argument" },
  });
}

/** Starts the holder, then `s` behind it, then lets `change` and the holder go. */
async function waitBehind(
  server: TestServer,
  change: () => Promise<void>,
): Promise<Record<string, unknown>> {
  const holding = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  const holder = server.call("skill_run", {
    name: "hold",
    script: "hold.mjs",
    confirm: true,
  }, {
    onProgress: (_, message) => {
      if (message.startsWith("running")) holding.resolve();
    },
  });
  await Promise.race([holding.promise, holder]);
  const { plan } = (await server.call("skill_preview", {
    name: "s",
    script: "s.mjs",
  })).structured;
  const behind = server.call("skill_run", {
    name: "s",
    script: "s.mjs",
    confirm: true,
    planDigest: plan.digest,
  }, {
    onProgress: (_, message) => {
      if (message.startsWith("waiting")) waiting.resolve();
    },
  });
  await Promise.race([waiting.promise, behind]);
  await change();
  await server.tree.write({ "root/hold/go": "" });
  assert.equal((await holder).structured.status, "done");
  return (await behind).structured;
}

Deno.test("skill_run: what changed while a run waited for its turn does not run", async () => {
  await using server = await serve();
  const answer = await waitBehind(
    server,
    () => server.tree.write({ "root/s/s.mjs": "console.log('second');\n" }),
  );
  assert.equal(answer.code, "PLAN_CHANGED", JSON.stringify(answer));
  const { digest } = answer.plan as { digest: string };
  const again = await server.call("skill_run", {
    name: "s",
    script: "s.mjs",
    confirm: true,
    planDigest: digest,
  });
  assert.equal(again.structured.stdout, "second\n");
});

Deno.test("skill_run: what did not change while a run waited runs", async () => {
  await using server = await serve();
  const answer = await waitBehind(server, () => Promise.resolve());
  assert.equal(answer.stdout, "first\n", JSON.stringify(answer));
});
