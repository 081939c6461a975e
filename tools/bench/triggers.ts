/** What it costs to tell which skills come up, in a process that serves. */

import { join } from "node:path";
import type { Skill } from "../../src/catalog/types.ts";
import { compileTriggers } from "../../src/context/triggers.ts";
import type { Activation } from "../../src/skill/types.ts";
import type { Bench } from "./bench.ts";
import { ms, type Row, row } from "./row.ts";
import { StdioClient } from "./stdio_client.ts";
import { inTurns, timed } from "./timing.ts";

const SKILLS = 1_000;
const MESSAGE = 10 * 1024;
const WORDS =
  "alpha beta delta server client review deploy kubernetes database migrate release notes docker compose python rust typescript lint format security audit network proxy"
    .split(" ");

/** A message of 10 KB against 5,000 keywords, two paths against 10,000 globs. */
export async function measureTriggers(bench: Bench): Promise<Row[]> {
  const options = { workspaces: ["/work"] };
  const skills = Array.from({ length: SKILLS }, (_, n) => withKeywords(n));
  const rules = Array.from({ length: SKILLS }, (_, n) => withGlobs(n));
  const words = await compileTriggers(skills, options);
  const globs = await compileTriggers(rules, options);
  const message = messageOf(MESSAGE);
  const paths = ["src/module-7/a/b.ts", "app/main.kind-9.ts"];
  await makeKeyworded(join(bench.trees, "keyworded"));
  await using client = await StdioClient.start(bench.server("keyworded"));
  // As people write: a few of many skills come up, and their texts with them.
  const few = messageOf(MESSAGE).replaceAll("topic", "subject")
    .replace("subject30", "topic30").replace("subject300", "topic300");
  const call = () => client.call("skill_match", { message: few });
  // The first waits for the scan, and compiles.
  await call();
  const times = await inTurns(15, {
    node: bench.node,
    tool: () => timed(call),
    words: () => timed(() => words.match({ message })),
    globs: () => timed(() => globs.match({ paths })),
    compile: () => timed(() => compileTriggers(skills, options)),
  });
  const share = (time: number) => 100 * time / times.node;
  return [
    row(
      `skill_match over ${SKILLS} skills, a message of 10 KB, as a client waits for it (${
        ms(times.tool)
      }) / node -e 0, in %`,
      share(times.tool),
      10,
      "%",
    ),
    row(
      `${SKILLS} skills, a message of 10 KB (${
        ms(times.words)
      }) / node -e 0, in %`,
      share(times.words),
      10,
      "%",
    ),
    row(
      `10,000 globs, two paths (${ms(times.globs)}) / node -e 0, in %`,
      share(times.globs),
      25,
      "%",
    ),
    row(
      `compiling the keywords of ${SKILLS} skills (${
        ms(times.compile)
      }) / node -e 0, in %`,
      share(times.compile),
      undefined,
      "%",
    ),
  ];
}

function withKeywords(n: number): Skill {
  const keywords = keywordsOf(n);
  return skillWith(n, { kind: "keyword", keywords, inCode: false });
}

function keywordsOf(n: number): string[] {
  const word = WORDS[n % WORDS.length]!;
  return [
    `topic${n}`,
    `/command-${n}`,
    `${word} ${WORDS[n * 7 % WORDS.length]} ${n}`,
    `tool${n}.io`,
    `${word.slice(0, 4)}${n}`,
  ];
}

/** The same keywords in skills on disk. */
async function makeKeyworded(root: string): Promise<void> {
  for (let n = 0; n < SKILLS; n++) {
    const dir = join(root, `skill-${n}`);
    await Deno.mkdir(dir, { recursive: true });
    await Deno.writeTextFile(
      join(dir, "SKILL.md"),
      `---\nname: skill-${n}\ndescription: Does thing ${n}.\ntriggers: ${
        JSON.stringify(keywordsOf(n))
      }\n---\n\n# ${n}\n\n${"Some words. ".repeat(60)}\n`,
    );
  }
}

function withGlobs(n: number): Skill {
  return skillWith(n, {
    kind: "path",
    globs: [
      `src/module-${n}/**/*.ts`,
      `**/*.kind-${n}.ts`,
      `/docs/${n}/`,
      `!*.generated-${n}.ts`,
      `pkg-${n}-*/lib`,
      `lib/part-${n}/*.json`,
      `*.x${n}`,
      `test/**/case${n}[0-9]`,
      `name${n}`,
      `x/y/z${n}/**`,
    ],
  });
}

function skillWith(n: number, activation: Activation): Skill {
  // Nothing else of a skill is read.
  return { name: `skill-${n}`, activation, workspace: undefined } as Skill;
}

/** Prose with some code in it, and words that some of the keywords are. */
function messageOf(length: number): string {
  let text = "";
  for (let n = 0; text.length < length; n++) {
    const [a, b] = [WORDS[n % WORDS.length], WORDS[n * 5 % WORDS.length]];
    text += `Please ${a} the ${b} of topic${
      n * 3
    }, see src/x${n}.ts, then run it.\n`;
    if (n % 20 === 0) {
      text += `\n\`\`\`sh\ngit commit -m topic${n}\n\`\`\`\n\n` +
        `Not \`topic${n}\`, but topic${n + 500}.\n\n`;
    }
  }
  return text.slice(0, length);
}
