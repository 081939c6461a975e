// Ends in the middle of every call but one.
import process from "node:process";
import { serve, text } from "./plain.mjs";

serve({
  leave: () => {
    process.stderr.write("going\u001b[2J now\n");
    process.exit(3);
  },
  stay: () => text("here"),
});
