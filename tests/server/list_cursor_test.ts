import assert from "node:assert/strict";
import fc from "fast-check";
import { readCursor, writeCursor } from "../../src/server/list_cursor.ts";

const PLAIN = { query: undefined, hidden: false };

Deno.test("cursor: what is written is read back, for the same listing only", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme" }),
    fc.nat(),
    fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    fc.boolean(),
    (name, problems, query, hidden) => {
      const position = {
        after: query === undefined ? name : problems,
        problems,
      };
      const of = { query, hidden };
      const cursor = writeCursor(position, of);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(readCursor(cursor, of), position);
      assert.equal(readCursor(cursor, { query, hidden: !hidden }), undefined);
      assert.equal(
        readCursor(cursor, { query: `${query ?? ""}!`, hidden }),
        undefined,
      );
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
  ) assert.equal(readCursor(text, PLAIN), undefined, text);
});
