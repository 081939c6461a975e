import assert from "node:assert/strict";
import {
  covers,
  destinationOfUrl,
  destinationText,
  readDestination,
} from "../../src/evidence/destinations.ts";
import {
  isWithin,
  nameVerdict,
  netVerdict,
  pathVerdict,
  rulesFromFlags,
} from "../../src/evidence/verdicts.ts";
import { RULES } from "./fixture.ts";

Deno.test("rulesFromFlags: reads the lists off a command line", () => {
  const rules = rulesFromFlags([
    "run",
    "--no-prompt",
    "--allow-read=/s,/d",
    "--deny-read=/s/x",
    "--allow-write=/d",
    "--deny-write=/d/in",
    "--allow-env=A,B",
    "--allow-net=a.example:443,[::1]:80",
    "--deny-net=10.0.0.0/8",
    "--allow-sys=cpus",
    "data:text/javascript,--allow-read",
    "--allow-read=/an/argument",
  ], { skillDir: "/s", scratch: "/d" });
  assert.deepEqual(rules, {
    skillDir: "/s",
    scratch: "/d",
    read: ["/s", "/d"],
    denyRead: ["/s/x"],
    write: ["/d"],
    denyWrite: ["/d/in"],
    env: ["A", "B"],
    sys: ["cpus"],
    net: ["a.example:443", "[::1]:80"],
    denyNet: ["10.0.0.0/8"],
  });
  // A bare deny is no list, and nothing is allowed then.
  assert.deepEqual(
    rulesFromFlags(["--deny-net"], { skillDir: "/s", scratch: "/d" }).net,
    [],
  );
});

Deno.test("pathVerdict: by whole segments, deny before allow", () => {
  const verdict = (path: string) => pathVerdict("read", path, RULES);
  assert.equal(verdict("/skill"), "allowed");
  assert.equal(verdict("/skill/a/b"), "allowed");
  assert.equal(verdict("/skills"), "denied");
  assert.equal(verdict("/skill/closed"), "denied");
  assert.equal(verdict("/skill/closed/a"), "denied");
  assert.equal(verdict("/skill/closedness"), "allowed");
  assert.equal(verdict("/"), "denied");
  assert.equal(pathVerdict("write", "/skill/a", RULES), "denied");
  assert.equal(pathVerdict("write", "/run/scratch/in/a", RULES), "denied");
  assert.ok(isWithin("/etc/passwd", "/"));
});

Deno.test("netVerdict: host, port, wildcard, range and bare names", () => {
  const verdict = (text: string) => netVerdict(readDestination(text), RULES);
  assert.equal(verdict("api.example.com:443"), "allowed");
  assert.equal(verdict("API.Example.com.:443"), "allowed");
  assert.equal(verdict("api.example.com:80"), "denied");
  assert.equal(verdict("x.api.example.com:443"), "denied");
  // Resolving a name asks for it without a port.
  assert.equal(verdict("api.example.com"), "denied");
  assert.equal(verdict("example.org:80"), "allowed");
  assert.equal(verdict("a.b.example.org:80"), "allowed");
  assert.equal(verdict("badexample.org:80"), "denied");
  assert.equal(verdict("10.1.2.3:443"), "denied");
  const open = { net: ["10.1.2.3:443", "[::1]"], denyNet: RULES.denyNet };
  assert.equal(netVerdict(readDestination("10.1.2.3:443"), open), "denied");
  assert.equal(netVerdict(readDestination("[0:0::1]:5"), open), "denied");
  assert.ok(covers("unix:/run/a/b", readDestination("unix:/run/a/b")));
  assert.ok(!covers("unix:/run/a", readDestination("unix:/run/a/b")));
});

Deno.test("destinationOfUrl: ports of the schemes, case, brackets, accounts", () => {
  const text = (url: string) => {
    const read = destinationOfUrl(url);
    return read === undefined ? undefined : destinationText(read);
  };
  assert.equal(text("https://API.example.com./x"), "api.example.com:443");
  assert.equal(text("ws://a.example/"), "a.example:80");
  assert.equal(text("wss://u:p@a.example/"), "a.example:443");
  assert.equal(text("http://[::1]:90/"), "[::1]:90");
  assert.equal(text("http://"), undefined);
  assert.equal(text("data:,x"), undefined);
});

Deno.test("nameVerdict: variables and system by name, programs and code never", () => {
  assert.equal(nameVerdict("env", "API_KEY", RULES), "allowed");
  assert.equal(nameVerdict("env", "api_key", RULES), "denied");
  assert.equal(nameVerdict("sys", "cpus", RULES), "allowed");
  assert.equal(nameVerdict("sys", undefined, RULES), "denied");
  for (const kind of ["run", "ffi", "import"] as const) {
    assert.equal(nameVerdict(kind, "cpus", RULES), "denied");
  }
});
