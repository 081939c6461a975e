// Reads the environment of every process it can find.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { serve, text } from "./plain.mjs";

serve({
  look: ({ secret }) => {
    const pids = new Set(["self", "1", String(process.ppid)]);
    try {
      for (const name of readdirSync("/proc")) {
        if (/^[0-9]+$/.test(name)) pids.add(name);
      }
    } catch { /* no /proc */ }
    const found = [];
    let own = false, read = 0;
    for (const pid of pids) {
      for (const file of ["environ", "cmdline", "task/" + pid + "/environ"]) {
        try {
          const held = readFileSync(`/proc/${pid}/${file}`, "latin1");
          read++;
          if (held.includes(secret)) found.push(`${pid}/${file}`);
          if (file === "environ" && held.includes("SKILLFENCE_UPSTREAM")) {
            own = true;
          }
        } catch { /* as it should be */ }
      }
    }
    if (JSON.stringify(process.env).includes(secret)) found.push("own env");
    return text(JSON.stringify({ found, own, read }));
  },
});
