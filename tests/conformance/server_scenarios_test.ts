/**
 * The official suite's scenarios that need no tools, prompts or addresses made
 * for it, against the real server.
 */

import assert from "node:assert/strict";
import { startHttp } from "../http/server.ts";
import { processTest } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import { type Check, faults, runScenario } from "./programs.ts";

/** Checks that are no success here, by their ids, and why that is right. */
type Excused = Readonly<Record<string, string>>;

const DIAGNOSTIC = "it asks a tool that is made for it";
const SCENARIOS: Readonly<Record<string, Excused>> = {
  "server-initialize": {},
  "server-session-lifecycle": {},
  "ping": {},
  "tools-list": {},
  "resources-list": {},
  "resources-subscribe": {
    "resources-subscribe":
      "its address is made for it, and none is subscribed to that cannot be read",
  },
  "resources-unsubscribe": {
    "resources-unsubscribe":
      "its address is made for it, and none is subscribed to that cannot be read",
  },
  "prompts-list": {},
  "prompts-get-simple": {},
  "server-sse-multiple-streams": {},
  "server-sse-polling": {
    "server-sse-priming-event": "streams are not resumed: no events are kept",
    "server-sse-retry-field": "streams are not resumed: no events are kept",
  },
  "dns-rebinding-protection": {},
  "sep-2164-resource-not-found": {},
  "caching": {},
  "http-header-validation": {},
  "server-stateless": {
    "sep-2575-server-rejects-undeclared-capability": DIAGNOSTIC,
    "sep-2575-missing-capability-http-400": DIAGNOSTIC,
    "sep-2575-http-server-no-independent-requests-on-stream": DIAGNOSTIC,
    "sep-2575-server-no-log-without-loglevel": DIAGNOSTIC,
    "sep-2575-server-sends-prompts-list-changed-on-subscription": DIAGNOSTIC,
    "sep-2575-server-sends-tools-list-changed-on-subscription":
      "the tool list never changes",
  },
  "input-required-result-missing-input-response": {
    "sep-2322-missing-response-rerequests": DIAGNOSTIC,
  },
  "input-required-result-unsupported-methods": {},
  "input-required-result-ignore-extra-params": {
    "sep-2322-ignore-unexpected-params": DIAGNOSTIC,
  },
  "input-required-result-validate-input": {},
  "tasks-status-notifications": {
    "tasks-status-notifications": "the suite has no check for it yet",
  },
};

Deno.test({
  name:
    "conformance: the suite's scenarios that need nothing made for them pass against the real server",
  ...needs("node22"),
  ...processTest,
  async fn(t) {
    await using tree = await makeTree({
      "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nBody.\n",
      "prompts/test_simple_prompt.md":
        "---\ndescription: A simple one.\n---\nThis is a simple prompt.\n",
    });
    await using server = await startHttp({
      skills: tree.path("skills"),
      args: ["--no-token", "--prompt-dir", tree.path("prompts")],
    });
    const url = `${server.origin}/mcp`;
    for (const [name, excused] of Object.entries(SCENARIOS)) {
      await t.step(
        name,
        async () => judge(await runScenario({ name, url }), excused),
      );
    }
  },
});

/** Nothing fails but what is excused, which does; something is seen to hold. */
function judge(checks: readonly Check[], excused: Excused): void {
  const isExcused = ({ id }: Check) => Object.hasOwn(excused, id);
  assert.deepEqual(faults(checks.filter((each) => !isExcused(each))), []);
  for (const [id, reason] of Object.entries(excused)) {
    const found = checks.filter((check) => check.id === id);
    assert.ok(found.length > 0, `${id} is excused and was not checked`);
    assert.ok(
      faults(found).length > 0,
      `${id} holds, though it is excused: ${reason}`,
    );
  }
  assert.ok(
    checks.some(({ status }) => status === "SUCCESS") ||
      checks.every((check) => check.status === "INFO" || isExcused(check)) &&
        Object.keys(excused).length > 0,
    "nothing was checked",
  );
}
