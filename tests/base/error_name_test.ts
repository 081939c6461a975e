import assert from "node:assert/strict";
import { errorName } from "../../src/base/error_name.ts";

Deno.test("errorName: one word without a path, also where the runtime has no class", () => {
  const coded = (code: string) =>
    Object.assign(new Error("failed (os error 1): open '/home/x'"), { code });
  assert.equal(errorName(coded("ENOSPC")), "no space left on the device");
  assert.equal(errorName(coded("EMFILE")), "EMFILE");
  assert.equal(errorName(new Deno.errors.NotFound("/home/x")), "NotFound");
  assert.equal(errorName(new Error("/home/x")), "Error");
  assert.equal(errorName("/home/x"), "unknown error");
});
