/** The form that asks a user for what a task skill needs. */

import { type Refusal, refuse } from "../base/refusal.ts";
import { listed, visible } from "../base/text.ts";
import type { TaskInput } from "../skill/types.ts";
import type { FormRequest } from "./forms.ts";

const MAX_DESCRIPTION = 600;
const MAX_CHOICES = 10;

/** One field for each input, the missing ones required. */
export function formFor(
  skill: string,
  missing: readonly TaskInput[],
  open: readonly TaskInput[],
): FormRequest {
  const properties: FormRequest["requestedSchema"]["properties"] = {};
  for (const input of [...missing, ...open]) {
    const description = describe(input);
    // As a field of its own whatever it is called, `__proto__` too.
    Object.defineProperty(properties, input.name, {
      enumerable: true,
      configurable: true,
      writable: true,
      value: {
        type: "string",
        title: input.name,
        ...(description === "" ? {} : { description }),
      },
    });
  }
  return {
    message: `The skill "${visible(skill)}" asks for ${
      missing.length === 1 ? "an input" : "inputs"
    } before it can be used. What stands at the fields are its author's words.`,
    requestedSchema: {
      type: "object",
      properties,
      required: missing.map(({ name }) => name),
    },
  };
}

/** The refusal of a call whose form was not filled in. */
export function formRefusal(
  action: "decline" | "cancel",
  missing: readonly TaskInput[],
): Refusal {
  const names = listed(missing.map(({ name }) => visible(name, 100)), 10);
  return action === "decline"
    ? refuse(
      "INPUT_MISSING",
      `the user was asked for ${names} and declined`,
      "Ask the user how to go on. Do not fill these in by yourself.",
    )
    : refuse(
      "INPUT_MISSING",
      `the user was asked for ${names} and closed the form without an answer`,
      "Ask the user for them in the conversation, then call again with inputs.",
    );
}

function describe({ description, choices }: TaskInput): string {
  const shown = choices.slice(0, MAX_CHOICES).map((each) => visible(each, 100));
  const examples = shown.join(", ");
  if (description === undefined) {
    return examples === "" ? "" : `For example: ${examples}`;
  }
  const said = visible(description, MAX_DESCRIPTION);
  return examples === "" ? said : `${said} (for example: ${examples})`;
}
