import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { foldName, SEGMENT, skillNameFrom } from "../../src/skill/names.ts";

Deno.test("skillNameFrom: the path below the root is the name", () => {
  for (const name of ["weather", "acme/billing/refunds", "a.b_c-d", "9"]) {
    deepEqual(skillNameFrom(name), { ok: true, value: name });
  }
});

Deno.test("skillNameFrom: refuses a segment that cannot stand in a name and names it", () => {
  for (
    const path of [
      "",
      ".hidden",
      "a//b",
      "a/../b",
      "a b",
      "über",
      "-x",
      "x\n",
      "a/" + "y".repeat(65),
    ]
  ) {
    const result = skillNameFrom(path);
    ok(!result.ok, JSON.stringify(path));
    equal(result.code, "PATH_REFUSED");
  }
  const result = skillNameFrom("acme/bad name");
  ok(!result.ok);
  match(result.message, /"bad name"/);
});

Deno.test("SEGMENT: 64 characters are the most", () => {
  ok(SEGMENT.test("a".repeat(64)));
  ok(!SEGMENT.test("a".repeat(65)));
});

Deno.test("foldName: names equal but for case fold to one", () => {
  equal(foldName("Acme/Refunds"), foldName("acme/refundS"));
  equal(foldName("stra\u00dfe"), foldName("STRASSE"));
  equal(foldName("\u212a"), foldName("k"));
  notEqual(foldName("a"), foldName("b"));
});
