import assert from "node:assert/strict";
import { join } from "node:path";
import { HTTP_BOUNDS } from "../../src/http/bounds.ts";
import { Metrics } from "../../src/http/metrics.ts";

const PAGE = await Deno.readTextFile(
  join(import.meta.dirname!, "../../docs/http.md"),
);

function bound(what: string): string {
  const row = PAGE.split("\n").find((line) => line.startsWith(`| ${what} `));
  assert.ok(row !== undefined, what);
  return row.split("|")[2]!.trim();
}

Deno.test("docs/http.md: the table of bounds has the numbers of the code", () => {
  const { body, reader, caller, strangers, sessions } = HTTP_BOUNDS;
  const seconds = (ms: number) => `${ms / 1000} s`;
  const number = (n: number) => n.toLocaleString("en");
  const rate = ({ perSecond, burst }: typeof caller) =>
    `${number(perSecond)}/s, ${number(burst)} after a rest`;
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  assert.deepEqual({
    body: bound("a body"),
    time: bound("time until a body is there"),
    concurrent: bound("requests of one caller under way"),
    rate: bound("how often one caller asks"),
    strangers: bound("requests without the right token, all together"),
    sessions: bound("sessions of 2025 clients"),
    idle: bound("a session nobody uses"),
    subscriptions: bound("subscriptions of 2026 clients"),
    pending: bound("what waits for a reader that is slower than we"),
    stall: bound("a reader that takes nothing while something waits"),
    comments: bound("silence on an event stream"),
    drain: bound("what is under way when the server ends"),
  }, {
    body: mib(body.bytes),
    time: seconds(body.ms),
    concurrent: String(caller.concurrent),
    rate: rate(caller),
    strangers: rate(strangers),
    sessions: String(sessions.count),
    idle: `${sessions.idleMs / 60_000} min`,
    subscriptions: String(HTTP_BOUNDS.maxSubscriptions),
    pending: `${mib(reader.pendingBytes)} beside one answer`,
    stall: seconds(reader.stallMs),
    comments: seconds(HTTP_BOUNDS.keepAliveMs),
    drain: seconds(HTTP_BOUNDS.drainMs),
  });
});

Deno.test("docs/http.md: every metric is in the table, and no other", () => {
  const page = new Metrics().text({
    version: "1",
    ready: true,
    skills: 1,
    sessions: 0,
    subscriptions: 0,
    underWay: 0,
    watch: [],
    rss: 1,
    uptime: 1,
  });
  const served = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const section = PAGE.slice(
    PAGE.indexOf("| metric "),
    PAGE.indexOf("Values of labels"),
  );
  const listed = [...section.matchAll(/`((?:skillfence|process)_\w+)`/g)]
    .map(([, name]) => name!);
  assert.deepEqual(listed.sort(), served.sort());
});
