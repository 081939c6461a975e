/**
 * The shape every "no" in this product takes. Refusals are values; an
 * exception is a bug and becomes `INTERNAL` at the edge.
 */

/** Every code a refusal may carry. Clients may rely on these words. */
export type RefusalCode =
  | "CONFIG"
  | "UNKNOWN_SKILL"
  | "UNKNOWN_SCRIPT"
  | "NOT_DECLARED"
  | "NOT_GRANTED"
  | "GRANT_STALE"
  | "INTERPRETER_UNAVAILABLE"
  | "INVALID_ARGUMENTS"
  | "INPUT_MISSING"
  | "NOT_FOR_MODELS"
  | "PATH_REFUSED"
  | "NOT_FOUND"
  | "TOO_LARGE"
  | "PREFLIGHT"
  | "NO_RUNTIME"
  | "PLAN_CHANGED"
  | "CONFIRM_PLAN"
  | "BUSY"
  | "CANCELLED"
  | "RUN_DISABLED"
  | "FENCE_UNAVAILABLE"
  | "SECRET_NEEDS_PROXY"
  | "OVER_LIMIT"
  | "SPAWN_FAILED"
  | "INTERNAL";

/** A refusal: what was refused and why (`message`), and what to do (`hint`). */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  readonly hint: string;
}

/** A success carrying a value. */
export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

/** Either a value or the reason there is none. */
export type Result<T> = Ok<T> | Refusal;

/** Wraps a value as a success. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** Builds a refusal from its code, its message and its hint. */
export function refuse(
  code: RefusalCode,
  message: string,
  hint: string,
): Refusal {
  return { ok: false, code, message, hint };
}
