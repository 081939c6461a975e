/** How deep JSON values go: what walks them by recursion needs a bound. */

/**
 * Whether objects and arrays lie within one another more than `levels` deep;
 * `1` and `"a"` have none, `[]` and `{}` one. Takes plain JSON values of any
 * depth.
 */
export function deeperThan(value: unknown, levels: number): boolean {
  let here = [value].filter(isNest);
  for (let level = 0; here.length > 0; level++) {
    if (level === levels) return true;
    here = here.flatMap((each) => Object.values(each).filter(isNest));
  }
  return false;
}

function isNest(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
