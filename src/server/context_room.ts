/** What comes up by itself, loaded when it is first needed. */

import type {
  ContextFiles,
  FoundCommand,
  Rendered,
  Triggers,
} from "../context/types.ts";
import type { ContextDoor, RenderRequest } from "./engine_types.ts";

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

  files(): Promise<ContextFiles> {
    return Promise.resolve({ files: [], skipped: [], problems: [] });
  }
}
