import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fileTimes,
  skillMetadata,
} from "../../../src/server/resources/metadata.ts";

Deno.test("fileTimes: RFC 3339 in UTC, whole seconds, cut and not rounded, left out when unknown", () => {
  assert.deepEqual(fileTimes(1_700_000_000_999, null), {
    modified: "2023-11-14T22:13:20Z",
  });
  assert.deepEqual(fileTimes(null, 0), { created: "1970-01-01T00:00:00Z" });
  assert.deepEqual(fileTimes(null, null), {});
  assert.deepEqual(fileTimes(NaN, 1e300), {});
  fc.assert(fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
    const { modified } = fileTimes(ms, null);
    const at = Date.parse(modified!);
    assert.ok(at <= ms && ms - at < 1000);
  }));
});

Deno.test("skillMetadata: the frontmatter verbatim without what is told elsewhere", () => {
  const skill = {
    frontmatter: {
      name: "a",
      title: "T",
      description: "D",
      references: ["../x"],
      "disable-model-invocation": true,
      nested: { list: [1, null, "x"] },
      size: "mine",
    },
    skillStamp: { size: 7, modifiedMs: 1000, changedMs: 1, ino: 1 },
    createdMs: null,
    skillFile: "/r/a/SKILL.md",
    dir: "/r/a",
  };
  const own = {
    name: "a",
    "disable-model-invocation": true,
    nested: { list: [1, null, "x"] },
    size: 7,
    modified: "1970-01-01T00:00:01Z",
  };
  assert.deepEqual(skillMetadata(skill, false), own);
  assert.deepEqual(skillMetadata(skill, true), {
    ...own,
    path: "/r/a/SKILL.md",
    bundleDir: "/r/a",
  });
  assert.equal(
    skillMetadata({ ...skill, frontmatter: undefined }, false)["size"],
    7,
  );
});
