/**
 * Runs one script many times through the product and prints what is left, as
 * one JSON line: `deno run -A many_runs_program.ts ROOT TMP RUNS`.
 */

import { openFence } from "../support/fenced.ts";

/** What there is at one moment. */
interface Left {
  readonly processes: number;
  readonly zombies: number;
  readonly descriptors: number;
  readonly mounts: number;
  readonly temporary: number;
}

function look(tmp: string): Left {
  const states = [...Deno.readDirSync("/proc")]
    .filter(({ name }) => /^\d+$/.test(name) && Number(name) !== Deno.pid)
    .flatMap(({ name }) => {
      try {
        const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        // Its own children, and in a space of its own everything there is.
        const ours = Deno.pid === 1 || fields[1] === String(Deno.pid);
        return ours ? [fields[0]] : [];
      } catch {
        return [];
      }
    });
  return {
    processes: states.filter((state) => state !== "Z").length,
    zombies: states.filter((state) => state === "Z").length,
    descriptors: [...Deno.readDirSync("/proc/self/fd")].length,
    mounts: Deno.readTextFileSync("/proc/self/mountinfo").split("\n").length,
    temporary: [...Deno.readDirSync(tmp)].length,
  };
}

/**
 * What there is once it has come to rest: an orphan is taken in some time
 * after its run ended. After the bound, what there is then.
 */
async function atRest(tmp: string): Promise<Left> {
  let left = look(tmp);
  for (let [turn, same] = [0, 0]; turn < 200 && same < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = look(tmp);
    const still = JSON.stringify(now) === JSON.stringify(left);
    same = still && now.processes + now.zombies === 0 ? same + 1 : 0;
    left = now;
  }
  return left;
}

const [root = "", tmp = "", runs = "0"] = Deno.args;
using fence = openFence({ root, env: { SKILLFENCE_MAX_RUNS: "4" } });
const failures: string[] = [];

/** Every tenth is called off at once, every seventh fails by itself. */
async function once(at: number): Promise<void> {
  const prepared = await fence.prepare("a.mjs", {
    args: at % 7 === 0 ? ["fail"] : at % 10 === 3 ? ["wait"] : [],
  });
  if (!prepared.ok) return void failures.push(prepared.message);
  const controller = new AbortController();
  const running = fence.engine.runner.run(prepared.value, {
    signal: controller.signal,
  });
  if (at % 7 !== 0 && at % 10 === 3) {
    setTimeout(() => controller.abort(), at % 97);
  }
  const ran = await running;
  if (ran.ok && ran.value.cancelled) return;
  if (!ran.ok) {
    if (ran.code !== "CANCELLED") failures.push(ran.message);
  } else if (ran.value.exitCode !== (at % 7 === 0 ? 3 : 0)) {
    failures.push(`${at}: ${JSON.stringify(ran.value.exitCode)}`);
  }
}

async function many(from: number, to: number): Promise<void> {
  let next = from;
  await Promise.all(Array.from({ length: 4 }, async () => {
    while (next < to) await once(next++);
  }));
}

// What is opened once and kept is there after the first runs.
await many(0, 20);
const before = await atRest(tmp);
await many(20, Number(runs));
await once(1);
const after = await atRest(tmp);
const said = JSON.stringify({ pid: Deno.pid, before, after, failures });
await Deno.stdout.write(new TextEncoder().encode(`${said}\n`));
