import assert from "node:assert/strict";
import { PREVIEW_LIFETIME_MS } from "../../src/server/plan_memory.ts";
import { SignedPreviews } from "../../src/server/signed_previews.ts";

const KEY = new Uint8Array(32).fill(7);
const DIGEST = `sha256:${"a".repeat(64)}`;

function replica(
  { key = KEY, caller = "alice", at = 0 } = {},
): { previews: SignedPreviews; pass: (ms: number) => void } {
  let now = 1_700_000_000_000 + at;
  return {
    previews: new SignedPreviews({
      key,
      caller,
      used: new Map(),
      now: () => now,
    }),
    pass: (ms) => now += ms,
  };
}

Deno.test("SignedPreviews: a replica accepts what another with the same key showed, once", () => {
  const shown = replica().previews.remember(DIGEST);
  const { previews } = replica();
  assert.ok(previews.names(shown, DIGEST));
  assert.ok(previews.take(shown));
  assert.equal(previews.take(shown), undefined);
  assert.ok(replica().previews.take(shown), "the third does not know of it");
});

Deno.test("SignedPreviews: each showing is good by itself", () => {
  const { previews } = replica();
  const [first, second] = [1, 2].map(() => previews.remember(DIGEST));
  assert.notEqual(first, second);
  assert.ok(previews.take(first!));
  assert.ok(previews.take(second!));
});

Deno.test("SignedPreviews: another key, another caller and the plain digest are not accepted", () => {
  const shown = replica().previews.remember(DIGEST);
  const other = replica({ key: new Uint8Array(32).fill(8) });
  assert.equal(other.previews.take(shown), undefined);
  assert.equal(replica({ caller: "bob" }).previews.take(shown), undefined);
  assert.equal(replica().previews.take(DIGEST), undefined);
});

Deno.test("SignedPreviews: no changed character is accepted, nor another spelling of the signature", () => {
  const shown = replica().previews.remember(DIGEST);
  for (let i = 0; i < shown.length; i++) {
    for (const character of ["A", "B", "0", "1", "-", "_", "."]) {
      if (shown[i] === character) continue;
      const changed = shown.slice(0, i) + character + shown.slice(i + 1);
      assert.equal(replica().previews.take(changed), undefined, changed);
    }
  }
  for (const changed of [`${shown}=`, `${shown} `, ` ${shown}`, `${shown}.`]) {
    assert.equal(replica().previews.take(changed), undefined, changed);
  }
});

Deno.test("SignedPreviews: it expires after ten minutes on every replica's clock", () => {
  const shown = replica().previews.remember(DIGEST);
  assert.ok(replica({ at: PREVIEW_LIFETIME_MS - 1001 }).previews.take(shown));
  const late = replica({ at: PREVIEW_LIFETIME_MS });
  assert.equal(late.previews.take(shown), undefined);
});

Deno.test("SignedPreviews: what did not start can be used again, for the time it had", () => {
  const { previews, pass } = replica();
  const shown = previews.remember(DIGEST);
  previews.giveBack(previews.take(shown)!);
  assert.ok(previews.take(shown));
  previews.giveBack({ digest: shown, expiresAt: 0 });
  pass(PREVIEW_LIFETIME_MS);
  assert.equal(previews.take(shown), undefined);
});

Deno.test("SignedPreviews: it stands for the Plan whose digest it begins with, and for no other", () => {
  const { previews } = replica();
  const shown = previews.remember(DIGEST);
  assert.ok(!previews.names(shown, `sha256:${"b".repeat(64)}`));
  assert.ok(!previews.names(shown, DIGEST.slice(0, -1)));
});
