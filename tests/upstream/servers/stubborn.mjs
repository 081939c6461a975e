// Ignores what asks it to end, and leaves processes behind.
import { spawn } from "node:child_process";
import process from "node:process";
import { serve, text } from "./plain.mjs";

for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
setInterval(() => {}, 1000);
const mark = process.argv[2];
serve({
  stay: () => text("here"),
  fork: () => {
    const said = [];
    const stays = `(sleep 1000; : ${mark}) & sleep 1000; : ${mark}`;
    // Its parent ends at once, and nobody knows whose it is.
    const orphan = `(sleep 1000; : ${mark}) & exit`;
    for (
      const [detached, words] of [[false, stays], [true, stays], [true, orphan]]
    ) {
      try {
        const child = spawn("/bin/sh", ["-c", words], {
          detached,
          stdio: detached ? "ignore" : "inherit",
        });
        child.on("error", () => {});
        child.unref();
        said.push(child.pid === undefined ? "no" : "yes");
      } catch (error) {
        said.push(error.code);
      }
    }
    return text(said.join());
  },
});
