import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { hostName, isLocal, readListen } from "../../src/config/listen.ts";
import {
  type ConfigReading,
  type Flags,
  readConfig,
} from "../../src/config/read_config.ts";

const LOCAL = "127.0.0.1:8787";

function read(
  flags: Flags,
  env: Record<string, string> = {},
): ConfigReading {
  return readConfig({ env, flags, cwd: "/cwd", bundledSkills: "/bundled" });
}

function said({ complaints }: ConfigReading): string {
  return complaints.map(({ message, hint }) => `${message} ${hint}`).join("\n");
}

Deno.test("--http: addresses, ports and sockets", () => {
  for (
    const [text, listen, local] of [
      [LOCAL, { kind: "tcp", hostname: "127.0.0.1", port: 8787 }, true],
      ["127.8.8.8:0", { kind: "tcp", hostname: "127.8.8.8", port: 0 }, true],
      ["[::1]:0", { kind: "tcp", hostname: "::1", port: 0 }, true],
      ["[0:0::1]:1", { kind: "tcp", hostname: "::1", port: 1 }, true],
      ["LocalHost:80", { kind: "tcp", hostname: "localhost", port: 80 }, true],
      ["0.0.0.0:80", { kind: "tcp", hostname: "0.0.0.0", port: 80 }, false],
      ["[::]:65535", { kind: "tcp", hostname: "::", port: 65535 }, false],
      ["10.1.2.3:80", { kind: "tcp", hostname: "10.1.2.3", port: 80 }, false],
      ["[::ffff:127.0.0.1]:1", {
        kind: "tcp",
        hostname: "::ffff:7f00:1",
        port: 1,
      }, true],
      ["unix:/run/s.sock", { kind: "unix", path: "/run/s.sock" }, true],
      ["unix:s.sock", { kind: "unix", path: "/cwd/s.sock" }, true],
    ] as const
  ) {
    const result = readListen(text, "/cwd");
    ok(result.ok, text);
    deepEqual(result.value, listen);
    equal(isLocal(result.value), local, text);
  }
});

for (
  const text of [
    "",
    "8787",
    ":8787",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:-1",
    "127.0.0.1:80/mcp",
    "http://127.0.0.1:80",
    "example.org:80",
    "localhost.example:80",
    "::1:80",
    "[::1%lo]:80",
    "127.1:80",
    "unix:",
    "unix:~/s",
    `unix:/${"x".repeat(120)}`,
  ]
) {
  Deno.test(`--http: ${JSON.stringify(text).slice(0, 40)} is refused, nothing listens and nothing runs`, () => {
    const reading = read({ http: [text], allowRun: true });
    equal(reading.complaints.length, 1);
    match(said(reading), /^--http is "/);
    deepEqual([reading.config.http, reading.config.runTools], [
      undefined,
      false,
    ]);
  });
}

Deno.test("--http: what is wrong with a port is said", () => {
  const wrong = (text: string) => said(read({ http: [text] }));
  match(wrong("127.0.0.1"), /: it has no port/);
  match(wrong("127.0.0.1:65536"), /: its port is over 65535/);
  match(wrong(`127.0.0.1:${"9".repeat(400)}`), /: its port is over 65535/);
  match(wrong("http://127.0.0.1"), /: it has no port/);
});

Deno.test("--http: on loopback everything has its default, and running is off", () => {
  const { config, complaints } = read({ http: [LOCAL] });
  deepEqual(complaints, []);
  deepEqual(config.http, {
    listen: { kind: "tcp", hostname: "127.0.0.1", port: 8787 },
    hosts: [],
    behindTlsProxy: false,
    tokenless: false,
    allowRun: false,
    tokenFile: undefined,
    planKeyFile: undefined,
  });
  equal(config.runTools, false);
  equal(read({ http: [LOCAL], allowRun: true }).config.runTools, true);
  equal(
    read({ http: [LOCAL], allowRun: true, noRun: true }).config.runTools,
    false,
  );
});

Deno.test("--http: beyond loopback it wants --host and --behind-tls-proxy", () => {
  const open = { http: ["0.0.0.0:80"] };
  match(said(read(open)), /no --host.*\n.*no TLS/);
  match(said(read({ ...open, hosts: ["a.example"] })), /no TLS/);
  match(said(read({ ...open, behindTlsProxy: true })), /no --host/);
  const { config, complaints } = read({
    ...open,
    hosts: ["A.Example", "[0:0::1]", "bücher.example"],
    behindTlsProxy: true,
  });
  deepEqual(complaints, []);
  deepEqual(config.http!.hosts, [
    "a.example",
    "[::1]",
    "xn--bcher-kva.example",
  ]);
  for (const host of ["", "a:80", "http://a", "*.a", "a/b", "a b", "[a]"]) {
    const wrong = read({ ...open, behindTlsProxy: true, hosts: [host] });
    match(said(wrong), /^--host is ".*not a host name/);
    equal(wrong.config.http, undefined, host);
  }
});

Deno.test("--no-token: on loopback alone, never with --allow-run or a token file", () => {
  equal(
    read({ http: [LOCAL], noToken: true }).config.http!.tokenless,
    true,
  );
  for (
    const [flags, env, says] of [
      [{ http: [LOCAL], allowRun: true }, {}, /--no-token and --allow-run/],
      [{ http: ["unix:/s"], allowRun: true }, {}, /--no-token and --allow-run/],
      [
        { http: ["0.0.0.0:1"], hosts: ["a"], behindTlsProxy: true },
        {},
        /--no-token would let anybody in/,
      ],
      [{ http: [LOCAL] }, { SKILLFENCE_TOKEN_FILE: "/t" }, /TOKEN_FILE is set/],
    ] as const
  ) {
    const reading = read({ ...flags, noToken: true }, env);
    equal(reading.complaints.length, 1);
    match(said(reading), says);
    equal(reading.config.http, undefined);
    equal(reading.config.runTools, false);
  }
});

Deno.test("--http: what belongs to it is refused without it", () => {
  for (
    const [flags, flag] of [
      [{ hosts: ["a"] }, "--host"],
      [{ behindTlsProxy: true }, "--behind-tls-proxy"],
      [{ noToken: true }, "--no-token"],
      [{ allowRun: true }, "--allow-run"],
    ] as const
  ) {
    const reading = read(flags);
    match(said(reading), new RegExp(`^${flag} means nothing without --http`));
    equal(reading.config.runTools, true, "stdio runs as ever");
  }
});

Deno.test("--http: twice, or with --skip-native, is refused", () => {
  match(said(read({ http: [LOCAL, LOCAL] })), /--http was given 2 times/);
  match(
    said(read({ http: [LOCAL], skipNative: true })),
    /--skip-native does not go with --http/,
  );
});

Deno.test("SKILLFENCE_PLAN_KEY_FILE: only with SKILLFENCE_CONFIRM=plan", () => {
  const env = { SKILLFENCE_PLAN_KEY_FILE: "/k", SKILLFENCE_TOKEN_FILE: "/t" };
  match(said(read({ http: [LOCAL] }, env)), /SKILLFENCE_CONFIRM is not plan/);
  const { config, complaints } = read({ http: [LOCAL] }, {
    ...env,
    SKILLFENCE_CONFIRM: "plan",
  });
  deepEqual(complaints, []);
  deepEqual([config.http!.planKeyFile, config.http!.tokenFile], ["/k", "/t"]);
});

Deno.test("readConfig: whatever is asked of HTTP, nothing open is reached without token, names and TLS", () => {
  const flags = fc.record({
    http: fc.array(
      fc.oneof(
        fc.constantFrom(
          LOCAL,
          "0.0.0.0:0",
          "[::]:1",
          "unix:/s",
          "x:1",
          "[::1]:2",
        ),
        fc.string(),
      ),
      { maxLength: 2 },
    ),
    hosts: fc.array(fc.oneof(fc.constantFrom("a.example", "*"), fc.string()), {
      maxLength: 2,
    }),
    behindTlsProxy: fc.boolean(),
    noToken: fc.boolean(),
    allowRun: fc.boolean(),
    skipNative: fc.boolean(),
  });
  fc.assert(
    fc.property(flags, (given) => {
      const { config, complaints } = read(given);
      const { http } = config;
      if (complaints.length > 0) equal(http, undefined);
      if (given.http.length > 0) {
        equal(config.runTools, http?.allowRun === true);
      }
      if (http === undefined) return;
      equal(http.tokenless && http.allowRun, false);
      ok(http.hosts.every((name) => hostName(name) === name));
      if (isLocal(http.listen)) return;
      ok(http.hosts.length > 0 && http.behindTlsProxy && !http.tokenless);
    }),
    { numRuns: 2000 },
  );
});
