/** Times of things that are measured in turns, and their medians. */

/** Milliseconds of one thing, done once. */
export type Timed = () => Promise<number>;

/** Runs `work` and returns how long it took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Measures several things in turns, so that whatever else the machine does
 * falls on all of them alike. One round goes first and is not counted.
 *
 * @returns the median of each, in milliseconds.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  things: Readonly<Record<Name, Timed>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(things) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const time = await things[name]();
      if (round > 0) times.get(name)!.push(time);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, median(times.get(name)!)]),
  ) as Record<Name, number>;
}

/** The middle value, or the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
