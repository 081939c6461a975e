/** Numbers in order, searched by halves. */

/** The place of the last of `ascending` that is not beyond `value`, or 0. */
export function lastUpTo(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ascending[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
