/** What a client's hook waits for. */

import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { ms, type Row, row } from "./row.ts";
import { inTurns, timed } from "./timing.ts";

const SKILLS = 1_000;
const PAYLOAD = JSON.stringify({
  hook_event_name: "UserPromptSubmit",
  prompt: "please do thing 500, and see to word500",
  cwd: "/",
});

/** `match` over many skills: with a hit, and without one. */
export async function measureHooks(bench: Bench): Promise<Row[]> {
  await makeTriggered(join(bench.trees, "triggered"));
  const { command, args, env } = bench.server("triggered");
  const match = (payload: string, within: string) =>
    answer(command, [
      ...["match", "--stdin", "--client", "claude", "--within", within],
      ...args,
    ], { env, payload });
  // The first call waits for the index; those that are measured have it.
  await match(PAYLOAD, "30000");
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const first = await match(PAYLOAD, "30000");
  if (first === "") throw new Error("match says nothing");
  let answered = 0;
  let asked = 0;
  const quiet = PAYLOAD.replaceAll("500", "x");
  const times = await inTurns(15, {
    node: bench.node,
    hit: () =>
      timed(async () => {
        asked += 1;
        if (await match(PAYLOAD, "300") !== "") answered += 1;
      }),
    none: () => timed(() => match(quiet, "300")),
  });
  return [
    row(
      `match over ${SKILLS} skills, a hit (${ms(times.hit)}) / node -e 0 (${
        ms(times.node)
      })`,
      times.hit / times.node,
      4,
    ),
    row(
      `match over ${SKILLS} skills, no hit (${ms(times.none)}) / node -e 0`,
      times.none / times.node,
      4,
    ),
    row("hooks answered within 300 ms", 100 * answered / asked, undefined, "%"),
  ];
}

async function makeTriggered(root: string): Promise<void> {
  for (let i = 0; i < SKILLS; i++) {
    const dir = join(root, `skill-${i}`);
    await Deno.mkdir(dir, { recursive: true });
    await Deno.writeTextFile(
      join(dir, "SKILL.md"),
      `---\nname: skill-${i}\ndescription: Does thing ${i}.\ntriggers: [word${i}, "other words ${i}", /call-${i}]\n---\n\n# ${i}\n\n${
        "Some words. ".repeat(60)
      }\n`,
    );
  }
}

async function answer(
  command: string,
  args: string[],
  { env, payload }: {
    readonly env: Readonly<Record<string, string>>;
    readonly payload: string;
  },
): Promise<string> {
  await using child = new Deno.Command(command, {
    args,
    cwd: "/",
    clearEnv: true,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const text = new Response(child.stdout).text();
  await writer.write(new TextEncoder().encode(payload));
  await writer.close();
  return await text;
}
