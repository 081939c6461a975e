import assert from "node:assert/strict";
import fc from "fast-check";
import type { Contact } from "../../src/proxy/types.ts";
import { KINDS } from "../../src/evidence/permission_record.ts";
import { evidence } from "./fixture.ts";

function repeated<T>(value: T, times: number): T[] {
  return new Array<T>(times).fill(value);
}

function contact(more: Partial<Contact>): Contact {
  return {
    host: "api.example.com",
    port: 443,
    via: "request",
    verdict: "allowed",
    reason: undefined,
    times: 1,
    bytesOut: 0,
    bytesIn: 0,
    ...more,
  };
}

Deno.test("evidenceOf: denied first, then by times, then by name", () => {
  const { read } = evidence({
    read: [
      ...repeated("/skill/a", 5),
      "/etc/b",
      ...repeated("/etc/c", 3),
      "/etc/a",
      "/skill/b",
    ],
  });
  assert.deepEqual(read, [
    { what: "/etc/c", verdict: "denied", times: 3 },
    { what: "/etc/a", verdict: "denied", times: 1 },
    { what: "/etc/b", verdict: "denied", times: 1 },
    { what: "a", verdict: "allowed", times: 5 },
    { what: "b", verdict: "allowed", times: 1 },
  ]);
});

Deno.test("evidenceOf: one path in several spellings is one entry", () => {
  const { read } = evidence({
    read: ["/skill/a", "a", "./b/../a", "/skill//a/"],
  });
  assert.deepEqual(read, [{ what: "a", verdict: "allowed", times: 4 }]);
});

Deno.test("evidenceOf: at most 20 of a kind, the rest counted, a flood of one kind hides no other", () => {
  const found = evidence({
    read: Array.from({ length: 3_000 }, (_, i) => `/etc/${i}`),
    net: ["evil.example.com:443", "evil.example.com:443"],
    env: ["AWS_SECRET_ACCESS_KEY"],
  });
  assert.equal(found.read.length, 20);
  assert.equal(found.more, 2_980);
  assert.equal(found.net[0]!.what, "evil.example.com:443");
  assert.equal(found.env[0]!.what, "AWS_SECRET_ACCESS_KEY");
});

Deno.test("evidenceOf: what is allowed pushes out nothing that was denied", () => {
  const long = "y".repeat(100);
  const found = evidence({
    read: [
      ...Array.from({ length: 40 }, (_, i) => repeated(`/skill/${long}${i}`, 9))
        .flat(),
      "/etc/shadow",
    ],
    write: Array.from({ length: 40 }, (_, i) => `/run/scratch/${long}${i}`),
    env: Array.from({ length: 40 }, (_, i) => `${long}${i}`),
  });
  assert.equal(found.read[0]!.what, "/etc/shadow");
  assert.equal(found.env.length, 20);
  assert.ok(found.write.length < 20);
});

Deno.test("evidenceOf: at most 6 KB of JSON, nothing unseen in it, for any text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constantFrom(
      "/skill/a\nb",
      "\u202e/etc/x",
      "http://[::1",
      "unix:\0x",
      "😀".repeat(200),
      '"\\'.repeat(90),
      "a:99999",
      "",
    ),
  );
  const many = fc.array(fc.oneof(text, fc.constant(undefined)), {
    maxLength: 60,
  });
  const asked = fc.record(
    Object.fromEntries(KINDS.map((kind) => [kind, many])),
  );
  fc.assert(
    fc.property(asked, (values) => {
      const found = evidence(values, { direct: true });
      const json = JSON.stringify(found);
      assert.ok(new TextEncoder().encode(json).length <= 6 * 1024);
      for (const kind of KINDS) {
        for (const { what } of found[kind]) {
          assert.doesNotMatch(what, /[\p{C}\p{Zl}\p{Zp}]/u);
        }
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("evidenceOf: values of variables stand as their names, in any case", () => {
  const hidden = new Map([["API_KEY", "SecRet-4711"], ["TINY", "abc"]]);
  const found = evidence({
    net: ["https://secret-4711.evil.example/", "secret-4711.evil.example:443"],
    read: ["/etc/SecRet-4711/abc", `/${"x".repeat(115)}SecRet-4711`],
    env: ["SecRet-4711"],
  }, { hidden });
  assert.doesNotMatch(JSON.stringify(found), /secret-4/i);
  assert.equal(found.net[0]!.what, "[API_KEY].evil.example:443");
  assert.equal(found.read[0]!.what, "/etc/[API_KEY]/abc");
  assert.equal(found.env[0]!.what, "[API_KEY]");
});

Deno.test("evidenceOf: everything of a kind at once", () => {
  const found = evidence({
    read: [undefined],
    net: [undefined],
    env: [undefined],
    sys: [undefined],
    run: [undefined],
  });
  const all = (verdict: string) => [{ what: "*", verdict, times: 1 }];
  assert.deepEqual(found.read, all("denied"));
  assert.deepEqual(found.net, all("denied"));
  assert.deepEqual(found.sys, all("denied"));
  assert.deepEqual(found.run, all("denied"));
  // One gets those that may be read.
  assert.deepEqual(found.env, all("allowed"));
});

Deno.test("netEntries: a fetch, a connection and a WebSocket count as often as they were made", () => {
  const url = "https://api.example.com/x";
  const plain = "api.example.com:443";
  const times = (net: string[]) => evidence({ net }).net.map((e) => e.times);
  assert.deepEqual(times([url, plain]), [1]);
  assert.deepEqual(times([url, `${url}/y`, plain, plain]), [2]);
  assert.deepEqual(times([plain, plain]), [1]);
  assert.deepEqual(times([url, plain, plain, plain]), [2]);
  const socket = "wss://api.example.com/";
  assert.deepEqual(times([socket, plain, socket, plain]), [1]);
  assert.deepEqual(times(["ws://evil.example/", "evil.example:80"]), [1]);
});

Deno.test("netEntries: with a proxy its record stands, merged with what the runtime refused", () => {
  const { net, more } = evidence({
    net: [
      "https://api.example.com/x",
      "api.example.com:443",
      "https://evil.example/",
      "evil.example:443",
      "a.example.org:80",
      "a.example.org:80",
    ],
  }, {
    network: "proxy",
    proxy: {
      contacts: [
        contact({ times: 3, bytesOut: 7, bytesIn: 9 }),
        contact({
          host: "b.example.org",
          port: 80,
          verdict: "denied",
          reason: "leads to a private\naddress",
        }),
      ],
      more: 0,
    },
  });
  assert.equal(more, 0);
  assert.deepEqual(net, [
    {
      what: "a.example.org:80",
      verdict: "denied",
      times: 1,
      reason: "not asked for through the run's proxy, the only way out",
    },
    {
      what: "b.example.org:80",
      verdict: "denied",
      times: 1,
      bytesOut: 0,
      bytesIn: 0,
      reason: "leads to a private\\u{a}address",
    },
    { what: "evil.example:443", verdict: "denied", times: 1 },
    {
      what: "api.example.com:443",
      verdict: "allowed",
      times: 3,
      bytesOut: 7,
      bytesIn: 9,
    },
  ]);
});

Deno.test("netEntries: requests and tunnels to one destination are one entry, other reasons are not", () => {
  const { net } = evidence({}, {
    network: "proxy",
    proxy: {
      contacts: [
        contact({ times: 2, bytesOut: 10, bytesIn: 20 }),
        contact({ times: 3, bytesOut: 1, bytesIn: 2, via: "tunnel" }),
        contact({ times: 1, verdict: "denied", reason: "a" }),
        contact({ times: 1, verdict: "denied", reason: "b", via: "tunnel" }),
      ],
      more: 0,
    },
  });
  assert.deepEqual(
    net.map(({ verdict, times, bytesOut, bytesIn }) => [
      verdict,
      times,
      bytesOut,
      bytesIn,
    ]),
    [["denied", 1, 0, 0], ["denied", 1, 0, 0], ["allowed", 5, 11, 22]],
  );
});

Deno.test("netEntries: contacts that the proxy left out are counted, and prove nothing", () => {
  const { net, more } = evidence({ net: ["a.example.org:80"] }, {
    network: "proxy",
    proxy: { contacts: [], more: 4 },
  });
  assert.deepEqual(net, [
    { what: "a.example.org:80", verdict: "allowed", times: 1 },
  ]);
  assert.equal(more, 4);
});

Deno.test("evidenceOf: the fence's own socket and forwarder are left out", () => {
  const socket = "/run/skillfence/proxy.sock";
  const found = evidence({
    read: [socket, "/run/skillfence/proxy.sock.x"],
    write: [socket],
    net: [`unix:${socket}`, "127.0.0.1:3128", "127.0.0.1:3129"],
  }, { own: [socket, `unix:${socket}`, "127.0.0.1:3128"] });
  assert.deepEqual(found.read.map(({ what }) => what), [`${socket}.x`]);
  assert.deepEqual(found.write, []);
  assert.deepEqual(found.net.map(({ what }) => what), ["127.0.0.1:3129"]);
});
