/** What `/metrics` tells: numbers by fixed words. */

import { KINDS } from "../evidence/permission_record.ts";
import type { MeteredCall } from "../server/meter.ts";
import type { WatchState } from "../watch/types.ts";
import { Counts, exposition, Histogram, type Metric } from "./prometheus.ts";

/** What is read at the moment of a scrape. */
export interface Gauges {
  readonly version: string;
  readonly ready: boolean;
  /** Skills served; undefined before the first scan. */
  readonly skills: number | undefined;
  readonly sessions: number;
  readonly subscriptions: number;
  readonly underWay: number;
  readonly watch: readonly WatchState[];
  /** Bytes. */
  readonly rss: number;
  /** Seconds since the server listens. */
  readonly uptime: number;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const WATCH_STATES: readonly WatchState["state"][] = [
  "watching",
  "degraded",
  "off",
];
/** Responses of other statuses are those of the protocol. */
const TURNED_AWAY = [400, 401, 403, 404, 405, 408, 413, 415, 429, 500, 503];

/** Counts calls and responses as they come. */
export class Metrics {
  readonly #calls = new Counts();
  readonly #refusals = new Counts();
  readonly #runs = new Counts();
  readonly #denials = new Counts();
  readonly #turnedAway = new Counts();
  readonly #durations = new Histogram(SECONDS);

  /** Counts one answered tool call. */
  call({ tool, code, ms, run }: MeteredCall): void {
    const outcome = code === undefined ? "done" : "refused";
    this.#calls.add({ tool, outcome });
    this.#durations.observe({ tool }, ms / 1000);
    if (code !== undefined) this.#refusals.add({ code });
    if (run === undefined) return;
    this.#runs.add({ end: run.end });
    for (const kind of KINDS) {
      if (run.denied[kind] > 0) this.#denials.add({ kind }, run.denied[kind]);
    }
  }

  /** Counts one response that no MCP message was answered with. */
  turnedAway(status: number): void {
    const word = TURNED_AWAY.includes(status) ? String(status) : "other";
    this.#turnedAway.add({ status: word });
  }

  /** The page. */
  text(gauges: Gauges): string {
    return exposition([...this.#counters(), ...gaugeMetrics(gauges)]);
  }

  #counters(): Metric[] {
    const counter = (name: string, help: string, counts: Counts): Metric => ({
      name: `skillfence_${name}_total`,
      help,
      type: "counter",
      samples: counts.samples(),
    });
    return [
      counter("tool_calls", "Tool calls by outcome.", this.#calls),
      counter("refusals", "Refused tool calls by code.", this.#refusals),
      counter("runs", "Runs by how they ended.", this.#runs),
      counter("denials", "What runs were denied, by kind.", this.#denials),
      counter(
        "requests_turned_away",
        "Requests that reached no tool, by HTTP status.",
        this.#turnedAway,
      ),
      {
        name: "skillfence_tool_call_duration_seconds",
        help: "How long tool calls took.",
        type: "histogram",
        samples: this.#durations.samples(),
      },
    ];
  }
}

function gaugeMetrics(gauges: Gauges): Metric[] {
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    type: "gauge",
    samples: [{ labels: {}, value }],
  });
  return [
    {
      name: "skillfence_build_info",
      help: "Always 1; the version is a label.",
      type: "gauge",
      samples: [{ labels: { version: gauges.version }, value: 1 }],
    },
    gauge("skillfence_ready", "1 after the first scan.", +gauges.ready),
    ...gauges.skills === undefined
      ? []
      : [gauge("skillfence_skills", "Skills served.", gauges.skills)],
    gauge("skillfence_sessions", "Sessions of 2025 clients.", gauges.sessions),
    gauge(
      "skillfence_subscriptions",
      "Open subscriptions of 2026 clients.",
      gauges.subscriptions,
    ),
    gauge(
      "skillfence_requests_under_way",
      "Requests being answered.",
      gauges.underWay,
    ),
    {
      name: "skillfence_watched_directories",
      help: "Directories by how well changes in them are noticed.",
      type: "gauge",
      samples: WATCH_STATES.map((state) => ({
        labels: { state },
        value: gauges.watch.filter((each) => each.state === state).length,
      })),
    },
    gauge("process_resident_memory_bytes", "Resident memory.", gauges.rss),
    gauge(
      "skillfence_uptime_seconds",
      "Seconds since the server listens.",
      gauges.uptime,
    ),
  ];
}
