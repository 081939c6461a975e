import assert from "node:assert/strict";
import fc from "fast-check";
import { type Listing, pageOf } from "../../../src/server/resources/pages.ts";

function listing(
  keys: readonly string[],
  item: (key: string) => string | undefined = (key) => key,
): Listing<string> {
  return { kind: "test", keys: [...keys].sort(), make: item };
}

async function walk(
  of: () => Listing<string>,
  bounds: { count: number; chars: number },
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf(of(), cursor, bounds);
    assert.ok(page !== undefined);
    pages.push(page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

Deno.test("pageOf: every item once and in order, within both bounds, none split", async () => {
  await fc.assert(fc.asyncProperty(
    fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1 })),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 60 }),
    async (keys, count, chars) => {
      const pages = await walk(() => listing(keys), { count, chars });
      assert.deepEqual(pages.flat(), [...keys].sort());
      for (const page of pages) {
        assert.ok(page.length <= count);
        const size = page.reduce((n, key) => n + JSON.stringify(key).length, 0);
        assert.ok(size <= chars || page.length === 1);
      }
    },
  ));
});

Deno.test("pageOf: items that are gone by now are passed over", async () => {
  const of = () =>
    listing(["a", "b", "c", "d"], (key) => key === "b" ? undefined : key);
  assert.deepEqual(
    await walk(of, { count: 2, chars: 100 }),
    [["a", "c"], ["d"]],
  );
});

Deno.test("pageOf: an empty listing is one empty page", async () => {
  assert.deepEqual(await walk(() => listing([]), { count: 1, chars: 1 }), [[]]);
});

Deno.test("pageOf: a cursor of another listing, a changed one and no cursor at all are refused", async () => {
  const bounds = { count: 1, chars: 100 };
  const { nextCursor } =
    (await pageOf(listing(["a", "b"]), undefined, bounds))!;
  const cursor = nextCursor!;
  for (
    const bad of [
      "",
      "x",
      "W10",
      btoa("[1,2]"),
      `${cursor}A`,
      ` ${cursor}`,
      cursor.slice(1),
    ]
  ) assert.equal(await pageOf(listing(["a"]), bad, bounds), undefined, bad);
  const other = { ...listing(["a", "b"]), kind: "other" };
  assert.equal(await pageOf(other, cursor, bounds), undefined);
});
