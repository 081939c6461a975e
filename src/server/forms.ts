/**
 * Asking a client's user, for both protocol lines: the tool answers with a form,
 * and the call comes again with what was filled in. The SDK does the same on
 * connections of 2025 by a request of its own.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Under which name the one form of a call travels. */
export const FORM_KEY = "form";

/** A form: flat, texts only. */
export interface FormRequest {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: Record<
      string,
      {
        readonly type: "string";
        readonly title: string;
        readonly description?: string;
      }
    >;
    readonly required?: string[];
  };
}

/** What a user did with a form. */
export type FormAnswer =
  | {
    readonly action: "accept";
    /** The texts that were filled in, by name. */
    readonly texts: Readonly<Record<string, string>>;
  }
  | { readonly action: "decline" | "cancel" };

/** How the user is asked. */
export interface FormDoor {
  /** Whether this client shows forms. */
  readonly possible: boolean;
  /** What came back; undefined: nobody was asked yet. */
  readonly answer: FormAnswer | undefined;
}

/** Nobody can be asked. */
export const NO_FORMS: FormDoor = { possible: false, answer: undefined };

/** The door of one request. `known`: what a client of 2025 said at its start. */
export function formsOf(
  { mcpReq }: Pick<ServerContext, "mcpReq">,
  known: { readonly elicitation?: unknown } | undefined,
): FormDoor {
  const envelope = mcpReq.envelope as
    | Readonly<Record<string, unknown>>
    | undefined;
  const said = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? known;
  const response = inputResponse(mcpReq.inputResponses, FORM_KEY);
  return {
    possible: showsForms((said as typeof known)?.elicitation),
    answer: response.kind !== "elicit"
      ? undefined
      : response.action === "accept"
      ? { action: "accept", texts: textsIn(response.content ?? {}) }
      : { action: response.action },
  };
}

/** Nothing said of modes means forms, as before there were others. */
function showsForms(elicitation: unknown): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return Object.keys(elicitation).length === 0 || "form" in elicitation;
}

function textsIn(
  content: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === "string") texts[name] = value;
  }
  return texts;
}
