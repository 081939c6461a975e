/** The one place that turns answers, refusals and bugs into MCP results. */

import {
  type CallToolResult,
  type ContentBlock,
  inputRequired,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import type { Plan } from "../fence/types.ts";
import { type Refusal, refuse } from "../base/refusal.ts";
import { cutText } from "./fit.ts";
import { fitPlan } from "./fit_plan.ts";
import { FORM_KEY, type FormRequest } from "./forms.ts";
import type { Logger } from "./log.ts";
import { type PublishedPlan, publishPlan } from "./schemas/plan_output.ts";

/** What a tool answers, before it is an MCP result. */
export type Answer =
  /** Both halves: clients show their model one or the other. */
  | { readonly kind: "structured"; readonly value: object }
  /** Text for reading: a structured half would hide it in some clients. */
  | { readonly kind: "text"; readonly blocks: readonly string[] }
  | {
    readonly kind: "refused";
    readonly refusal: Refusal;
    /** The Plan that is refused, where the caller should see it. */
    readonly plan?: Plan;
  }
  /** Another server's answer, its own errors among them. */
  | {
    readonly kind: "content";
    readonly blocks: readonly ContentBlock[];
    readonly isError: boolean;
  }
  /** The user is asked; the call comes again with what they say. */
  | { readonly kind: "ask"; readonly form: FormRequest };

/** Error texts beyond about 8,000 characters are shortened by some clients. */
const MAX_WORDS = 3000;

/** A structured answer. */
export function structured(value: object): Answer {
  return { kind: "structured", value };
}

/** A text answer, one content block each. */
export function text(...blocks: readonly string[]): Answer {
  return { kind: "text", blocks };
}

/** Content blocks of any kind. */
export function content(
  blocks: readonly ContentBlock[],
  isError: boolean,
): Answer {
  return { kind: "content", blocks, isError };
}

/** The Plan of a run that was not started. */
export function previewed(plan: Plan, hint: string): Answer {
  return structured(withPlan({ status: "preview", hint }, plan));
}

/** A refusal, with the Plan it is about when there is one. */
export function refused(refusal: Refusal, plan?: Plan): Answer {
  return { kind: "refused", refusal, plan };
}

/** Asks the user, by a form that the client shows. */
export function ask(form: FormRequest): Answer {
  return { kind: "ask", form };
}

/** The MCP result; `hasOutputSchema` says whether refusals have two halves. */
export function toResult(
  answer: Answer,
  hasOutputSchema: boolean,
): CallToolResult | InputRequiredResult {
  switch (answer.kind) {
    case "content":
      return {
        content: [...answer.blocks],
        ...(answer.isError ? { isError: true } : {}),
      };
    case "ask":
      return inputRequired({
        inputRequests: { [FORM_KEY]: inputRequired.elicit(answer.form) },
      });
    case "text":
      return { content: answer.blocks.map((text) => ({ type: "text", text })) };
    case "structured":
      return bothHalves(answer.value);
    case "refused": {
      const value = refusalValue(answer.refusal, answer.plan);
      const result = hasOutputSchema
        ? bothHalves(value)
        : { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
      return { ...result, isError: true };
    }
  }
}

/** The literal shape of a refusal. */
export function refusalValue(refusal: Refusal, plan?: Plan): object {
  const value = {
    status: "refused",
    code: refusal.code,
    message: cutText(refusal.message, MAX_WORDS),
    hint: cutText(refusal.hint, MAX_WORDS),
  };
  return plan === undefined ? value : withPlan(value, plan);
}

/** An answer with the Plan it is about, within an answer's size. */
function withPlan<T extends { readonly hint: string }>(
  value: T,
  plan: Plan,
): T & { readonly plan: PublishedPlan } {
  const shown = fitPlan(publishPlan(plan), value);
  const hint = shown.hint === undefined
    ? value.hint
    : `${value.hint} ${shown.hint}`;
  return { ...value, hint, plan: shown.plan };
}

/** A bug: the caller gets an id, the log gets the id and what happened. */
export function internalRefusal(error: unknown, log: Logger): Refusal {
  const id = crypto.randomUUID().slice(0, 8);
  const detail = error instanceof Error
    ? error.stack ?? error.message
    : String(error);
  log.error(`internal error ${id}: ${detail}`);
  return refuse(
    "INTERNAL",
    `something went wrong inside the server (id ${id})`,
    "Try again; if it happens again, give the owner the id: the server's log on stderr says more.",
  );
}

function bothHalves(value: object): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: value as Record<string, unknown>,
  };
}
