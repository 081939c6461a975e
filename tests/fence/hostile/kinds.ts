/** kinds.md, read: what must be seen of each kind of attack, by mode. */

import type { Seen } from "../../../src/cli/attack_verdict.ts";
import { type Mode, MODES } from "./modes.ts";

/** A cell of the table. */
export type Expected =
  /** Every attack of the kind is stopped. */
  | "held"
  /** Some attack of the kind gets through. */
  | "open"
  /** Means nothing in this mode. */
  | "n.a.";

/** One row. */
export interface Kind {
  readonly name: string;
  readonly tries: string;
  /** Ids of attacks, and of tests that are no attack of the matrix. */
  readonly ids: readonly string[];
  readonly expected: Readonly<Record<Mode, Expected>>;
}

/** Where the table is. */
export const KINDS_FILE: URL = new URL("../kinds.md", import.meta.url);

/** The rows of the document's tables. Throws for a row that says nothing known. */
export function readKinds(markdown: string): Kind[] {
  return markdown.split("\n").filter((line) => /^\| `/.test(line))
    .map((line) => {
      const [name = "", tries = "", ids = "", ...cells] = line.split("|")
        .slice(1, -1).map((cell) => cell.trim());
      if (cells.length !== MODES.length) {
        throw new Error(`kinds.md: ${name} has ${cells.length} modes`);
      }
      const expected = Object.fromEntries(
        MODES.map((mode, at) => [mode, expectedOf(name, cells[at]!)]),
      ) as Record<Mode, Expected>;
      return {
        name: name.replaceAll("`", ""),
        tries,
        ids: ids.split(/[ ,]+/).map((id) => id.replaceAll("`", ""))
          .filter((id) => id !== ""),
        expected,
      };
    });
}

function expectedOf(name: string, cell: string): Expected {
  if (cell === "held" || cell === "open" || cell === "n.a.") return cell;
  throw new Error(`kinds.md: ${name} says ${JSON.stringify(cell)}`);
}

/** What a kind comes to in a mode, from what was seen of its attacks. */
export function cellOf(seen: readonly Seen[]): Expected | "unclear" {
  if (seen.length === 0) return "n.a.";
  if (seen.includes("unclear")) return "unclear";
  return seen.includes("got through") ? "open" : "held";
}
