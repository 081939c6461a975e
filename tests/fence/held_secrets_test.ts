import assert from "node:assert/strict";
import { heldBack } from "../../src/fence/plan/held_secrets.ts";
import type { SecretPermit } from "../../src/grant/types.ts";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";

const host = parseHostPattern("api.example.org:443");
assert.ok(host.ok);
const secret = (name: string, plain = false): SecretPermit => ({
  name,
  hosts: [host.value],
  chosenBy: "author",
  plain,
});
const env = (name: string) => name === "UNSET" ? undefined : `value-of-${name}`;

Deno.test("heldBack: with a proxy every set secret is held, plain or not", () => {
  const held = heldBack(
    [secret("A"), secret("B", true), secret("UNSET")],
    "proxy",
    env,
  );
  assert.ok(held.ok);
  assert.deepEqual(held.value.names.map(({ name }) => name), ["A", "B"]);
  assert.deepEqual(held.value.names[0]!.hosts, ["api.example.org:443"]);
  assert.deepEqual(held.value.secrets.map(({ value }) => value), [
    "value-of-A",
    "value-of-B",
  ]);
  assert.deepEqual(held.value.plain, []);
  assert.doesNotMatch(JSON.stringify(held.value.names), /value-of/);
});

Deno.test("heldBack: without a proxy only what the owner says is plain is handed over", () => {
  for (const network of ["none", "open"] as const) {
    const refused = heldBack([secret("A"), secret("B", true)], network, env);
    assert.ok(!refused.ok);
    assert.equal(refused.code, "SECRET_NEEDS_PROXY");
    assert.match(refused.message, /\bA\b/);
    assert.doesNotMatch(refused.message + refused.hint, /\bB\b|value-of/);
    const plain = heldBack([secret("B", true), secret("UNSET")], network, env);
    assert.ok(plain.ok);
    assert.deepEqual(plain.value, { names: [], secrets: [], plain: ["B"] });
  }
});
