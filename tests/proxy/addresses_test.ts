import { deepEqual, equal, match } from "node:assert/strict";
import { isOpenAddress } from "../../src/proxy/addresses.ts";
import {
  tunnelDestination,
  urlDestination,
} from "../../src/proxy/destination.ts";
import { makeScene, startHost } from "./support.ts";

const NOTHING = { openAddresses: [], closedPorts: [] };

const SHUT: readonly string[] = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.31.0.1",
  "192.168.1.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "ff02::1",
  "not an address",
  "",
];

for (const address of SHUT) {
  Deno.test(`isOpenAddress: ${address || "nothing"} is shut`, () => {
    equal(isOpenAddress(NOTHING, address, 443), false);
  });
}

for (const address of ["8.8.8.8", "172.32.0.1", "2606:4700::1111"]) {
  Deno.test(`isOpenAddress: ${address} is open`, () => {
    equal(isOpenAddress(NOTHING, address, 443), true);
  });
}

Deno.test("isOpenAddress: a private address is open where it is meant, less its closed ports", () => {
  const rules = {
    openAddresses: ["127.0.0.1", "fd00::1"],
    closedPorts: ["127.0.0.1:443", "[fd00::1]:80"],
  };
  equal(isOpenAddress(rules, "127.0.0.1", 8080), true);
  equal(isOpenAddress(rules, "127.0.0.1", 443), false);
  equal(isOpenAddress(rules, "fd00:0::1", 443), true);
  equal(isOpenAddress(rules, "fd00:0::1", 80), false);
  equal(isOpenAddress(rules, "127.0.0.2", 8080), false);
  equal(isOpenAddress(rules, "::ffff:127.0.0.1", 8080), false);
});

const URLS: Record<string, readonly [string, number, string]> = {
  "https://api.example.test/": ["api.example.test", 443, "api.example.test"],
  "HTTPS://API.Example.TEST./x": ["api.example.test", 443, "api.example.test"],
  "https://api.example.test:443/": [
    "api.example.test",
    443,
    "api.example.test",
  ],
  "http://api.example.test:8080/": [
    "api.example.test",
    8080,
    "api.example.test:8080",
  ],
  "http://xn--mnchen-3ya.test/": [
    "xn--mnchen-3ya.test",
    80,
    "xn--mnchen-3ya.test",
  ],
  "http://2130706433/": ["127.0.0.1", 80, "127.0.0.1"],
  "http://0x7f000001/": ["127.0.0.1", 80, "127.0.0.1"],
  "http://0x7f.1/": ["127.0.0.1", 80, "127.0.0.1"],
  "http://0177.0.0.1/": ["127.0.0.1", 80, "127.0.0.1"],
  "http://127.1/": ["127.0.0.1", 80, "127.0.0.1"],
  "http://127.0.0.1./": ["127.0.0.1", 80, "127.0.0.1"],
  "http://[::ffff:127.0.0.1]/": ["::ffff:7f00:1", 80, "[::ffff:7f00:1]"],
  "http://[0:0:0:0:0:0:0:1]:81/": ["::1", 81, "[::1]:81"],
  "http://%61pi.example.test/": ["api.example.test", 80, "api.example.test"],
};

for (const [url, [host, port, authority]] of Object.entries(URLS)) {
  Deno.test(`urlDestination: ${url} is ${authority}`, () => {
    const to = urlDestination(url);
    deepEqual([to?.host, to?.port, to?.authority], [host, port, authority]);
  });
}

for (
  const url of [
    "https://user@api.example.test/",
    "https://user:pass@api.example.test/",
    "https://:@api.example.test:0/",
    "ws://api.example.test/",
    "file:///etc/passwd",
    "https:api.example.test",
    "https:///",
    "https://[::1/",
    "https://a b/",
    "https://1.2.3.4.5/",
    "/",
    "*",
  ]
) {
  Deno.test(`urlDestination: ${url} is none`, () => {
    equal(urlDestination(url), undefined);
  });
}

Deno.test("tunnelDestination: host and port are read as in a URL", () => {
  const read = (target: string) => {
    const to = tunnelDestination(target);
    return to && [to.host, to.port, to.secure];
  };
  deepEqual(read("API.example.test.:443"), ["api.example.test", 443, false]);
  deepEqual(read("[::1]:80"), ["::1", 80, false]);
  deepEqual(read("2130706433:80"), ["127.0.0.1", 80, false]);
  for (
    const target of [
      "api.example.test",
      "api.example.test:",
      "api.example.test:0",
      "api.example.test:65536",
      "api.example.test:443/",
      "a@api.example.test:443",
      "https://api.example.test:443",
      "api.example.test:80:443",
      "::1:443",
      ":443",
    ]
  ) equal(read(target), undefined, target);
});

/** Names as a stranger's name server might answer them. */
const NAMES: Record<string, readonly string[]> = {
  "private.example.test": ["10.0.0.1"],
  "metadata.example.test": ["169.254.169.254"],
  "mapped.example.test": ["::ffff:127.0.0.1"],
  "translated.example.test": ["64:ff9b::7f00:1"],
  "local.example.test": ["127.0.0.1"],
  "unknown.example.test": [],
};

for (const [name, addresses] of Object.entries(NAMES)) {
  Deno.test(`startProxy: ${name} at ${addresses} is not connected to`, async () => {
    await using host = startHost(undefined, { plain: true });
    await using scene = await makeScene({
      hosts: [`${name}:${host.port}`],
      openAddresses: [],
      resolve: () => Promise.resolve(addresses),
    });
    const at = `${name}:${host.port}`;
    const request = await scene.raw(
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    );
    const tunnel = await scene.raw(
      `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    );
    for (const answer of [request, tunnel]) {
      match(answer, addresses.length === 0 ? /^HTTP\/1\.1 502/ : / 403 /);
    }
    equal(host.connections, 0);
    // Each time once, and never again for the connection itself.
    deepEqual(scene.resolved, [name, name]);
    const { contacts } = await scene.end();
    deepEqual(
      contacts.map(({ via, verdict, reason }) => ({ via, verdict, reason })),
      ["request", "tunnel"].map((via) =>
        addresses.length === 0
          ? { via, verdict: "allowed", reason: undefined }
          : { via, verdict: "denied", reason: "it leads to a private address" }
      ),
    );
  });
}

Deno.test({
  name: "startProxy: of mixed addresses only those that are admitted are used",
  // Elsewhere a machine has but one address of loopback.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using host = startHost(undefined, { plain: true });
    // It comes first, it would answer, and nobody meant it.
    const denied = Deno.listen({ hostname: "127.0.0.2", port: host.port });
    let reached = 0;
    const accepting = (async () => {
      for await (const conn of denied) {
        reached++;
        conn.close();
      }
    })();
    const at = `mixed.example.test:${host.port}`;
    await using scene = await makeScene({
      hosts: [at],
      resolve: () => Promise.resolve(["127.0.0.2", "127.0.0.1"]),
    });
    equal(await (await scene.fetch(`http://${at}/`)).text(), "ok");
    denied.close();
    await accepting;
    equal(reached, 0);
    equal(host.connections, 1);
  },
});

const SPELLINGS = [
  "127.0.0.1",
  "2130706433",
  "0x7f000001",
  "0177.1",
  "[::ffff:127.0.0.1]",
  "[::1]",
  "localhost",
  "x.localhost",
  "LOCALHOST.",
];

for (const spelling of SPELLINGS) {
  Deno.test(`startProxy: ${spelling} is this machine, which was not granted`, async () => {
    await using host = startHost(undefined, { plain: true });
    await using scene = await makeScene({
      hosts: ["*.example.test", "api.example.test"],
      openAddresses: [],
    });
    const at = `${spelling}:${host.port}`;
    const url = `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
    match(await scene.raw(url), /^HTTP\/1\.1 403 /);
    match(await scene.raw(`CONNECT ${at} HTTP/1.1\r\n\r\n`), / 403 /);
    equal(host.connections, 0);
    deepEqual(scene.resolved, []);
  });
}

Deno.test("startProxy: a granted literal address is reached, and no name leads to its other ports", async () => {
  await using host = startHost(undefined, { plain: true });
  await using scene = await makeScene({
    hosts: [`127.0.0.1:${host.port}`, `api.example.test:${host.port}`],
    closedPorts: [`127.0.0.1:${host.port + 1}`],
  });
  equal(
    await (await scene.fetch(`http://127.0.0.1:${host.port}/`)).text(),
    "ok",
  );
  deepEqual(scene.resolved, []);
});

Deno.test("startProxy: localhost is not asked of a resolver", async () => {
  await using host = startHost(undefined, { plain: true });
  await using scene = await makeScene({
    hosts: [`localhost:${host.port}`],
    resolve: () => Promise.resolve(["8.8.8.8"]),
  });
  equal(
    await (await scene.fetch(`http://localhost:${host.port}/`)).text(),
    "ok",
  );
  deepEqual(scene.resolved, []);
});
