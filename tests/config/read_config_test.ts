import assert from "node:assert/strict";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import fc from "fast-check";
import {
  type ConfigReading,
  type Flags,
  readConfig,
} from "../../src/config/read_config.ts";
import { setValue } from "../../src/config/values.ts";
import { readGrant } from "../../src/grant/parse_grant.ts";
import { VARIABLES } from "../../src/config/variables.ts";

const CWD = resolve("/work-dir");

function read(env: Record<string, string>, flags: Flags = {}): ConfigReading {
  return readConfig({ env, flags, cwd: CWD, bundledSkills: "/bundled" });
}

function onlyComplaint(env: Record<string, string>): string {
  const { complaints } = read(env);
  assert.equal(complaints.length, 1, JSON.stringify(complaints));
  assert.equal(complaints[0]!.code, "CONFIG");
  return `${complaints[0]!.message} ${complaints[0]!.hint}`;
}

function paths({ roots }: ConfigReading["config"]): string[] {
  return roots.map(({ path }) => path);
}

Deno.test("readConfig: nothing set is standalone, bundled skills, every default", () => {
  const { config, complaints } = read({});
  assert.deepEqual(complaints, []);
  assert.deepEqual(paths(config), ["/bundled"]);
  assert.equal(config.rootsFrom, "bundled");
  assert.equal(config.hosted, false);
  assert.equal(config.grantText, undefined);
  assert.equal(config.dataDir, undefined);
  assert.equal(config.maxSkills, 20_000);
  assert.equal(config.maxRuns, 1);
  assert.equal(config.confirm, "argument");
  assert.equal(config.requireUser, true);
  assert.equal(config.log, "warn");
  assert.equal(config.runTools, true);
  assert.equal(config.behindProxy, false);
  assert.equal(config.osFence, "auto");
  assert.equal(config.uid, undefined);
  assert.equal(config.redact, false);
  assert.equal(config.auditLog, undefined);
  assert.deepEqual(config.ceiling, {
    memory: 1024,
    cpu: 600,
    file: 1024,
    procs: 256,
    open: 1024,
    disk: 1024,
    files: 50_000,
  });
});

Deno.test("readConfig: the settings of the fence below Deno's are read", () => {
  const { config, complaints } = read({
    SKILLFENCE_OS_FENCE: "BWRAP+worker",
    SKILLFENCE_UID: "4294967294",
    SKILLFENCE_LIMITS: " memory=4096, cpu = 30 ",
    SKILLFENCE_REDACT: "1",
    SKILLFENCE_AUDIT_LOG: "/var/log/skillfence.jsonl",
  });
  assert.deepEqual(complaints, []);
  assert.equal(config.osFence, "bwrap+worker");
  assert.equal(config.uid, 4_294_967_294);
  assert.deepEqual([config.ceiling.memory, config.ceiling.cpu], [4096, 30]);
  assert.equal(config.ceiling.open, 1024);
  assert.equal(config.redact, true);
  assert.equal(config.auditLog, "/var/log/skillfence.jsonl");
});

Deno.test("readConfig: roots come from MCP_SKILLS_PATH, else --skills, else SKILLS_DIR", () => {
  const flags = { skills: ["flagged"] };
  const all = read({ MCP_SKILLS_PATH: "/a", SKILLS_DIR: "/c" }, flags).config;
  assert.deepEqual([all.rootsFrom, paths(all)], ["MCP_SKILLS_PATH", ["/a"]]);
  const flag = read({ SKILLS_DIR: "/c" }, flags).config;
  assert.deepEqual([flag.rootsFrom, paths(flag)], [
    "--skills",
    [join(CWD, "flagged")],
  ]);
  const dir = read({ SKILLS_DIR: "/c" }).config;
  assert.deepEqual([dir.rootsFrom, paths(dir)], ["SKILLS_DIR", ["/c"]]);
});

Deno.test("readConfig: a path list is split, trimmed, emptied of blanks and resolved", () => {
  const text = [" /a ", "", "rel/b", " "].join(delimiter);
  assert.deepEqual(paths(read({ SKILLS_DIR: text }).config), [
    "/a",
    join(CWD, "rel/b"),
  ]);
});

Deno.test("readConfig: a list without a part falls through to the next source", () => {
  const { config } = read({ MCP_SKILLS_PATH: delimiter, SKILLS_DIR: "/c" });
  assert.deepEqual([config.rootsFrom, paths(config)], ["SKILLS_DIR", ["/c"]]);
  assert.equal(config.hosted, true, "the marker is set all the same");
});

Deno.test("readConfig: a --skills that loses to MCP_SKILLS_PATH is told", () => {
  const { config } = read({ MCP_SKILLS_PATH: "/a" }, { skills: ["/b"] });
  assert.match(config.notes!.join(), /--skills is not used/);
  assert.deepEqual(read({}, { skills: ["/b"] }).config.notes, []);
});

Deno.test("setValue: blank, undefined, null and a whole placeholder count as unset", () => {
  for (
    const raw of [
      "",
      "  ",
      "undefined",
      " null ",
      "${X}",
      "${user.dir}",
      " ${}",
    ]
  ) {
    assert.equal(setValue(raw), undefined, JSON.stringify(raw));
  }
  assert.equal(setValue(" /a "), "/a");
  assert.equal(setValue("${X}/skills"), "${X}/skills");
  assert.equal(setValue("Undefined"), "Undefined");
});

Deno.test("readConfig: a placeholder neither sets a root nor makes the server hosted", () => {
  const { config } = read({ MCP_SKILLS_PATH: "${skills_dir}" });
  assert.deepEqual([config.hosted, config.rootsFrom], [false, "bundled"]);
});

Deno.test("readConfig: only a blank grant is unset, a launcher's leftover is an unreadable one", () => {
  for (const blank of ["", " \n"]) {
    const { config } = read({ MCP_SKILL_RUN: blank });
    assert.equal(config.grantText, undefined);
  }
  for (const text of ["${GRANT}", "undefined", "null", "${user_config.run}"]) {
    const { config, complaints } = read({ MCP_SKILL_RUN: ` ${text} ` });
    assert.equal(config.grantText, text);
    assert.deepEqual(complaints, []);
    const { from, rows, notes } = readGrant(config.grantText, false);
    assert.deepEqual([from, rows.length, notes.length], [
      "MCP_SKILL_RUN",
      0,
      1,
    ]);
  }
});

Deno.test("readConfig: each host marker alone makes the server hosted", () => {
  const markers = [
    "MCP_SKILLS_PATH",
    "MCP_HOST_METER_FILE",
    "MCP_DATA_DIR",
    "MCP_BLOB_BASE_URL",
  ];
  for (const name of markers) {
    assert.equal(read({ [name]: "/x" }).config.hosted, true, name);
  }
  const own = read({ SKILLFENCE_DATA_DIR: "/data", SKILLS_DIR: "/s" }).config;
  assert.deepEqual([own.hosted, own.dataDir], [false, "/data"]);
});

Deno.test("readConfig: MCP_DATA_DIR wins over SKILLFENCE_DATA_DIR", () => {
  const env = { MCP_DATA_DIR: "/host", SKILLFENCE_DATA_DIR: "/own" };
  assert.equal(read(env).config.dataDir, "/host");
});

Deno.test("readConfig: a malformed value names variable, value and what is accepted", () => {
  for (
    const [name, value, says] of [
      ["SKILLFENCE_MAX_RUNS", "0", /"0".*whole number from 1 to 64/],
      ["SKILLFENCE_MAX_RUNS", "1.5", /"1.5".*whole number/],
      ["SKILLFENCE_MAX_SKILLS", "many", /"many".*whole number/],
      ["SKILLFENCE_CONFIRM", "ask", /"ask".*argument, plan/],
      ["SKILLFENCE_CONFIRM", "${MODE}", /"\$\{MODE\}".*argument, plan/],
      ["SKILLFENCE_REQUIRE_USER", "yes", /"yes".*0, 1/],
      ["SKILLFENCE_LOG", "loud", /"loud".*error, warn, info, debug/],
      ["SKILLFENCE_OS_FENCE", "on", /"on".*auto, bwrap, .*require/],
      ["SKILLFENCE_UID", "0", /"0".*from 1 to 4294967294/],
      ["SKILLFENCE_UID", "4294967295", /"4294967295".*from 1 to 4294967294/],
      ["SKILLFENCE_UID", "nobody", /"nobody".*whole number/],
      ["SKILLFENCE_LIMITS", "ram=5", /"ram=5".*any of memory, cpu, file,/],
      ["SKILLFENCE_LIMITS", "${LIMITS}", /any of memory/],
      [
        "SKILLFENCE_LIMITS",
        "cpu=30, procs=8",
        /: "procs=8" is no whole number from 16 to 32768; accepted/,
      ],
      ["SKILLFENCE_LIMITS", "memory", /: "memory" is no word=number;/],
      ["SKILLFENCE_LIMITS", "ram=5,cpu=x", /"ram=5" names no limit.*"cpu=x"/],
      ["SKILLFENCE_LIMITS", "cpu=2,cpu=3", /"cpu=3" comes after another cpu;/],
      ["SKILLFENCE_LIMITS", "a\u001b[2J=1", /: "a\\u\{1b\}\[2J=1" names no/],
      ["SKILLFENCE_REDACT", "yes", /"yes".*0, 1/],
      ["SKILLFENCE_AUDIT_LOG", "audit.log", /"audit.log".*absolute path/],
      ["SKILLFENCE_DENO", "deno", /"deno".*absolute path/],
      ["SKILLFENCE_CACHE_DIR", "cache", /"cache".*absolute path/],
      ["SKILLFENCE_DATA_DIR", "./data", /".\/data".*absolute path/],
      ["SKILLFENCE_TOKEN_FILE", "token", /"token".*absolute path/],
      ["SKILLFENCE_PLAN_KEY_FILE", "./key", /".\/key".*absolute path/],
      ["MCP_DATA_DIR", "data", /"data".*absolute path/],
    ] as const
  ) {
    const said = onlyComplaint({ [name]: value });
    assert.match(said, says);
    assert.ok(said.startsWith(name), said);
  }
});

Deno.test("readConfig: a malformed value is read as the strictest one", () => {
  const { config } = read({
    SKILLFENCE_CONFIRM: "plna",
    SKILLFENCE_REQUIRE_USER: "no",
    SKILLFENCE_MAX_RUNS: "lots",
    SKILLFENCE_OS_FENCE: "of",
    SKILLFENCE_UID: "root",
    SKILLFENCE_LIMITS: "memory=2048,cpu=30,open=many",
    SKILLFENCE_REDACT: "true",
  });
  assert.equal(config.confirm, "plan");
  assert.equal(config.requireUser, true);
  assert.equal(config.maxRuns, 1);
  assert.equal(config.osFence, "require");
  assert.equal(config.uid, 65_534);
  assert.equal(config.redact, true);
  assert.deepEqual(config.ceiling, {
    memory: 512,
    cpu: 30,
    file: 100,
    procs: 64,
    open: 256,
    disk: 256,
    files: 10_000,
  });
  assert.equal(config.complaints.length, 7);
});

Deno.test("readConfig: an unknown SKILLFENCE_ name is an error that names the nearest", () => {
  const said = onlyComplaint({ SKILLFENCE_CONFRIM: "plan" });
  assert.match(said, /SKILLFENCE_CONFRIM.*nearest is SKILLFENCE_CONFIRM/);
  assert.deepEqual(read({ SKILLFENCEX: "1", OTHER: "1" }).complaints, []);
});

Deno.test("readConfig: a leading ~ is refused in words, not expanded", () => {
  for (const name of ["MCP_SKILLS_PATH", "SKILLS_DIR", "SKILLFENCE_DENO"]) {
    assert.match(
      onlyComplaint({ [name]: "~/skills" }),
      /~ is not expanded.*full path/,
    );
  }
  const flagged = read({}, { skills: ["~/skills", "/ok"] });
  assert.match(flagged.complaints[0]!.message, /--skills is "~\/skills"/);
  assert.deepEqual(paths(flagged.config), ["/ok"]);
});

Deno.test("readConfig: values of variables are handed on verbatim, placeholders are not", () => {
  const { config } = read({ KEY: " s p ", EMPTY: " ", HOLE: "${KEY}" });
  assert.equal(config.env("KEY"), " s p ");
  assert.equal(config.env("EMPTY"), undefined);
  assert.equal(config.env("HOLE"), undefined);
  assert.equal(config.env("toString"), undefined, "own names only");
});

Deno.test("readConfig: --no-run and the proxy variables are seen", () => {
  assert.equal(read({}, { noRun: true }).config.runTools, false);
  for (
    const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
  ) {
    assert.equal(read({ [name]: "http://p" }).config.behindProxy, true, name);
  }
});

Deno.test("readConfig: any environment gives a Config, and complaints name what is set", () => {
  const names = [
    ...VARIABLES.map((row) => row.name),
    "SKILLFENCE_X",
    "HTTP_PROXY",
  ];
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...names), fc.string()),
      (env) => {
        const { config, complaints } = read(env);
        assert.ok(config.roots.every(({ path }) => isAbsolute(path)));
        assert.ok(config.maxRuns >= 1 && config.maxSkills >= 1);
        assert.equal(config.http, undefined);
        for (const { message } of complaints) {
          assert.ok(names.some((name) => message.startsWith(name)), message);
        }
      },
    ),
  );
});
