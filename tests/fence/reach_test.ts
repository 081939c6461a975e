import assert from "node:assert/strict";
import {
  meantHosts,
  reachOf,
  type Resolve,
} from "../../src/fence/plan/reach.ts";
import type { Network } from "../../src/os/types.ts";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import type { HostPattern } from "../../src/skill/types.ts";

function hosts(...texts: string[]): HostPattern[] {
  return texts.map((text) => {
    const parsed = parseHostPattern(text);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.value;
  });
}

const NAMES: Record<string, string[]> = {
  "db.internal": ["10.1.2.3", "fd00::9"],
  "proxy.corp": ["10.0.0.8", "192.168.0.8"],
  "proxy.example.org": ["8.8.8.8"],
};

function reach(
  egress: HostPattern[],
  options: {
    exact?: HostPattern[];
    env?: Record<string, string>;
    asked?: string[];
    network?: Network;
  } = {},
) {
  const resolve: Resolve = (name) => {
    options.asked?.push(name);
    return Promise.resolve(NAMES[name] ?? []);
  };
  return reachOf(
    meantHosts({ egress, exactHosts: options.exact ?? [] }),
    options.network ?? "open",
    { env: (name) => options.env?.[name], resolve },
  );
}

Deno.test("reachOf: private hosts are withheld unless a row names them exactly", async () => {
  const egress = hosts(
    "api.example.org",
    "10.0.0.5",
    "[::1]",
    "db.internal",
    "*.corp.internal",
  );
  const bare = await reach(egress);
  assert.deepEqual(bare.hosts.map(({ text }) => text), ["api.example.org"]);
  assert.equal(bare.withheld.length, 4);
  assert.deepEqual(bare.openAddresses, []);
  const exact = await reach(egress, {
    exact: hosts("10.0.0.5", "[::1]", "db.internal"),
  });
  assert.deepEqual(exact.withheld.map(({ text }) => text), ["*.corp.internal"]);
  assert.deepEqual(exact.openAddresses, [
    "10.0.0.5",
    "10.1.2.3",
    "::1",
    "fd00::9",
  ]);
});

Deno.test("reachOf: another port or a wildcard of the same name is not the exact host", async () => {
  const port = await reach(hosts("10.0.0.5:8080"), {
    exact: hosts("10.0.0.5:8081"),
  });
  assert.deepEqual(port.hosts, []);
  const wildcard = await reach(hosts("*.corp.internal"), {
    exact: hosts("*.corp.internal"),
  });
  assert.deepEqual(wildcard.hosts, []);
});

Deno.test("reachOf: an address that is opened stays closed at the ports that are not meant there", async () => {
  const egress = hosts(
    "api.example.org",
    "api.example.org:5432",
    "db.internal:5432",
    "[::1]:9",
  );
  const found = await reach(egress, {
    exact: hosts("db.internal:5432", "[::1]:9"),
    env: { HTTP_PROXY: "http://127.0.0.1", HTTPS_PROXY: "10.1.2.3:9" },
  });
  assert.deepEqual(found.closedPorts, [
    "10.1.2.3:80",
    "10.1.2.3:443",
    // The proxy's own port is 80, since it names none.
    "127.0.0.1:9",
    "127.0.0.1:443",
    "127.0.0.1:5432",
    "[::1]:80",
    "[::1]:443",
    "[::1]:5432",
    "[fd00::9]:9",
    "[fd00::9]:80",
    "[fd00::9]:443",
  ]);
  const none = await reach(hosts("api.example.org"));
  assert.deepEqual(none.closedPorts, []);
});

Deno.test("reachOf: localhost needs no resolver, unknown names are said", async () => {
  const asked: string[] = [];
  const egress = hosts("localhost:1", "gone.internal");
  const found = await reach(egress, { exact: egress, asked });
  assert.deepEqual(found.openAddresses, ["127.0.0.1", "::1"]);
  assert.deepEqual(found.unresolved, ["gone.internal"]);
  assert.deepEqual(asked, ["gone.internal"]);
});

Deno.test("reachOf: public names are not resolved, whatever they lead to", async () => {
  const asked: string[] = [];
  const found = await reach(hosts("api.example.org"), { asked });
  assert.deepEqual([found.openAddresses, asked], [[], []]);
});

Deno.test("reachOf: the proxy's private addresses are opened, its credentials not told", async () => {
  const found = await reach(hosts("api.example.org"), {
    env: {
      HTTPS_PROXY: "http://user:secret@proxy.corp:3128",
      http_proxy: "127.0.0.1:8080",
      HTTP_PROXY: "http://proxy.example.org",
    },
  });
  assert.deepEqual(found.openAddresses, [
    "10.0.0.8",
    "127.0.0.1",
    "192.168.0.8",
  ]);
  assert.deepEqual(found.proxy?.where, [
    "proxy.corp:3128",
    "proxy.example.org",
    "127.0.0.1:8080",
  ]);
});

Deno.test("reachOf: behind the run's own proxy the server's is told and stays closed", async () => {
  const egress = hosts("api.example.org");
  const env = { HTTPS_PROXY: "http://u:p@10.0.0.8:3128" };
  const open = await reach(egress, { env });
  assert.deepEqual(open.openAddresses, ["10.0.0.8"]);
  const proxied = await reach(egress, { env, network: "proxy" });
  assert.deepEqual(proxied.openAddresses, []);
  assert.deepEqual(proxied.proxy, { where: ["10.0.0.8:3128"] });
});

Deno.test("reachOf: without a reachable host there is no proxy and no open address", async () => {
  const env = { HTTP_PROXY: "http://127.0.0.1:8080" };
  for (const egress of [hosts(), hosts("10.0.0.5")]) {
    const found = await reach(egress, { env });
    assert.equal(found.proxy, undefined);
    assert.deepEqual(found.openAddresses, []);
  }
});

Deno.test("reachOf: a proxy variable nobody can read opens nothing", async () => {
  const found = await reach(hosts("api.example.org"), {
    env: { HTTP_PROXY: "http://[", HTTPS_PROXY: "://" },
  });
  assert.equal(found.proxy, undefined);
});
