import assert from "node:assert/strict";
import {
  REFERENCE,
  toolsReference,
} from "../../tools/generate_tools_reference.ts";

Deno.test("docs/reference/tools.md: the committed page is what the schemas give", async () => {
  // Windows checkouts may turn line ends.
  const committed = (await Deno.readTextFile(REFERENCE)).replaceAll(
    "\r\n",
    "\n",
  );
  assert.equal(committed, toolsReference());
});
