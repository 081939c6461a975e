import assert from "node:assert/strict";
import { readDeclarations } from "../../src/upstream/declared.ts";

const SERVER = { command: "node", args: ["server.mjs"] };

function inFrontmatter(value: unknown) {
  return readDeclarations({
    skill: "s",
    frontmatter: { mcp_tools: value },
    json: undefined,
  });
}

function inJson(text: string) {
  return readDeclarations({ skill: "s", frontmatter: {}, json: { text } });
}

Deno.test("readDeclarations: the same servers from every place and shape", () => {
  const expected = [{
    skill: "s",
    name: "x",
    transport: {
      kind: "stdio",
      command: "node",
      args: ["server.mjs"],
      env: {},
    },
  }];
  const map = { x: SERVER };
  for (
    const read of [
      inFrontmatter({ mcpServers: map }),
      inFrontmatter(map),
      inJson(JSON.stringify({ mcpServers: map })),
      inJson(JSON.stringify(map)),
    ]
  ) {
    assert.deepEqual(
      JSON.parse(JSON.stringify(read.servers)),
      expected,
    );
    assert.deepEqual(read.problems, []);
  }
});

Deno.test("readDeclarations: nothing declared is no problem, both places are one", () => {
  const none = readDeclarations({
    skill: "s",
    frontmatter: undefined,
    json: undefined,
  });
  assert.deepEqual(none, { servers: [], problems: [] });
  const both = readDeclarations({
    skill: "s",
    frontmatter: { mcp_tools: { a: SERVER } },
    json: { text: JSON.stringify({ b: SERVER }) },
  });
  assert.deepEqual(both.servers.map(({ name }) => name), ["a"]);
  assert.match(both.problems[0]!.detail, /\.mcp\.json is not read/);
});

Deno.test("readDeclarations: transports by every name, sse refused", () => {
  const http = { url: "https://mcp.example/x", headers: { "X-Key": "${K}" } };
  const { servers, problems } = inFrontmatter({
    a: http,
    b: { ...http, type: "http" },
    c: { ...http, transport: "streamable-http" },
    d: { ...http, type: "shttp" },
    e: { ...SERVER, type: "stdio" },
    f: { ...http, type: "sse" },
    g: { ...http, type: "carrier-pigeon" },
    h: { ...http, ...SERVER },
    i: { ...SERVER, type: "stdio", transport: "http" },
  });
  assert.deepEqual(
    servers.map(({ name, transport }) => `${name} ${transport.kind}`),
    ["a http", "b http", "c http", "d http", "e stdio"],
  );
  assert.equal(problems.length, 4);
  assert.match(problems[0]!.detail, /server f .*sse/);
});

Deno.test("readDeclarations: what is wrong costs the one server it is in", () => {
  const secret = "hunter2-in-a-value";
  const bad: Record<string, unknown> = {
    text: "npx server",
    number: 5,
    list: [],
    empty: {},
    command: { command: 5 },
    args: { command: "a", args: "b" },
    numbers: { command: "a", args: [8080] },
    env: { command: "a", env: ["A"] },
    value: { command: "a", env: { [secret]: 1 } },
    loader: { command: "a", env: { LD_PRELOAD: secret } },
    own: { command: "a", env: { SKILLFENCE_UPSTREAM: secret } },
    file: { url: "file:///etc/passwd" },
    host: { url: "https://x", headers: { Host: secret } },
    line: { url: "https://x", headers: { "a\nb": secret } },
    "sp ace": SERVER,
    ["n".repeat(65)]: SERVER,
  };
  const { servers, problems } = inFrontmatter({ ...bad, good: SERVER });
  assert.deepEqual(servers.map(({ name }) => name), ["good"]);
  assert.equal(problems.length, Object.keys(bad).length);
  for (const { reason, skill, hint } of problems) {
    assert.equal(reason, "mcp-server");
    assert.equal(skill, "s");
    assert.notEqual(hint, "");
  }
  const words = JSON.stringify(
    problems.filter(({ detail }) => !detail.includes("a value of")),
  );
  assert.doesNotMatch(words, new RegExp(secret));
});

Deno.test("readDeclarations: what is no mapping or no JSON declares nothing", () => {
  for (const value of ["x", 5, [], true]) {
    const { servers, problems } = inFrontmatter(value);
    assert.deepEqual(servers, []);
    assert.equal(problems.length, 1);
  }
  for (const text of ["", "{", "[]", '"x"', '{"a":{"command":"b"},}', "// x"]) {
    const { servers, problems } = inJson(text);
    assert.deepEqual(servers, [], text);
    assert.equal(problems.length, 1, text);
  }
});

Deno.test("readDeclarations: at most 20, and what its author turned off is none", () => {
  const many = Object.fromEntries(
    Array.from({ length: 25 }, (_, at) => [`s${at}`, SERVER]),
  );
  const { servers, problems } = inFrontmatter(many);
  assert.equal(servers.length, 20);
  assert.match(problems[0]!.detail, /25 servers/);
  const off = inFrontmatter({
    a: { ...SERVER, disabled: true },
    b: { ...SERVER, enabled: false },
    c: { ...SERVER, enabled: true, disabled: false },
  });
  assert.deepEqual(off.servers.map(({ name }) => name), ["c"]);
  assert.deepEqual(off.problems, []);
});
