import assert from "node:assert/strict";
import { quickServe } from "../../src/cli/quick_serve.ts";

Deno.test("quickServe: recognises what clients start", () => {
  assert.deepEqual(quickServe([]), { skills: [], noRun: false });
  assert.deepEqual(quickServe(["serve"]), { skills: [], noRun: false });
  assert.deepEqual(
    quickServe(["serve", "--skills", "/a", "--no-run", "--skills=/b"]),
    { skills: ["/a", "/b"], noRun: true },
  );
});

Deno.test("quickServe: leaves everything else to the parser", () => {
  for (
    const args of [
      ["list"],
      ["--help"],
      ["--version"],
      ["serve", "--json"],
      ["--skills"],
      ["--skills", "--no-run"],
      ["--no-run", "serve"],
      ["serve", "serve"],
      ["--"],
    ]
  ) assert.equal(quickServe(args), undefined, args.join(" "));
});
