/**
 * Prometheus' text format, version 0.0.4. Numbers by labels whose values are
 * fixed words: nothing that a caller or a skill says becomes a series.
 */

/** Label names with their values. */
export type Labels = Readonly<Record<string, string>>;

/** One line of a metric. */
export interface Sample {
  /** After the metric's name: `_bucket`, `_sum`, `_count` or nothing. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** One metric with all its lines. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

/** The page that a scrape gets. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map(({ name, help, type, samples }) =>
    [
      `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels, value }) =>
        `${name}${suffix}${labelText(labels)} ${numberText(value)}`
      ),
    ].map((line) => `${line}\n`).join("")
  ).join("");
}

/** Counts by labels. */
export class Counts {
  readonly #values = new Map<string, { labels: Labels; value: number }>();

  /** Adds to the count with these labels. */
  add(labels: Labels, by = 1): void {
    const key = labelText(labels);
    const entry = this.#values.get(key) ?? { labels, value: 0 };
    entry.value += by;
    this.#values.set(key, entry);
  }

  /** One line for each set of labels. */
  samples(): Sample[] {
    return [...this.#values.values()].map((entry) => ({ ...entry }));
  }
}

/** How long things took, by labels. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #values = new Map<
    string,
    { labels: Labels; buckets: number[]; sum: number; count: number }
  >();

  /** `bounds`: upper ends of the buckets, rising; the last is without one. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** Notes one value. */
  observe(labels: Labels, value: number): void {
    const key = labelText(labels);
    const entry = this.#values.get(key) ??
      { labels, buckets: this.#bounds.map(() => 0), sum: 0, count: 0 };
    entry.sum += value;
    entry.count += 1;
    this.#bounds.forEach((bound, i) => {
      if (value <= bound) entry.buckets[i]! += 1;
    });
    this.#values.set(key, entry);
  }

  /** The buckets, the sum and the count for each set of labels. */
  samples(): Sample[] {
    return [...this.#values.values()].flatMap(
      ({ labels, buckets, sum, count }) => [
        ...[...this.#bounds, Infinity].map((bound, i) => ({
          suffix: "_bucket",
          labels: { ...labels, le: numberText(bound) },
          value: buckets[i] ?? count,
        })),
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ],
    );
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) =>
    `${name}="${value.replace(/["\\\n]/g, escaped)}"`
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
