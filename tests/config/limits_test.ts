import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  ceilingFrom,
  isLimit,
  LIMIT_MAXIMA,
  LIMIT_MINIMA,
  LIMIT_WORDS,
  limitsFor,
  limitsText,
  parseLimits,
  USUAL_CEILING,
  USUAL_LIMITS,
} from "../../src/config/limits.ts";
import type { Limits } from "../../src/config/types.ts";

const numbers = Object.fromEntries(
  LIMIT_WORDS.map((word) => [
    word,
    fc.integer({ min: LIMIT_MINIMA[word], max: LIMIT_MAXIMA[word] }),
  ]),
) as unknown as Record<keyof Limits, fc.Arbitrary<number>>;
const anyLimits: fc.Arbitrary<Limits> = fc.record(numbers);
const anyWishes: fc.Arbitrary<Partial<Limits>> = fc.record(numbers, {
  requiredKeys: [],
});

Deno.test("limitsFor: without wishes the usual, CPU twice the timeout rounded up", () => {
  deepEqual(limitsFor({}, 60_000, USUAL_CEILING), {
    ...USUAL_LIMITS,
    cpu: 120,
  });
  equal(limitsFor({}, 300_000, USUAL_CEILING).cpu, 600);
  equal(limitsFor({}, 1, USUAL_CEILING).cpu, 1);
  equal(limitsFor({}, 30_001, USUAL_CEILING).cpu, 61);
});

Deno.test("limitsFor: a wish below or above the usual stands, up to the ceiling", () => {
  const given = limitsFor(
    { memory: 900, open: 16, files: 60_000 },
    1000,
    USUAL_CEILING,
  );
  deepEqual([given.memory, given.open, given.files], [900, 16, 50_000]);
});

Deno.test("limitsFor: never above the ceiling, never below 1, never more than was wished", () => {
  fc.assert(
    fc.property(
      anyWishes,
      fc.integer({ min: 1, max: 300_000 }),
      anyLimits,
      (wishes, timeoutMs, ceiling) => {
        const given = limitsFor(wishes, timeoutMs, ceiling);
        deepEqual(Object.keys(given).sort(), [...LIMIT_WORDS].sort());
        for (const word of LIMIT_WORDS) {
          ok(Number.isInteger(given[word]) && given[word] >= 1, word);
          ok(given[word] <= ceiling[word], word);
          ok(given[word] <= (wishes[word] ?? Infinity), word);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

for (
  const text of [
    "",
    "memory",
    "memory=",
    "memory=0",
    "memory=-1",
    "memory=1.5",
    "memory=1e3",
    "memory=512M",
    "memory=1048577",
    "memory=99999999999999999999",
    "memory=5,memory=5",
    "Memory=5",
    "toString=5",
    "__proto__=5",
    "memory=5,",
    "memory=5;cpu=3",
    "memory=5 cpu=3",
  ]
) {
  Deno.test(`parseLimits: ${JSON.stringify(text)} is wrong`, () => {
    ok(parseLimits(text).wrong.length > 0);
  });
}

Deno.test("parseLimits: reads what limitsText writes", () => {
  fc.assert(fc.property(anyLimits, (limits) => {
    deepEqual(parseLimits(limitsText(limits)), {
      readable: limits,
      wrong: [],
    });
  }));
});

Deno.test("isLimit: below what the runtime can start with is no limit", () => {
  for (const word of LIMIT_WORDS) {
    equal(isLimit(word, LIMIT_MINIMA[word]), true, word);
    equal(isLimit(word, LIMIT_MINIMA[word] - 1), false, word);
  }
});

Deno.test("ceilingFrom: words set theirs and leave the others", () => {
  deepEqual(ceilingFrom(undefined), USUAL_CEILING);
  deepEqual(ceilingFrom("memory=4096,open=80"), {
    ...USUAL_CEILING,
    memory: 4096,
    open: 80,
  });
});

Deno.test("ceilingFrom: a mistake makes the usual the most, and readable words only lower it", () => {
  const given = ceilingFrom("memory=4096,cpu=30,opne=8");
  deepEqual(given, { ...USUAL_LIMITS, cpu: 30 });
  fc.assert(fc.property(fc.string(), (text) => {
    const ceiling = ceilingFrom(`${text}=,procs=30`);
    deepEqual(ceiling, { ...USUAL_LIMITS, cpu: 120, procs: 30 });
  }));
});

Deno.test("USUAL_LIMITS, USUAL_CEILING: skills.md lists exactly these", () => {
  const text = Deno.readTextFileSync(
    new URL("../../docs/skills.md", import.meta.url),
  );
  const rows = [
    ...text.matchAll(/^\| `([a-z]+)` +\|.*\| ([^|]+) \| (\d+) +\|$/gm),
  ]
    .map(([, word, usual, most]) => [word, usual!.trim(), Number(most)]);
  const usual: Record<string, number> = USUAL_LIMITS;
  deepEqual(
    rows,
    LIMIT_WORDS.map((word) => [
      word,
      word === "cpu" ? "twice the timeout" : String(usual[word]),
      USUAL_CEILING[word],
    ]),
  );
});
