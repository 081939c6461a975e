import assert from "node:assert/strict";
import fc from "fast-check";
import { readCursor, writeCursor } from "../../src/server/list_cursor.ts";

Deno.test("cursor: what is written is read back, for the same query only", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme" }),
    fc.nat(),
    fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    (name, problems, query) => {
      const position = {
        after: query === undefined ? name : problems,
        problems,
      };
      const cursor = writeCursor(position, query);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(readCursor(cursor, query), position);
      assert.equal(readCursor(cursor, `${query ?? ""}!`), undefined);
    },
  ));
});

Deno.test("cursor: anything else is no cursor", () => {
  const forged = (value: unknown) => btoa(JSON.stringify(value));
  for (
    const text of [
      "",
      "x",
      "%%%",
      forged(null),
      forged(["", "a"]),
      forged(["", 3, 0]),
      forged(["", "a", -1]),
      forged(["", "a", 0.5]),
      forged(["", "a", "0"]),
    ]
  ) assert.equal(readCursor(text, undefined), undefined, text);
});
