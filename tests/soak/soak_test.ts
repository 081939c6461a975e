/**
 * Two minutes of clients that come and go, over HTTP and stdio, while the tree
 * is edited: neither server may hold more at the end than it did before.
 */

import assert from "node:assert/strict";
import { startHttp } from "../http/server.ts";
import { connect, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import {
  type Done,
  editing,
  fetchThatEnds,
  soakTree,
  staying,
  visiting,
} from "./load.ts";
import { floorOf, Sampler, useOf } from "./process_use.ts";

/** Longer by hand: `SKILLFENCE_TEST_SOAK_SECONDS=3600`. */
const SECONDS = Number(Deno.env.get("SKILLFENCE_TEST_SOAK_SECONDS") ?? 120);
/**
 * Garbage is collected whole each time and its young space never grows, so that
 * what is held is what is used.
 */
const TIDY = {
  DENO_V8_FLAGS:
    "--gc-global,--min-semi-space-size=16,--max-semi-space-size=16",
};
/** After what is made once; shares of the whole time. */
const EARLY = [0.4, 0.65] as const;
const LATE = [0.75, 1] as const;
/** Several times what was ever measured. */
const MOST_GROWTH = 1.05;

Deno.test({
  name:
    "soak: over HTTP and stdio, with edits going on, memory and descriptors stay flat",
  // Elsewhere nothing tells what a process holds.
  ignore: Deno.build.os !== "linux",
  ...processTest,
  async fn() {
    using _ = fetchThatEnds();
    await using tree = await makeTree(soakTree());
    const prompts = ["--prompt-dir", `{"dir":"${tree.path("prompts")}"}`];
    const skills = tree.path("skills");
    const args = ["--skills", skills, ...prompts];
    await using server = await startHttp({ skills, args: prompts, env: TIDY });
    await using modern = await connect("v2", { args, env: TIDY });
    await using old = await connect("v1", { args, env: TIDY });
    const http: Done = { answers: 0, sessions: 0, notices: 0, edits: 0 };
    const stdio: Done = { answers: 0, sessions: 0, notices: 0, edits: 0 };
    const { pid } = server.child;
    await (await server.fetch("/metrics")).text();
    const before = (await useOf(pid)).descriptors;
    const samplers = [pid, modern.pid, old.pid].map((pid) => new Sampler(pid));
    const signal = AbortSignal.timeout(SECONDS * 1000);
    try {
      await Promise.all([
        editing(tree, http, signal),
        visiting(server, "v1", http, signal),
        visiting(server, "v2-legacy", http, signal),
        visiting(server, "v2", http, signal),
        staying(modern, stdio, signal),
        staying(old, stdio, signal),
      ]);
    } finally {
      for (const sampler of samplers) sampler.stop();
    }
    const told = JSON.stringify({ http, stdio });
    for (const count of [http.answers, http.sessions, http.notices]) {
      assert.ok(count > SECONDS / 10, told);
    }
    for (const count of [stdio.answers, stdio.notices]) {
      assert.ok(count > SECONDS / 10, told);
    }
    for (const [index, { samples }] of samplers.entries()) {
      const which = ["HTTP", "stdio, v2", "stdio, v1"][index];
      for (
        const [measure, most] of [
          ["memory", MOST_GROWTH],
          ["descriptors", 1.02],
        ] as const
      ) {
        const [early, late] = [EARLY, LATE].map((part) =>
          floorOf(samples, measure, part)
        );
        assert.ok(
          late! <= early! * most + 1,
          `${which}: ${measure} ${early}, later ${late}; ${told}`,
        );
      }
    }
    await until(async () => {
      const page = await (await server.fetch("/metrics")).text();
      return /^skillfence_sessions 0$/m.test(page) &&
        /^skillfence_subscriptions 0$/m.test(page);
    });
    // This process keeps connections for its next requests: two of each of the
    // three visitors, and one to ask for that page.
    await until(async () => (await useOf(pid)).descriptors <= before + 7);
    assert.deepEqual([...modern.errors, ...old.errors], []);
  },
});
