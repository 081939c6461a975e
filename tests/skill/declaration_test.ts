import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readDeclaration } from "../../src/skill/declaration.ts";
import { parseFrontmatter } from "../../src/skill/frontmatter.ts";
import { admits } from "../../src/skill/host_sets.ts";
import type { Declaration, Finding } from "../../src/skill/types.ts";

function declare(
  yaml: string,
): { declaration: Declaration; findings: Finding[] } {
  const read = parseFrontmatter(`mcp-host:\n${yaml.replace(/^/gm, "  ")}`);
  if (!read.ok) throw new Error(read.finding.detail);
  return readDeclaration(read.values["mcp-host"], read.locate);
}

/** A block with one entry, plus lines for that entry. */
function entry(more: string): string {
  return `version: 1\nrun:\n  - script: a.js\n    interpreter: node\n${
    more.replace(/^/gm, "    ")
  }`;
}

Deno.test("readDeclaration: a run entry, variables and egress", () => {
  const { declaration, findings } = declare(`version: 1
run:
  - script: scripts/forecast.js
    interpreter: node
    env: [WEATHER_API_KEY]
    timeout: 30
    workspace: read
env:
  - name: WEATHER_API_KEY
    description: From the site.
    secret: true
egress: [api.weather.example, "*.maps.example:8443"]
state: {}`);
  deepEqual(findings, []);
  deepEqual(declaration.scripts, [{
    script: "scripts/forecast.js",
    interpreter: "node",
    env: ["WEATHER_API_KEY"],
    timeoutMs: 30_000,
    workspace: "read",
    sockets: false,
    limits: {},
  }]);
  deepEqual(declaration.variables, [{
    name: "WEATHER_API_KEY",
    description: "From the site.",
    secret: true,
    required: false,
  }]);
  deepEqual(declaration.egress.map((host) => host.text), [
    "api.weather.example",
    "*.maps.example:8443",
  ]);
});

Deno.test("readDeclaration: what is left out has its default", () => {
  const { declaration } = declare(entry(""));
  deepEqual(declaration.scripts, [
    {
      script: "a.js",
      interpreter: "node",
      env: [],
      timeoutMs: 60_000,
      sockets: false,
      limits: {},
    },
  ]);
  deepEqual(declaration.egress, []);
});

for (
  const [what, block] of [
    ["no mapping", null],
    ["a list", []],
    ["text", "x"],
    ["no version", { run: [] }],
    ["version 2", {
      version: 2,
      run: [{ script: "a.js", interpreter: "node" }],
    }],
    ["version as text", { version: "1" }],
    ["version 1.5", { version: 1.5 }],
  ] as const
) {
  Deno.test(`readDeclaration: ${what} drops the whole block and is an error`, () => {
    const { declaration, findings } = readDeclaration(block, () => undefined);
    deepEqual(declaration, { scripts: [], variables: [], egress: [] });
    equal(findings.length, 1);
    equal(findings[0]!.severity, "error");
  });
}

Deno.test("readDeclaration: an unknown version is named", () => {
  match(declare("version: 7").findings[0]!.detail, /7 is not understood/);
});

Deno.test("readDeclaration: unknown keys are reported by name, with their place", () => {
  const { declaration, findings } = declare(
    `version: 1\negres: [a.example]\nrun:\n  - script: a.js\n    interpreter: node\n    time: 3`,
  );
  equal(declaration.scripts.length, 1);
  deepEqual(findings.map((f) => [f.severity, f.line, f.column]), [
    ["warning", 4, 3],
    ["warning", 8, 7],
  ]);
  match(findings[0]!.detail, /mcp-host\.egres:.*ignored/);
  match(findings[0]!.hint, /egress/);
  match(findings[1]!.detail, /mcp-host\.run\[0\]\.time:/);
});

for (
  const [what, lines] of Object.entries({
    "no mapping": "- a.js",
    "no script": "- interpreter: node",
    "a script that is no text": "- script: 7\n  interpreter: node",
    "an escaping script": "- script: ../a.js\n  interpreter: node",
    "an absolute script": "- script: /a.js\n  interpreter: node",
    "no interpreter": "- script: a.js",
    "an interpreter that is no text": "- script: a.js\n  interpreter: [node]",
  })
) {
  Deno.test(`readDeclaration: an entry with ${what} is dropped alone and is an error`, () => {
    const { declaration, findings } = declare(
      `version: 1\nrun:\n${
        lines.replace(/^/gm, "  ")
      }\n  - script: ok.js\n    interpreter: node`,
    );
    deepEqual(declaration.scripts.map((s) => s.script), ["ok.js"]);
    deepEqual(findings.map((f) => f.severity), ["error"]);
    match(findings[0]!.detail, /^mcp-host\.run\[0\]/);
    ok(findings[0]!.line !== undefined);
  });
}

Deno.test("readDeclaration: a repeated script keeps its first entry", () => {
  const { declaration, findings } = declare(
    entry("timeout: 5") + "\n  - script: a.js\n    interpreter: deno",
  );
  deepEqual(declaration.scripts.map((s) => s.interpreter), ["node"]);
  match(findings[0]!.detail, /already/);
});

Deno.test("readDeclaration: any interpreter is kept, the fence decides", () => {
  const { declaration, findings } = declare(
    "version: 1\nrun:\n  - script: a.py\n    interpreter: python3",
  );
  equal(declaration.scripts[0]!.interpreter, "python3");
  deepEqual(findings, []);
});

for (
  const [text, ms, reported] of [
    ["30", 30_000, false],
    ["0.5", 500, false],
    ["300", 300_000, false],
    ["0.001", 1, false],
    ["0.0001", 1, true],
    ["301", 300_000, true],
    [".inf", 300_000, true],
    ["1e300", 300_000, true],
    ["0", 60_000, true],
    ["-1", 60_000, true],
    [".nan", 60_000, true],
    ['"30"', 60_000, true],
    ["null", 60_000, true],
  ] as const
) {
  Deno.test(`readDeclaration: timeout ${text} is ${ms} ms${reported ? ", reported" : ""}`, () => {
    const { declaration, findings } = declare(entry(`timeout: ${text}`));
    equal(declaration.scripts[0]!.timeoutMs, ms);
    deepEqual(findings.map((f) => f.severity), reported ? ["warning"] : []);
  });
}

Deno.test("readDeclaration: every refused variable is reported by name", () => {
  const { declaration, findings } = declare(
    entry("env: [GOOD, deno_dir, Https_Proxy, LD_PRELOAD, 1X, 7, GOOD]"),
  );
  deepEqual(declaration.scripts[0]!.env, ["GOOD"]);
  equal(findings.length, 5);
  for (const word of ["deno_dir", "Https_Proxy", "LD_PRELOAD", "1X", "7"]) {
    ok(findings.some((f) => f.detail.includes(word)), word);
  }
});

Deno.test("readDeclaration: env and egress that are no lists hold nothing", () => {
  const { declaration, findings } = declare(
    entry("env: GOOD") + "\negress: a.example",
  );
  deepEqual(declaration.scripts[0]!.env, []);
  deepEqual(declaration.egress, []);
  equal(findings.length, 2);
});

Deno.test("readDeclaration: a refused host costs only itself and says why", () => {
  const { declaration, findings } = declare(
    'version: 1\negress: [a.example, "*.com", "http://x.example", 7, A.example, 127.1]',
  );
  deepEqual(declaration.egress.map((h) => h.text), ["a.example"]);
  equal(findings.length, 4);
  match(findings[0]!.detail, /everybody can register/);
});

Deno.test("readDeclaration: workspace is read or write, else none", () => {
  const { declaration, findings } = declare(entry("workspace: both"));
  equal(declaration.scripts[0]!.workspace, undefined);
  equal(findings.length, 1);
});

for (
  const [text, sockets, reported] of [
    ["true", true, false],
    ["false", false, false],
    ["yes", false, true],
    ["1", false, true],
    ["null", false, true],
    ["[true]", false, true],
  ] as const
) {
  Deno.test(`readDeclaration: sockets ${text} is ${sockets}${reported ? ", reported" : ""}`, () => {
    const { declaration, findings } = declare(entry(`sockets: ${text}`));
    equal(declaration.scripts[0]!.sockets, sockets);
    deepEqual(findings.map((f) => f.severity), reported ? ["warning"] : []);
  });
}

Deno.test("readDeclaration: limits are whole numbers under their words", () => {
  const { declaration, findings } = declare(
    entry(
      "limits: { memory: 256, cpu: 5, file: 1, procs: 20, open: 65, disk: 8, files: 9 }",
    ),
  );
  deepEqual(findings, []);
  deepEqual(declaration.scripts[0]!.limits, {
    memory: 256,
    cpu: 5,
    file: 1,
    procs: 20,
    open: 65,
    disk: 8,
    files: 9,
  });
});

Deno.test("readDeclaration: a bad limit is left out alone, by name and place", () => {
  const { declaration, findings } = declare(
    entry(
      "limits:\n  memory: 0\n  cpu: 1.5\n  open: '64'\n  disk: 1e30\n  ram: 5\n  files: null\n  procs: 30",
    ),
  );
  deepEqual(declaration.scripts[0]!.limits, { procs: 30 });
  for (const word of ["memory", "cpu", "open", "disk", "ram", "files"]) {
    const found = findings.filter(({ detail }) =>
      detail.startsWith(`mcp-host.run[0].limits.${word}:`)
    );
    deepEqual(found.map((f) => [f.severity, f.line !== undefined]), [
      ["warning", true],
    ], word);
  }
  equal(findings.length, 6);
});

Deno.test("readDeclaration: limits that are no mapping leave the defaults", () => {
  for (const text of ["512", "[memory]", "none"]) {
    const { declaration, findings } = declare(entry(`limits: ${text}`));
    deepEqual(declaration.scripts[0]!.limits, {});
    equal(findings.length, 1, text);
  }
});

/** The first variable of a block whose egress is fixed. */
function variable(
  more: string,
): { hosts: string[] | undefined; secret: boolean; findings: Finding[] } {
  const { declaration, findings } = declare(
    `version: 1\negress: [api.x.com, "*.y.org:8443", "10.0.0.1:80"]\nenv:\n  - name: KEY\n${
      more.replace(/^/gm, "    ")
    }`,
  );
  const { hosts, secret } = declaration.variables[0]!;
  return { hosts: hosts?.map(({ text }) => text), secret, findings };
}

Deno.test("readDeclaration: a secret names the exact hosts its value is sent to", () => {
  const { hosts, findings } = variable(
    'secret: true\nhosts: [API.x.com, "api.x.com:443", "a.y.org:8443", "10.0.0.1:80", api.x.com]',
  );
  deepEqual(hosts, [
    "api.x.com",
    "api.x.com:443",
    "a.y.org:8443",
    "10.0.0.1:80",
  ]);
  deepEqual(findings, []);
  equal(variable("secret: true").hosts, undefined);
});

for (
  const [what, host, says] of [
    ["a wildcard", '"*.y.org:8443"', /wildcard/],
    ["outside the egress", "z.net", /not within the declared egress/],
    ["on another port", '"api.x.com:8443"', /not within the declared egress/],
    ["on more ports than declared", "a.y.org", /not within the declared/],
    ["no host", '"https://api.x.com"', /is a URL/],
    ["no text", "7", /7 is not text/],
  ] as const
) {
  Deno.test(`readDeclaration: a secret's host that is ${what} is left out alone`, () => {
    const { hosts, findings } = variable(
      `secret: true\nhosts: [${host}, api.x.com]`,
    );
    deepEqual(hosts, ["api.x.com"]);
    deepEqual(findings.map((f) => f.severity), ["warning"]);
    match(findings[0]!.detail, /^mcp-host\.env\[0\]\.hosts\[0\]: /);
    match(findings[0]!.detail, says);
  });
}

for (const text of ["[]", "[z.net]", "api.x.com", "null", "{ a: b }"]) {
  Deno.test(`readDeclaration: a secret with hosts: ${text} is held back from everybody`, () => {
    const { hosts, secret, findings } = variable(
      `secret: true\nhosts: ${text}`,
    );
    deepEqual([hosts, secret], [[], true]);
    ok(findings.some(({ detail }) => /held back from all/.test(detail)));
  });
}

Deno.test("readDeclaration: hosts without secret: true are ignored, reported", () => {
  for (const more of ["hosts: [api.x.com]", "secret: false\nhosts: []"]) {
    const { hosts, findings } = variable(more);
    equal(hosts, undefined);
    match(findings[0]!.detail, /without secret: true/);
    equal(findings.length, 1);
  }
});

Deno.test("readDeclaration: of two entries for a variable the first stands, reported", () => {
  const { declaration, findings } = declare(
    "version: 1\nenv:\n  - { name: KEY }\n  - { name: KEY, secret: true }",
  );
  deepEqual(declaration.variables.map(({ secret }) => secret), [false]);
  deepEqual(findings.map((f) => f.severity), ["warning"]);
  match(findings[0]!.detail, /KEY is proposed already/);
});

Deno.test("readDeclaration: a value is held exactly when a secret has hosts, and never for hosts beyond egress", () => {
  const host = fc.constantFrom(
    "x.com",
    "a.x.com",
    "*.x.com",
    "x.com:443",
    "x.com:8443",
    "10.0.0.1",
    "*",
    "",
  );
  let held = 0;
  fc.assert(
    fc.property(
      fc.array(host),
      fc.oneof(fc.array(fc.oneof(host, fc.jsonValue())), fc.jsonValue()),
      fc.oneof(fc.boolean(), fc.jsonValue()),
      (egress, hosts, secret) => {
        const { declaration } = readDeclaration({
          version: 1,
          egress,
          env: [{ name: "KEY", secret, hosts }],
        }, () => undefined);
        const [variable] = declaration.variables;
        equal(variable!.hosts !== undefined, secret !== false);
        for (const { host, kind, ports } of variable!.hosts ?? []) {
          held++;
          ok(kind !== "wildcard");
          for (const port of ports) {
            ok(admits(declaration.egress, host, port), `${host}:${port}`);
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
  ok(held > 100, `${held} hosts`);
});

Deno.test("readDeclaration: at most 64 scripts, variables and hosts, reported", () => {
  const many = Array.from({ length: 70 }, (_, i) => i);
  const { declaration, findings } = readDeclaration({
    version: 1,
    run: many.map((i) => ({
      script: `s${i}.js`,
      interpreter: "node",
      ...(i === 0 ? { env: many.map((n) => `V${n}`) } : {}),
    })),
    env: many.map((i) => ({ name: `V${i}` })),
    egress: many.map((i) => `h${i}.example`),
  }, () => undefined);
  equal(declaration.scripts.length, 64);
  equal(declaration.scripts[0]!.env.length, 64);
  equal(declaration.variables.length, 64);
  equal(declaration.egress.length, 64);
  equal(findings.filter((f) => /holds 70/.test(f.detail)).length, 4);
});

Deno.test("readDeclaration: a flood of findings is cut and counted", () => {
  const block: Record<string, unknown> = { version: 1 };
  for (let i = 0; i < 500; i++) block[`k${i}`] = 1;
  const { findings } = readDeclaration(block, () => undefined);
  equal(findings.length, 65);
  match(findings.at(-1)!.detail, /436 further/);
});

Deno.test("readDeclaration: strangers' words are shown, not obeyed", () => {
  const { findings } = readDeclaration(
    {
      version: 1,
      run: [{ script: "../\u202ex", interpreter: "node" }],
      "\x1b[2J": 1,
    },
    () => undefined,
  );
  for (const { detail, hint } of findings) {
    // deno-lint-ignore no-control-regex
    ok(!/[\u202e\x1b]/.test(detail + hint));
  }
});

Deno.test("readDeclaration: never throws and keeps its bounds on any value", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.record({
          version: fc.constant(1),
          run: fc.oneof(
            fc.jsonValue(),
            fc.array(fc.record({
              script: fc.oneof(fc.string(), fc.anything()),
              interpreter: fc.oneof(fc.string(), fc.anything()),
              env: fc.jsonValue(),
              timeout: fc.oneof(fc.double(), fc.anything()),
              sockets: fc.anything(),
              limits: fc.oneof(
                fc.dictionary(
                  fc.constantFrom("memory", "cpu", "open", "x"),
                  fc.oneof(fc.integer(), fc.double(), fc.anything()),
                ),
                fc.anything(),
              ),
            }, { requiredKeys: [] })),
          ),
          env: fc.jsonValue(),
          egress: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
        }, { requiredKeys: ["version"] }),
      ),
      (block) => {
        const { declaration } = readDeclaration(block, () => undefined);
        for (const { timeoutMs, sockets, limits } of declaration.scripts) {
          equal(typeof sockets, "boolean");
          for (const limit of Object.values(limits)) {
            ok(Number.isInteger(limit) && limit >= 1);
          }
          ok(Number.isInteger(timeoutMs) && timeoutMs >= 1);
          ok(timeoutMs <= 300_000);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
