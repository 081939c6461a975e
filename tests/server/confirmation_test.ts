import assert from "node:assert/strict";
import type { Plan } from "../../src/fence/types.ts";
import {
  type Confirmation,
  confirmRun,
  type Verdict,
} from "../../src/server/confirmation.ts";
import { PlanMemory } from "../../src/server/plan_memory.ts";

function plan(digest: string, selfGranted: readonly string[] = []): Plan {
  return { digest, selfGranted } as unknown as Plan;
}

function asker(mode: "argument" | "plan") {
  const previews = new PlanMemory(() => 0);
  return {
    previews,
    ask: (about: Plan, said: Confirmation): Verdict =>
      confirmRun(about, said, { mode, previews }),
  };
}

function code(verdict: Verdict): string {
  return verdict.kind === "refuse" ? verdict.refusal.code : verdict.kind;
}

Deno.test("confirmRun: without confirm: true it is the preview, in both modes", () => {
  for (const mode of ["argument", "plan"] as const) {
    const { ask } = asker(mode);
    for (const said of [{}, { confirm: false }, { planDigest: "a" }]) {
      assert.equal(code(ask(plan("a"), said)), "preview");
    }
  }
});

Deno.test("confirmRun: the argument alone runs in the argument mode", () => {
  assert.equal(
    code(asker("argument").ask(plan("a"), { confirm: true })),
    "run",
  );
});

Deno.test("confirmRun: a digest that differs is PLAN_CHANGED in both modes", () => {
  for (const mode of ["argument", "plan"] as const) {
    const said = { confirm: true, planDigest: "old" };
    assert.equal(code(asker(mode).ask(plan("new"), said)), "PLAN_CHANGED");
  }
});

Deno.test("confirmRun: what the skill granted itself runs only with the digest", () => {
  const { ask } = asker("argument");
  const self = plan("a", ["KEY"]);
  const bare = ask(self, { confirm: true });
  assert.equal(bare.kind, "preview");
  assert.match(
    bare.kind === "preview" ? bare.hint : "",
    /nobody but the skill/,
  );
  assert.equal(code(ask(self, { confirm: true, planDigest: "a" })), "run");
});

Deno.test("confirmRun: plan mode answers a bare confirm with the preview, which then counts", () => {
  const { ask } = asker("plan");
  assert.equal(code(ask(plan("a"), { confirm: true })), "preview");
  const said = { confirm: true, planDigest: "a" };
  assert.equal(code(ask(plan("a"), said)), "run");
});

Deno.test("confirmRun: plan mode takes a digest only from a preview, and once", () => {
  const { ask, previews } = asker("plan");
  const said = { confirm: true, planDigest: "a" };
  assert.equal(code(ask(plan("a"), said)), "CONFIRM_PLAN");
  // The refusal showed the plan: now it has been previewed.
  assert.equal(code(ask(plan("a"), said)), "run");
  assert.equal(code(ask(plan("a"), said)), "CONFIRM_PLAN");
  const taken = previews.take("a");
  assert.ok(taken, "shown again by the refusal");
});

Deno.test("confirmRun: a refused run gives its preview back", () => {
  const { ask, previews } = asker("plan");
  const said = { confirm: true, planDigest: "a" };
  ask(plan("a"), {});
  const verdict = ask(plan("a"), said);
  assert.ok(verdict.kind === "run" && verdict.taken);
  previews.giveBack(verdict.taken);
  assert.equal(code(ask(plan("a"), said)), "run");
});
