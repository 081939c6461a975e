import { equal, notEqual } from "node:assert/strict";
import { canonicalJson, sha256 } from "../../src/base/digest.ts";

Deno.test("sha256: known value, text and its bytes alike", () => {
  const empty =
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  equal(sha256(""), empty);
  equal(sha256(new Uint8Array()), empty);
  equal(sha256("é"), sha256(new TextEncoder().encode("é")));
});

Deno.test("canonicalJson: key order does not matter, at any depth", () => {
  equal(
    canonicalJson({ b: [{ z: 1, a: 2 }], a: null }),
    '{"a":null,"b":[{"a":2,"z":1}]}',
  );
  equal(canonicalJson({ b: 1, a: 2 }), canonicalJson({ a: 2, b: 1 }));
});

Deno.test("canonicalJson: list order, value types and __proto__ keys matter", () => {
  notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
  notEqual(canonicalJson({ a: "1" }), canonicalJson({ a: 1 }));
  equal(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}');
});

Deno.test("canonicalJson: an undefined member is left out", () => {
  equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
});
