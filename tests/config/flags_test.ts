import { deepEqual, equal, match, ok } from "node:assert/strict";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import fc from "fast-check";
import { directoryJson, isPlain } from "../../src/config/directory.ts";
import { jsonDirectory } from "../../src/config/json_directory.ts";
import {
  type ConfigReading,
  type Flags,
  readConfig,
} from "../../src/config/read_config.ts";

const CWD = resolve("/work-dir");

function read(
  flags: Flags,
  env: Record<string, string> = {},
): ConfigReading {
  return readConfig({
    env,
    flags,
    cwd: CWD,
    bundledSkills: "/bundled",
    jsonDirectory,
  });
}

function onlyComplaint(flags: Flags, env?: Record<string, string>): string {
  const { complaints } = read(flags, env);
  equal(complaints.length, 1, JSON.stringify(complaints));
  equal(complaints[0]!.code, "CONFIG");
  return `${complaints[0]!.message} ${complaints[0]!.hint}`;
}

Deno.test("--skill-dir: JSON with filters, in one order with --skills", () => {
  const { config, complaints } = read({
    skills: [
      "/first",
      {
        json:
          '{"dir":"second","include":["acme/*"],"ignore":["*old"],"watch":false,"flat":true}',
      },
      "third",
      { json: '{"dir":"/fourth"}' },
    ],
  });
  deepEqual(complaints, []);
  equal(config.rootsFrom, "--skill-dir");
  const plain = { include: [], ignore: [], watch: true, flat: false };
  deepEqual(config.roots, [
    { path: "/first", ...plain },
    {
      path: join(CWD, "second"),
      include: ["acme/*"],
      ignore: ["*old"],
      watch: false,
      flat: true,
    },
    { path: join(CWD, "third"), ...plain },
    { path: "/fourth", ...plain },
  ]);
});

Deno.test("--skill-dir, --prompt-dir: a mistake names flag, value and what is accepted, and the directory is left out", () => {
  for (
    const [json, says] of [
      ["{", /not JSON/],
      ["{}", /dir/],
      ['{"dir":"  "}', /dir/],
      ['{"dir":7}', /dir/],
      ['{"dir":"/a","watch":"yes"}', /watch/],
      ['{"dir":"/a","include":"a"}', /include/],
      ['{"dir":"/a","include":[1]}', /include\.0/],
      ['{"dir":"/a","ignore":["ok","[z-a]"]}', /ignore\.1: is no glob/],
      ['{"dir":"/a","include":[""]}', /include\.0: is no glob/],
      ['{"dir":"/a","ingore":["b"]}', /ingore/],
      ['{"dir":"~/a"}', /~ is not expanded/],
    ] as const
  ) {
    const skills = onlyComplaint({ skills: [{ json }] });
    match(skills, says);
    match(skills, /^--skill-dir is ".*(Accepted:.*"ignore"|full path)/);
    deepEqual(read({ skills: [{ json }] }).config.roots, []);
    const prompts = onlyComplaint({ prompts: [{ dir: json }] });
    match(prompts, says);
    match(prompts, /^--prompt-dir is "/);
    deepEqual(read({ prompts: [{ dir: json }] }).config.prompts, []);
  }
  match(onlyComplaint({ skills: [{ json: "[]" }] }), /expected object/);
});

Deno.test("readConfig: JSON that nobody read is complained about, and nothing is served of it", () => {
  const { config, complaints } = readConfig({
    env: {},
    flags: {
      skills: [{ json: '{"dir":"/a"}' }],
      prompts: [{ dir: '{"dir":"/a"}' }],
    },
    cwd: CWD,
    bundledSkills: "/bundled",
  });
  equal(complaints.length, 2);
  deepEqual([config.roots, config.prompts], [[], []]);
});

Deno.test("--skill-dir: loses to MCP_SKILLS_PATH and is told", () => {
  const { config } = read({ skills: [{ json: '{"dir":"/b"}' }] }, {
    MCP_SKILLS_PATH: "/a",
  });
  deepEqual(config.roots.map(({ path }) => path), ["/a"]);
  match(config.notes!.join(), /--skill-dir is not used/);
});

Deno.test("directoryJson: --skill-dir reads back what it writes", () => {
  const glob = fc.stringMatching(/^[a-z/*]{1,10}$/);
  fc.assert(fc.property(
    fc.record({
      path: fc.stringMatching(/^\/[^\0~]{0,20}[^\0\s/~.]$/u)
        .filter((path) => resolve(path) === path),
      include: fc.array(glob),
      ignore: fc.array(glob),
      watch: fc.boolean(),
      flat: fc.boolean(),
    }),
    (directory) => {
      const { config } = read({ skills: [{ json: directoryJson(directory) }] });
      deepEqual(config.roots, [directory]);
      if (isPlain(directory)) {
        deepEqual(read({ skills: [directory.path] }).config.roots, [directory]);
      }
    },
  ));
});

Deno.test("readConfig: prompt files come before prompt directories, each in its order", () => {
  const { config, complaints } = read({
    prompts: [
      { dir: "one" },
      { file: "b.txt" },
      { dir: '{"dir":"/two","include":["x*"]}' },
      { file: "/a.md" },
      { file: " " },
    ],
  }, { SKILLFENCE_PROMPTS: "/not-used" });
  deepEqual(complaints, []);
  const plain = { include: [], ignore: [], watch: true };
  deepEqual(config.prompts, [
    { kind: "file", file: join(CWD, "b.txt") },
    { kind: "file", file: "/a.md" },
    { kind: "directory", directory: { path: join(CWD, "one"), ...plain } },
    {
      kind: "directory",
      directory: { ...plain, path: "/two", include: ["x*"] },
    },
  ]);
  for (const flags of [{ prompts: [{ file: "~/a.md" }] }]) {
    match(onlyComplaint(flags), /^--prompt-file is "~.*not expanded/);
  }
});

Deno.test("SKILLFENCE_PROMPTS: files and directories separated as in PATH", () => {
  const text = ["dir", " /a/AGENTS.md", "", "/b"].join(delimiter);
  const { config } = read({}, { SKILLFENCE_PROMPTS: text });
  deepEqual(
    config.prompts.map((source) =>
      source.kind === "file" ? source.file : source.directory.path
    ),
    ["/a/AGENTS.md", join(CWD, "dir"), "/b"],
  );
  deepEqual(config.prompts.map(({ kind }) => kind), [
    "file",
    "directory",
    "directory",
  ]);
  match(
    onlyComplaint({}, { SKILLFENCE_PROMPTS: "~/prompts" }),
    /^SKILLFENCE_PROMPTS is "~/,
  );
  deepEqual(read({}, { SKILLFENCE_PROMPTS: "${prompts}" }).config.prompts, []);
});

Deno.test("--skip-native and --poll are read, a poll out of bounds is refused", () => {
  const { config } = read({ skipNative: true, poll: ["30"] });
  deepEqual([config.skipNative, config.pollMs], [true, 30_000]);
  deepEqual([read({}).config.skipNative, read({}).config.pollMs], [
    false,
    undefined,
  ]);
  for (const text of ["0", "-1", "1.5", "soon", "", "86401", "1e3"]) {
    match(onlyComplaint({ poll: [text] }), /^--poll is ".*whole number/);
    equal(read({ poll: [text] }).config.pollMs, undefined);
  }
  match(onlyComplaint({ poll: ["1", "2"] }), /--poll was given 2 times/);
});

Deno.test("readConfig: any directory flag gives absolute paths or a complaint", () => {
  const value = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ dir: fc.string(), include: fc.array(fc.string()) })
      .map((shape) => JSON.stringify(shape)),
  );
  fc.assert(fc.property(value, (text) => {
    const { config, complaints } = read({
      skills: [{ json: text }],
      prompts: [{ dir: text }, { file: text }],
    });
    ok(config.roots.every(({ path }) => isAbsolute(path)));
    equal(
      config.roots.length,
      complaints.some(({ message }) => message.startsWith("--skill-dir"))
        ? 0
        : 1,
    );
    for (const source of config.prompts) {
      ok(isAbsolute(
        source.kind === "file" ? source.file : source.directory.path,
      ));
    }
  }));
});

Deno.test("--prompt-dir: flat is a word of skill roots alone", () => {
  const { complaints } = read({
    prompts: [{ dir: '{"dir":"/a","flat":true}' }],
  });
  equal(complaints.length, 1);
  match(complaints[0]!.message, /--prompt-dir.*flat/);
});

Deno.test("--workspace: each directory once, in order, what is blank not at all", () => {
  const { config, complaints } = read({
    workspaces: ["/b", "a", "/b/", " ", "${workspaceFolder}", "/c"],
  });
  deepEqual(complaints, []);
  deepEqual(config.workspaces, ["/b", join(CWD, "a"), "/c"]);
  deepEqual(read({}).config.workspaces, []);
});

Deno.test("--workspace: a leading ~ is refused, and the client's roots do not stand in", () => {
  match(onlyComplaint({ workspaces: ["~/work"] }), /--workspace is "~\/work"/);
  equal(read({ workspaces: ["~/work"] }).config.workspaces.length, 1);
});

Deno.test("SKILLFENCE_CONTEXT: a list of known words, else nothing of it", () => {
  const dialects = (text: string) =>
    read({}, { SKILLFENCE_CONTEXT: text }).config.contextDialects;
  deepEqual(dialects("cursor-rules, Copilot,,copilot"), [
    "cursor-rules",
    "copilot",
  ]);
  for (const nothing of ["", " ", ","]) deepEqual(dialects(nothing), []);
  match(
    onlyComplaint({}, { SKILLFENCE_CONTEXT: "cline,vim" }),
    /SKILLFENCE_CONTEXT is "cline,vim"; accepted: any of cursor-rules, copilot, windsurf, cline/,
  );
  deepEqual(dialects("cline,vim"), []);
});
