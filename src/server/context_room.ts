/** What comes up by itself, loaded when it is first needed. */

import type { FoundCommand, Rendered, Triggers } from "../context/types.ts";
import type {
  ContextDocument,
  ContextDoor,
  RenderRequest,
  RuleHit,
} from "./engine_types.ts";

/** The door to what `src/context/` does. */
export class ContextRoom implements ContextDoor {
  workspaces(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  triggers(): Promise<Triggers> {
    return Promise.resolve({
      problems: [],
      match: () => Promise.resolve({ hits: [], near: [], refusedPaths: [] }),
    });
  }

  commands(): Promise<readonly FoundCommand[]> {
    return Promise.resolve([]);
  }

  render({ text, literal }: RenderRequest): Promise<Rendered> {
    return Promise.resolve({ text: literal(text), commands: [] });
  }

  async digest(text: string): Promise<string> {
    const { sha256 } = await import("../base/digest.ts");
    return sha256(text);
  }

  block(): Promise<string> {
    return Promise.resolve("");
  }

  rules(): Promise<readonly RuleHit[]> {
    return Promise.resolve([]);
  }

  ruleBlock(): Promise<string> {
    return Promise.resolve("");
  }

  document(): Promise<ContextDocument | undefined> {
    return Promise.resolve(undefined);
  }
}
