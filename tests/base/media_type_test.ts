import { equal } from "node:assert/strict";
import { mediaType } from "../../src/base/media_type.ts";

Deno.test("mediaType: by extension, in any case", () => {
  equal(mediaType("SKILL.md"), "text/markdown");
  equal(mediaType("a/b.PNG"), "image/png");
  equal(mediaType("a.tar.zip"), "application/zip");
});

Deno.test("mediaType: unknown, missing and inherited names are octets", () => {
  for (
    const path of [
      "LICENSE",
      "a.unknown",
      "a.constructor",
      "x.toString",
      "x.__proto__",
      "dir.md/file",
    ]
  ) {
    equal(mediaType(path), "application/octet-stream", path);
  }
});
