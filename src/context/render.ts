/** Rendering: the door to what `render/` does. */

import { findCommands } from "./render/find_commands.ts";

export { findCommands } from "./render/find_commands.ts";
export type { OfferedCommand } from "./render/offered.ts";
export {
  createRenderer,
  type Renderer,
  type RendererDeps,
  type TextRequest,
} from "./render/renderer.ts";

/** How many commands a text holds. Starts none. */
export async function countCommands(text: string): Promise<number> {
  return (await findCommands(text)).length;
}
