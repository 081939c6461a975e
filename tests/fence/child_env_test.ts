import assert from "node:assert/strict";
import { childEnvironment } from "../../src/fence/plan/child_env.ts";
import { SANDBOX_WAY } from "../../src/proxy/forwarder.ts";

const SERVER: Record<string, string> = {
  PATH: "/bin",
  LANG: "C",
  KEY: "secret",
  OTHER: "x",
  HTTPS_PROXY: "http://u:p@proxy:1",
  HOME: "/root",
  DENO_DIR: "/x",
};
const env = (name: string) => SERVER[name];
const BASE = {
  env,
  declared: [],
  granted: [],
  held: [],
  dataDir: undefined,
  network: "none",
  way: undefined,
} as const;

Deno.test("childEnvironment: exactly the fixed names when nothing is granted", () => {
  const child = childEnvironment(BASE);
  assert.deepEqual(child.handed, [
    "DENO_AUDIT_PERMISSIONS",
    "DENO_DIR",
    "DENO_NO_UPDATE_CHECK",
    "DENO_WEBGPU_BACKEND",
    "HOME",
    "LANG",
    "NO_COLOR",
    "PATH",
    "SKILL_OUT",
    "TMPDIR",
  ]);
  assert.deepEqual({ ...child.values }, {
    PATH: "/bin",
    LANG: "C",
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
    DENO_WEBGPU_BACKEND: "none",
  });
});

Deno.test("childEnvironment: granted, not set and not granted are told apart", () => {
  const child = childEnvironment({
    ...BASE,
    declared: ["KEY", "UNSET", "OTHER"],
    granted: ["KEY", "UNSET", "NEVER_DECLARED"],
  });
  assert.deepEqual(child.granted, ["KEY"]);
  assert.deepEqual(child.notSet, ["UNSET"]);
  assert.deepEqual(child.notGranted, ["OTHER"]);
  assert.equal(child.values.KEY, "secret");
  assert.ok(!child.handed.includes("OTHER"));
  assert.ok(!child.handed.includes("NEVER_DECLARED"));
});

Deno.test("childEnvironment: the script reads neither DENO_ names nor the proxy", () => {
  const child = childEnvironment({
    ...BASE,
    network: "open",
    dataDir: "/data/d",
  });
  assert.equal(child.values.HTTPS_PROXY, "http://u:p@proxy:1");
  assert.ok(child.handed.includes("HTTPS_PROXY"));
  assert.deepEqual(child.readable, [
    "HOME",
    "LANG",
    "MCP_DATA_DIR",
    "NO_COLOR",
    "PATH",
    "SKILL_OUT",
    "TMPDIR",
  ]);
});

Deno.test("childEnvironment: no grant stands in for a name of the fence", () => {
  const child = childEnvironment({
    ...BASE,
    declared: ["HOME", "MCP_DATA_DIR", "NO_COLOR"],
    granted: ["HOME", "MCP_DATA_DIR", "NO_COLOR"],
    env: () => "stolen",
    dataDir: "/data/d",
  });
  assert.equal(child.values.HOME, undefined);
  assert.equal(child.values.MCP_DATA_DIR, "/data/d");
  assert.equal(child.values.NO_COLOR, "1");
});

Deno.test("childEnvironment: a child that reaches hosts resolves names to IPv4 only", () => {
  const child = childEnvironment({ ...BASE, network: "open" });
  assert.equal(child.values.RES_OPTIONS, "no-aaaa");
  assert.ok(child.handed.includes("RES_OPTIONS"));
  assert.ok(!child.readable.includes("RES_OPTIONS"));
  assert.equal(childEnvironment(BASE).values.RES_OPTIONS, undefined);
});

Deno.test("childEnvironment: the server's resolver options stay, a granted one does not count", () => {
  const child = childEnvironment({
    ...BASE,
    network: "open",
    env: (name) => name === "RES_OPTIONS" ? "timeout:1" : env(name),
    declared: ["RES_OPTIONS"],
    granted: ["RES_OPTIONS"],
  });
  assert.equal(child.values.RES_OPTIONS, "timeout:1 no-aaaa");
  assert.ok(!child.readable.includes("RES_OPTIONS"));
  assert.deepEqual(child.granted, []);
});

Deno.test("childEnvironment: what the proxy holds has a name and no value", () => {
  const child = childEnvironment({
    ...BASE,
    declared: ["KEY", "OTHER"],
    granted: ["KEY", "OTHER"],
    held: ["KEY"],
    network: "proxy",
    way: SANDBOX_WAY,
  });
  assert.deepEqual(child.granted, ["KEY", "OTHER"]);
  assert.equal(child.values.KEY, undefined);
  assert.equal(child.values.OTHER, "x");
  assert.ok(child.handed.includes("KEY") && child.readable.includes("KEY"));
});

Deno.test("childEnvironment: behind the run's proxy the server's own stays unknown", () => {
  const child = childEnvironment({
    ...BASE,
    network: "proxy",
    way: SANDBOX_WAY,
  });
  assert.equal(child.values.HTTPS_PROXY, undefined);
  assert.equal(child.values.RES_OPTIONS, undefined);
  assert.ok(child.handed.includes("HTTPS_PROXY"));
  assert.ok(!child.readable.includes("HTTPS_PROXY"));
  assert.ok(!child.readable.includes("NODE_USE_ENV_PROXY"));
});
