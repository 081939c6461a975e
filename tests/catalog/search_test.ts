import assert from "node:assert/strict";
import { SkillSearch } from "../../src/catalog/search.ts";
import type { Skill } from "../../src/catalog/types.ts";

function searchOver(
  ...skills: readonly Partial<Skill>[]
): SkillSearch {
  return new SkillSearch({
    skills: new Map(
      skills.map((skill) => [skill.name!, { body: "", ...skill } as Skill]),
    ),
  });
}

Deno.test("SkillSearch.rank: finds by name, description, when to use and body", async () => {
  const search = searchOver(
    { name: "acme/invoice-maker" },
    { name: "b", description: "Turns receipts into ledgers." },
    { name: "c", whenToUse: "When the user mentions kubernetes." },
    { name: "d", body: "Run the migration twice." },
  );
  assert.deepEqual(await search.rank("invoice"), ["acme/invoice-maker"]);
  assert.deepEqual(await search.rank("ledgers"), ["b"]);
  assert.deepEqual(await search.rank("Kubernetes"), ["c"]);
  assert.deepEqual(await search.rank("migration"), ["d"]);
});

Deno.test("SkillSearch.rank: a name counts more than a description, that more than a body", async () => {
  const search = searchOver(
    { name: "x", body: "Mentions weather in passing." },
    { name: "y", description: "All about weather." },
    { name: "weather" },
  );
  assert.deepEqual(await search.rank("weather"), ["weather", "y", "x"]);
});

Deno.test("SkillSearch.rank: the whole name comes first", async () => {
  const search = searchOver(
    { name: "review", description: "" },
    { name: "review-review", description: "review review code review" },
    { name: "acme/review", description: "review of review" },
  );
  assert.equal((await search.rank("Acme/Review"))[0], "acme/review");
  assert.equal((await search.rank("review"))[0], "review");
});

Deno.test("SkillSearch.rank: beginnings and slips of words are found", async () => {
  const search = searchOver({
    name: "a",
    description: "Deployment of databases",
  });
  assert.deepEqual(await search.rank("deploy"), ["a"]);
  assert.deepEqual(await search.rank("databses"), ["a"]);
  assert.deepEqual(await search.rank("zzzzz"), []);
});

Deno.test("SkillSearch.rank: common words do not drown the telling ones", async () => {
  const search = searchOver(
    { name: "a", description: "Use this when you want the user to do it." },
    { name: "b", description: "Invoices." },
  );
  assert.deepEqual(await search.rank("the user and invoices"), ["b"]);
  assert.deepEqual(await search.rank("the"), ["a"]);
});

Deno.test("SkillSearch.rank: other scripts and odd queries", async () => {
  const search = searchOver(
    { name: "a", description: "天気 予報" },
    { name: "b", description: "Prévisions météo" },
  );
  assert.deepEqual(await search.rank("天気"), ["a"]);
  assert.deepEqual(await search.rank("me\u0301te\u0301o"), ["b"]);
  for (const query of ["", "   ", "!!!", "*", "__proto__", "constructor"]) {
    assert.deepEqual(await search.rank(query), []);
  }
  assert.ok(Array.isArray(await search.rank("word ".repeat(100_000))));
});

Deno.test("SkillSearch.rank: a first query over many skills lets other work run", async () => {
  const body = Array.from({ length: 400 }, (_, i) => `word${i}`).join(" ");
  const search = searchOver(
    ...Array.from({ length: 400 }, (_, i) => ({ name: `s${i}`, body })),
  );
  let turns = 0;
  const timer = setInterval(() => turns += 1, 1);
  const [one, two] = await Promise.all([
    search.rank("word7"),
    search.rank("word8"),
  ]);
  clearInterval(timer);
  assert.equal(one!.length, 400);
  assert.equal(two!.length, 400);
  assert.ok(turns >= 1);
});

Deno.test("SkillSearch.rank: marks in disorder take no time to speak of, and hide nothing", async () => {
  const time = async (description: string) => {
    const search = searchOver(
      { name: "odd", description },
      { name: "caf\u00e9", description: "weather" },
    );
    const before = performance.now();
    assert.deepEqual(await search.rank("weather"), ["caf\u00e9"]);
    assert.deepEqual(await search.rank("cafe\u0301"), ["caf\u00e9"]);
    return performance.now() - before;
  };
  const inOrder = await time(`a${"\u0301".repeat(60_000)}`);
  const inDisorder = await time(`a${"\u0301\u0323".repeat(30_000)}`);
  assert.ok(inDisorder < 200 + 10 * inOrder, `${inOrder} ${inDisorder}`);
});
