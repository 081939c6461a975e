import { deepEqual, equal, match } from "node:assert/strict";
import { heldSecretNotes } from "../../src/cli/held_secrets.ts";
import { declares } from "../grant/support.ts";

Deno.test("heldSecretNotes: one for each variable with hosts, in order, none for others", () => {
  const notes = heldSecretNotes(
    "weather",
    declares({}, ["*.x.com"], {
      KEY: ["a.x.com", "b.x.com"],
      FREE: undefined,
      LOST: [],
    }),
  );
  equal(notes.length, 2);
  match(
    notes[0]!,
    /^weather: the value of KEY is held back by the run's proxy, .*header values, over https to a\.x\.com, b\.x\.com\. .*URL or in a request body does not work/,
  );
  match(notes[1]!, /value of LOST .* nothing gets it/);
  deepEqual(heldSecretNotes("weather", declares({})), []);
});
