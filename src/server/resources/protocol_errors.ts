/** Refusals and bugs as errors of the protocol. */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type Refusal, refuse } from "../../base/refusal.ts";
import { internalRefusal } from "../errors.ts";
import { cutText } from "../fit.ts";
import type { Logger } from "../log.ts";

const MAX_WORDS = 3000;

/** -32602 in words; `uri` is what was asked for. */
export function refusalError(refusal: Refusal, uri?: string): ProtocolError {
  const { code, message, hint } = refusal;
  return new ProtocolError(
    code === "INTERNAL"
      ? ProtocolErrorCode.InternalError
      : ProtocolErrorCode.InvalidParams,
    cutText(`${message}. ${hint}`, MAX_WORDS),
    uri === undefined ? { code } : { code, uri },
  );
}

/** Answers; a bug becomes -32603 with an id, and its story goes to the log. */
export async function answering<T>(
  log: Logger,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw refusalError(internalRefusal(error, log));
  }
}

/** A cursor that this listing did not give. */
export function badCursor(method: string): Error {
  return refusalError(refuse(
    "INVALID_ARGUMENTS",
    `the cursor is none that ${method} has given`,
    "Leave it out for the first page.",
  ));
}
