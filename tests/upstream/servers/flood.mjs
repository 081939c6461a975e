// Comes up as it should, and then writes without end where its argument says.
import { writeSync } from "node:fs";
import process from "node:process";
import { serve, text } from "./plain.mjs";

const [what] = process.argv.slice(2);
const chunk = {
  stderr: "noise\n".repeat(10_000),
  notes: `${
    JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: "x" },
    })
  }\n`.repeat(1_000),
  garbage: "this is not the protocol\n".repeat(1_000),
  line: "x".repeat(65_536),
  requests: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`
    .repeat(1_000),
}[what];
serve({
  flood: () => {
    const fd = what === "stderr" ? 2 : 1;
    for (;;) {
      try {
        writeSync(fd, chunk);
      } catch (error) {
        if (error.code !== "EAGAIN") process.exit(1);
      }
    }
  },
  big: () => text("y".repeat(100 * 1024 * 1024)),
});
