/** Rendering: the door to what `render/` does. */

import { findCommands } from "./render/find_commands.ts";

export { findCommands } from "./render/find_commands.ts";
export {
  createRenderer,
  type OfferedCommand,
  type Renderer,
  type RendererDeps,
  type TextRequest,
} from "./render/renderer.ts";

/** How many commands a text holds. Starts none. */
export async function countCommands(text: string): Promise<number> {
  return (await findCommands(text)).length;
}
