/** Text in columns. Widths are terminal cells, not code units. */

/** One cell; `paint` colours it after it was measured. */
export interface Cell {
  /** Already made visible: no control characters. */
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Flush right, for numbers. */
  readonly right?: boolean;
}

/** How a table is laid out. */
export interface TableOptions {
  /** Terminal columns; the last column wraps to fit. Undefined: no wrapping. */
  readonly columns?: number;
  /** Blanks before every line. */
  readonly indent?: number;
}

const GAP = 2;
/** Below this many cells the last column is not wrapped any further. */
const NARROWEST = 24;
const NO_WIDTH = /\p{Mn}|\p{Me}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Terminal cells that `text` takes up. */
export function cellWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!NO_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/**
 * Lines of aligned columns, without a trailing newline. Every column but the
 * last is padded to its widest cell; the last one wraps at word boundaries.
 */
export function table(
  rows: readonly (readonly Cell[])[],
  options: TableOptions = {},
): string {
  const indent = options.indent ?? 0;
  const widths: number[] = [];
  for (const row of rows) {
    row.slice(0, -1).forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cellWidth(cell.text));
    });
  }
  const lines = rows.flatMap((row) => rowLines(row, widths, indent, options));
  return lines.join("\n");
}

function rowLines(
  row: readonly Cell[],
  widths: readonly number[],
  indent: number,
  options: TableOptions,
): string[] {
  const last = row.at(-1);
  if (last === undefined) return [""];
  let start = indent;
  let head = " ".repeat(indent);
  row.slice(0, -1).forEach((cell, i) => {
    const width = widths[i] ?? 0;
    const blanks = " ".repeat(Math.max(0, width - cellWidth(cell.text)));
    const shown = painted(cell);
    head += (cell.right ? blanks + shown : shown + blanks) + " ".repeat(GAP);
    start += width + GAP;
  });
  const room = options.columns === undefined
    ? Infinity
    : Math.max(NARROWEST, options.columns - start);
  const [first = "", ...more] = wrap(last.text, room);
  return [
    (head + painted({ ...last, text: first })).trimEnd(),
    ...more.map((text) => " ".repeat(start) + painted({ ...last, text })),
  ];
}

function painted(cell: Cell): string {
  return cell.paint === undefined || cell.text === ""
    ? cell.text
    : cell.paint(cell.text);
}

/** Splits `text` at blanks into lines of at most `room` cells each. */
export function wrap(text: string, room: number): string[] {
  if (cellWidth(text) <= room) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (cellWidth(longer) <= room || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
