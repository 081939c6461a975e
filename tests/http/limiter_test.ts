import assert from "node:assert/strict";
import { Limiter } from "../../src/http/limiter.ts";

const BOUNDS = { concurrent: 2, perSecond: 10, burst: 3 };

function limiter() {
  let at = 0;
  return {
    all: new Limiter(BOUNDS, () => at),
    pass: (ms: number) => at += ms,
  };
}

Deno.test("Limiter: what one caller has under way is bounded, and given back once", () => {
  const { all } = limiter();
  const first = all.enter("a");
  const second = all.enter("a");
  assert.ok(first.ok && second.ok);
  const third = all.enter("a");
  assert.ok(!third.ok);
  assert.equal(third.status, 429);
  assert.equal(third.headers["Retry-After"], "1");
  assert.ok(all.enter("b").ok, "another caller is not held up");
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const fourth = all.enter("a");
  assert.ok(fourth.ok);
});

Deno.test("Limiter: a burst is allowed, then the rate, and Retry-After says when", () => {
  const { all, pass } = limiter();
  const go = () => {
    const permit = all.enter("a");
    if (permit.ok) permit[Symbol.dispose]();
    return permit;
  };
  for (let i = 0; i < BOUNDS.burst; i++) assert.ok(go().ok, String(i));
  const over = go();
  assert.ok(!over.ok);
  assert.match(over.headers["Retry-After"]!, /^[1-9]\d*$/);
  pass(100);
  assert.ok(go().ok);
  assert.ok(!go().ok);
  pass(3_600_000);
  for (let i = 0; i < BOUNDS.burst; i++) assert.ok(go().ok, String(i));
  assert.ok(!go().ok, "a long rest saves up no more than a burst");
});
