import { equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { globProblem, nameFilter } from "../../src/base/name_filter.ts";

const kept = (
  name: string,
  globs: { include?: string[]; ignore?: string[] },
) => nameFilter({ include: [], ignore: [], ...globs })(name);

Deno.test("nameFilter: a star crosses slashes and stands for whole names", () => {
  for (
    const [glob, name, matches] of [
      ["*", "a/b", true],
      ["acme/*", "acme/billing/refunds", true],
      ["acme/*", "acme", false],
      ["*refunds", "acme/billing/refunds", true],
      ["a", "a/b", false],
      ["a", "xa", false],
      ["**/refunds", "acme/billing/refunds", true],
      ["{a,b}*", "b/z", true],
      ["[a-c]x", "bx", true],
      ["A", "a", false],
    ] as const
  ) {
    equal(kept(name, { include: [glob] }), matches, `${glob} on ${name}`);
    equal(kept(name, { ignore: [glob] }), !matches, `not ${glob} on ${name}`);
  }
});

Deno.test("nameFilter: an empty include keeps all, ignore wins", () => {
  equal(kept("anything/at/all", {}), true);
  equal(kept("a", { include: ["a"], ignore: ["a"] }), false);
  equal(kept("a/b", { ignore: ["a"] }), true, "each name on its own");
});

Deno.test("nameFilter: literal names match themselves and nothing longer", () => {
  const segment = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  fc.assert(fc.property(fc.array(segment, { minLength: 1 }), (parts) => {
    const name = parts.join("/");
    ok(kept(name, { include: [name] }));
    ok(kept(`${name}/x`, { include: [`${name}/*`] }));
    ok(!kept(`${name}/x`, { include: [name] }));
  }));
});

Deno.test("globProblem: says why a glob does not compile, and such a one keeps nothing", () => {
  for (const glob of ["", "[", "(a", "{a", "a)", "[z-a]", "+("]) {
    match(globProblem(glob) ?? "", /./, glob);
    equal(kept("a", { include: [glob] }), false, glob);
    equal(kept("a", { ignore: [glob] }), false, glob);
  }
  for (const glob of ["*", "a/**", "!(a|b)", "{a,b}"]) {
    equal(globProblem(glob), undefined, glob);
  }
});
