/**
 * Whether a call may run what was planned. A digest proves that a preview was
 * made and that nothing changed since; it never proves that a person agreed.
 */

import { type Refusal, refuse } from "../base/refusal.ts";
import type { Previews, TakenPreview } from "./plan_memory.ts";

/** What the caller said. */
export interface Confirmation {
  readonly confirm?: boolean;
  readonly planDigest?: string;
}

/** What is confirmed: a run, or a call of a declared server. */
export interface ConfirmedPlan {
  readonly digest: string;
  /** Variables that only the skill itself granted. */
  readonly selfGranted: readonly string[];
}

/** What it is held against. */
export interface ConfirmationRule {
  /** The tool that is called again. Default: `skill_run`. */
  readonly tool?: string;
  /** `plan`: only the digest of a preview of this session, once. */
  readonly mode: "argument" | "plan";
  readonly previews: Previews;
}

/** The decision; `shown` is the digest to show with the Plan. */
export type Verdict =
  | { readonly kind: "preview"; readonly hint: string; readonly shown: string }
  | {
    readonly kind: "refuse";
    readonly refusal: Refusal;
    readonly shown: string;
  }
  /** `taken` goes back when the run does not start. */
  | { readonly kind: "run"; readonly taken?: TakenPreview };

const RUN = "skill_run";

/** What a preview says of itself, whichever tool made it. */
export const PREVIEW_HINT: string = `Nothing was started. ${next(RUN)}`;

/** What a caller does with a Plan that is shown. */
function next(tool: string): string {
  return `Show the user this plan. When the user agrees, call ${tool} with the same arguments, confirm: true and planDigest set to plan.digest.`;
}

/**
 * Decides. Every Plan that is shown, a refused one included, counts as
 * previewed, so that the caller can confirm what it has just seen.
 */
export function confirmRun(
  plan: ConfirmedPlan,
  said: Confirmation,
  { mode, previews, tool = RUN }: ConfirmationRule,
): Verdict {
  const { digest } = plan;
  const preview = (hint: string): Verdict => ({
    kind: "preview",
    hint,
    shown: previews.remember(digest),
  });
  const no = (refusal: Refusal): Verdict => ({
    kind: "refuse",
    refusal,
    shown: previews.remember(digest),
  });
  if (said.confirm !== true) {
    return preview(`Nothing was started. ${next(tool)}`);
  }
  if (said.planDigest === undefined) {
    const why = bareIsNotEnough(plan, mode);
    return why === undefined
      ? { kind: "run" }
      : preview(`Nothing was started: ${why} ${next(tool)}`);
  }
  if (!previews.names(said.planDigest, digest)) return no(planChanged(tool));
  if (mode === "argument") return { kind: "run" };
  const taken = previews.take(said.planDigest);
  return taken === undefined ? no(notPreviewed(tool)) : { kind: "run", taken };
}

function bareIsNotEnough(
  plan: ConfirmedPlan,
  mode: ConfirmationRule["mode"],
): string | undefined {
  if (mode === "plan") {
    return "this server runs only what was previewed, named by its planDigest.";
  }
  return plan.selfGranted.length === 0
    ? undefined
    : "the script is handed variables that nobody but the skill itself granted, so the plan must be named by its planDigest.";
}

function planChanged(tool: string): Refusal {
  return refuse(
    "PLAN_CHANGED",
    "Nothing was started: what would happen now is not the plan that planDigest names. The fresh plan is with this answer.",
    `What is called, its files, its arguments or the owner's settings changed. ${
      next(tool)
    }`,
  );
}

/** The refusal of a run whose Plan no longer holds when its turn comes. */
export function changedWhileWaiting(): Refusal {
  return refuse(
    "PLAN_CHANGED",
    "Nothing was started: what would happen changed while this run waited for its turn. The fresh plan is with this answer.",
    next(RUN),
  );
}

function notPreviewed(tool: string): Refusal {
  return refuse(
    "CONFIRM_PLAN",
    "Nothing was started: planDigest must come from a preview that this server made in this session at most 10 minutes ago, and each preview is good for one run.",
    next(tool),
  );
}
