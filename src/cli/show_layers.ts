/** The layers of the fence, for people. */

import { visible } from "../base/text.ts";
import type { Layer } from "../fence/types.ts";
import type { Screen } from "./screen.ts";
import { table } from "./table.ts";

/** One line a layer, indented by two, without a trailing newline. */
export function showLayers(layers: readonly Layer[], screen: Screen): string {
  const { paint, columns } = screen;
  const rows = layers.map(({ name, on, note }) => [
    { text: name },
    { text: on ? "on" : "off", paint: on ? paint.good : paint.warn },
    { text: visible(note, 400) },
  ]);
  return table(rows, { columns, indent: 2 });
}
