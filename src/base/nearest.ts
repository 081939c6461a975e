/** Guesses at what somebody meant. */

/** Longest word worth comparing; names and paths beyond it are cut to it. */
const MAX_COMPARED = 128;
/** More slips than anyone makes; each costs time with every candidate. */
const MAX_SLIPS = 12;
/** With no close match, rank every candidate only when there are this few. */
const RANK_ALL_BELOW = 200;

/**
 * The `candidates` nearest to `word` by edit distance (case aside), nearest
 * first, at most `max`. A candidate whose last `/` segment is the word counts
 * as near. When nothing is close and there are few candidates, the least far
 * ones are named all the same, so that a caller always learns a real name.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  max = 3,
): string[] {
  const wanted = word.slice(0, MAX_COMPARED).toLowerCase();
  const all = [...candidates];
  const bound = Math.min(
    MAX_SLIPS,
    Math.max(2, Math.floor(wanted.length / 3)),
  );
  const close = rank(wanted, all, bound, max);
  if (close.length > 0 || all.length > RANK_ALL_BELOW) return close;
  return rank(wanted, all, Infinity, max);
}

function rank(
  wanted: string,
  candidates: readonly string[],
  bound: number,
  max: number,
): string[] {
  const near: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = closeness(wanted, candidate, bound);
    if (distance <= bound) near.push({ candidate, distance });
  }
  near.sort((a, b) =>
    a.distance - b.distance ||
    (a.candidate < b.candidate ? -1 : a.candidate > b.candidate ? 1 : 0)
  );
  return near.slice(0, max).map(({ candidate }) => candidate);
}

function closeness(wanted: string, candidate: string, bound: number): number {
  const other = candidate.slice(0, MAX_COMPARED).toLowerCase();
  const whole = editDistance(wanted, other, bound);
  const slash = other.lastIndexOf("/");
  if (slash < 0) return whole;
  // A forgotten folder is one slip, however long the folder's name is.
  return Math.min(
    whole,
    1 + editDistance(wanted, other.slice(slash + 1), bound - 1),
  );
}

/** Levenshtein distance, given up (as Infinity) once it must exceed `bound`. */
function editDistance(a: string, b: string, bound: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > bound) return Infinity;
  let previous = Array.from({ length: b.length + 2 }, (_, i) => i);
  let current = previous.slice();
  for (let i = 1; i <= a.length; i++) {
    // So far from the diagonal every way costs more than the bound.
    const first = Math.max(1, i - bound);
    const last = Math.min(b.length, i + bound);
    current[first - 1] = first === 1 ? i : Infinity;
    let least = current[first - 1]!;
    for (let j = first; j <= last; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min(replace, previous[j]! + 1, current[j - 1]! + 1);
      current[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > bound) return Infinity;
    // The next row looks one further than this one.
    current[last + 1] = Infinity;
    [previous, current] = [current, previous];
  }
  return previous[b.length]!;
}
